import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadQwenTokenizer } from '@callspec/tokenizer-qwen'
import { BINARY, callspec } from './helpers/binary.ts'
import { IS_WHOLE, shareOf } from '../../tidy/test/share.ts'

const HARNESS = `${process.execPath} ${BINARY} harness`
let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'callspec-programs-'))
  writeCases('5000.jsonl', shareOf(5000))
  writeCases('50000.jsonl', shareOf(50_000))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Cases of `parse` with a call in each text. */
function writeCases(name: string, count: number): void {
  const file = openSync(join(folder, name), 'w')
  for (let n = 0; n < count; n += 1) {
    const given = `{"zone": "UTC", "n": ${n}}`
    const input = { text: `Let me look.\n<tool_call>\n{"name": "clock", "arguments": ${given}}\n</tool_call>` }
    const items = [
      { type: 'text', text: 'Let me look.' },
      { type: 'call', name: 'clock', arguments: given },
    ]
    const topic = { id: `case ${n}`, op: 'parse', format: 'nous', profile: 'strict' }
    writeSync(file, `${JSON.stringify({ ...topic, input, expected: { items } })}\n`)
  }
  closeSync(file)
}

async function seconds(words: readonly string[], env: Record<string, string> = {}): Promise<number> {
  const began = performance.now()
  const { code, stdout } = await callspec(['conformance', 'run', ...words], { cwd: folder, env })
  // The built-in cases have prompts that callspec does not write.
  expect(stdout).toMatch(/\n[1-9]\d* passed, 0 failed, 0 errored, \d+ skipped\n$/)
  expect(code).toBe(0)
  return (performance.now() - began) / 1000
}

describe('5 000 cases', () => {
  it('take at most 2 s in this process and 3 s in a session, start of the programs included', async () => {
    const inProcess: number[] = []
    const session: number[] = []
    for (let round = 0; round < shareOf(3); round += 1) {
      inProcess.push(await seconds(['--cases', '5000.jsonl']))
      session.push(await seconds(['--cases', '5000.jsonl', '--impl', HARNESS]))
    }

    // No case of `parse` counts tokens, so the vocabulary is not loaded in these times.
    const began = performance.now()
    loadQwenTokenizer()
    const vocabulary = performance.now() - began
    console.log(
      `in process ${Math.min(...inProcess).toFixed(2)} s, session ${Math.min(...session).toFixed(2)} s, ` +
        `loading of the vocabulary, not in them, ${vocabulary.toFixed(0)} ms`,
    )
    if (!IS_WHOLE) return
    expect(Math.min(...inProcess)).toBeLessThan(2)
    expect(Math.min(...session)).toBeLessThan(3)
  })
})

describe('50 000 cases in a session', () => {
  it('are run in a heap that could not hold them', async () => {
    await seconds(['--cases', '50000.jsonl', '--impl', HARNESS, '--json', 'out.jsonl'], {
      NODE_OPTIONS: '--max-old-space-size=48',
    })
  })
})

describe('callspec harness', () => {
  it('passes all built-in cases in a session, and the coarse ones one by one', async () => {
    const few = IS_WHOLE ? [] : ['--id', 'nous/parse/thoughts*']
    await seconds(['--impl', HARNESS, ...few])
    await seconds(['--one-shot', `${HARNESS} --one-shot`, '--format', 'nous', '--op', 'parse', '--profile', 'strict', ...few]) // prettier-ignore
  })
})
