import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callspec } from './helpers/binary.ts'
import { shareOf } from '../../tidy/test/share.ts'

const LINES = shareOf(100_000)
let folder = ''

/** Some 100 MB: 100 000 cases of about 1 KB. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'callspec-large-'))
  const file = openSync(join(folder, 'large.jsonl'), 'w')
  const text = 'x'.repeat(450)
  for (let at = 0; at < LINES; at += 1) {
    const [input, expected] = [`{"json_text": "\\"${text}\\""}`, `{"text": "\\"${text}\\""}`]
    writeSync(file, `{"id": "case ${at}", "op": "json_dumps", "input": ${input}, "expected": ${expected}}\n`)
  }
  closeSync(file)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a case file of 100 MB', () => {
  it('is run in a heap that could not hold it', async () => {
    const words = ['conformance', 'run', '--cases', 'large.jsonl', '--json', 'out.jsonl']

    const { code, stdout } = await callspec(words, { cwd: folder, env: { NODE_OPTIONS: '--max-old-space-size=64' } })

    expect(stdout.trimEnd().split('\n').at(-1)).toBe(`${LINES} passed, 0 failed, 0 errored, 0 skipped`)
    expect(code).toBe(0)
    expect(readdirSync(folder).sort()).toEqual(['large.jsonl', 'out.jsonl'])
  })
})
