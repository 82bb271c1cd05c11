import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callspec } from './helpers/binary.ts'
import { shareOf } from '../../tidy/test/share.ts'

const LINES = shareOf(100_000)
const TORN = LINES / 1000
let folder = ''

/** Some 100 MB: 100 000 answers of about 1 KB, one line in a thousand torn. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'callspec-large-'))
  const file = openSync(join(folder, 'large.jsonl'), 'w')
  const output = `<tool_call>\n{"name": "note", "arguments": {"text": "${'x'.repeat(940)}"}}\n</tool_call>`
  const line = JSON.stringify({ model: 'm', output })
  for (let at = 0; at < LINES; at += 1) writeSync(file, at % 1000 === 999 ? `${line.slice(0, 500)}\n` : `${line}\n`)
  closeSync(file)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a file of 100 MB of recorded answers', () => {
  it('is scored in a heap that could not hold it, torn lines and all', async () => {
    const words = ['score', '--format', 'nous', 'large.jsonl']

    const { code, stdout } = await callspec(words, { cwd: folder, env: { NODE_OPTIONS: '--max-old-space-size=64' } })

    expect(stdout.trimEnd().split('\n').at(-1)).toBe(
      `${LINES - TORN} of ${LINES} rows scored, 0 of other formats, ${TORN} unreadable`,
    )
    expect(code).toBe(0)
  })
})
