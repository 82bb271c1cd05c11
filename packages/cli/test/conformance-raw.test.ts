import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { callspec } from './helpers/binary.ts'
import { folderWith } from './helpers/folder.ts'

/** Answers the first case wrongly, the second with a line that is not a message; both with text that is unsafe to print. */
const PARSER = `
import { createInterface } from 'node:readline'
for await (const line of createInterface({ input: process.stdin })) {
  const { cmd, seq, id } = JSON.parse(line)
  if (cmd === 'start') {
    const supports = [{ operations: ['parse'], formats: ['nous'], profiles: ['strict'] }]
    console.log(JSON.stringify({ protocol: 1, name: 'raw', version: '1', supports }))
  } else if (id === 'garbled') console.log('\\x1b[2J<script>alert(1)</script>' + 'x'.repeat(500))
  else if (cmd === 'run')
    console.log('{"seq": ' + seq + ', "output": {"items": [{"type": "text", "text": "<b>\\u202e"}]}}')
}`

const CASES = ['wrong', 'garbled'].map((id) =>
  JSON.stringify({
    ...{ id, op: 'parse', format: 'nous', profile: 'strict', input: { text: 'Hi.' } },
    expected: { items: [{ type: 'text', text: 'Hi.' }] },
  }),
)

describe('a case that a foreign program fails', () => {
  const files = { 'parser.mjs': PARSER, 'cases.jsonl': `${CASES.join('\n')}\n` }
  const words = ['conformance', 'run', '--cases', 'cases.jsonl', '--impl', 'node parser.mjs', '--time-limit', '1500']

  it('shows the beginning of what the program sent, with control characters made visible', async () => {
    const folder = folderWith(files)
    const { code, stdout } = await callspec([...words, '--json', 'results.jsonl', '--junit', 'junit.xml'], {
      cwd: folder,
      env: { COLUMNS: '400' },
    })

    expect(code).toBe(1)
    const raws = stdout.split('\n').filter((line) => line.startsWith('  raw '))
    const garbled = `\\u001b[2J<script>alert(1)</script>${'x'.repeat(171)}…`
    expect(raws).toEqual([
      '  raw       {"seq": 2, "output": {"items": [{"type": "text", "text": "<b>\\u202e"}]}}',
      `  raw       ${garbled}`,
    ])
    const results = readFileSync(join(folder, 'results.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { raw?: string }).raw)
    expect(results[1]).toBe(garbled.replace('\\u001b', '\x1b'))
    const junit = readFileSync(join(folder, 'junit.xml'), 'utf8')
    expect(junit).toContain('raw: {&quot;seq&quot;: 2')
    expect(junit).not.toContain('<script>')
  })

  it('shows it on the page of the matrix, escaped', async () => {
    const folder = folderWith(files)
    await callspec([...words, '--json', 'page.jsonl'], { cwd: folder })
    const page = ['--html', 'm.html', '--results', 'page.jsonl', '--cases', 'cases.jsonl']
    const { code } = await callspec(['conformance', 'matrix', ...page], { cwd: folder })

    expect(code).toBe(0)
    const html = readFileSync(join(folder, 'm.html'), 'utf8')
    expect(html).not.toContain('<script>alert(1)')
    expect(html).toContain('[2J\\u003cscript>alert(1)')
  })
})
