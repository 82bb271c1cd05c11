import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, it, vi } from 'vitest'
import { runProgram } from '../src/main.ts'
import { createOutput } from '../src/output.ts'
import { folderWith } from './helpers/folder.ts'

afterEach(() => void vi.restoreAllMocks())

/** The progress of a command on a terminal, where each look at the clock takes half a second. */
async function shown(words: readonly string[]): Promise<readonly string[]> {
  const written: string[] = []
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 500))
  const stderr = { write: (text: string) => written.push(text), isTTY: true }
  const output = createOutput({ stdout: { write: () => 0 }, stderr, environment: {}, clock: () => 0 })
  await runProgram(words, { output, environment: {} })
  return written.filter((text) => text.includes('/s')).map((text) => text.replace('\r\u001b[K', ''))
}

const ROW = JSON.stringify({ text: '<tool_call>\n{"name": "clock", "arguments": {"zone": "UTC"}}\n</tool_call>' })
const ROWS = Array.from({ length: 100 }, () => ROW)
const LOG = 'data: {"choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": null}]}\n\ndata: [DONE]\n\n'

it.each([
  ['lines', `${ROWS.join('\n')}\n`],
  ['packed lines', gzipSync(ROWS.join('\n'))],
  ['an array', `[${ROWS.join(',')}]`],
])('identify shows the time left of %s, though it reads ahead', async (name, content) => {
  const file = name === 'packed lines' ? 'rows.jsonl.gz' : 'rows.json'
  const lines = await shown(['identify', join(folderWith({ [file]: content }), file)])

  expect(lines.find((line) => line.startsWith('50 lines'))).toMatch(/^50 lines · 2\.0\/s · 2[56] s left$/)
  expect(lines.at(-1)).toMatch(/^100 lines · 2\.0\/s · [01] s left$/)
})

it('proxy check shows the time left of all files together', async () => {
  const folder = folderWith({ 'a.sse': LOG.repeat(2000), 'b.sse': LOG.repeat(2000) })
  const lines = await shown(['proxy', 'check', folder])

  expect(lines.find((line) => line.startsWith('2000 exchanges'))).toMatch(/^2000 exchanges · 2\.0\/s · 1[67] min left$/)
  expect(lines.at(-1)).toBe('4000 exchanges · 2.0/s · 0 s left')
})

it('template roundtrip shows the time left of its own messages and of a file', async () => {
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Noon.' },
  ]
  const folder = folderWith({
    'tokenizer_config.json': JSON.stringify({
      chat_template: '{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<end>{% endfor %}',
      response_template: { start_anchor: '<|assistant|>', fields: { content: { close: '<end>' } } },
    }),
    'train.jsonl': `${JSON.stringify({ messages })}\n`.repeat(50),
  })
  const own = await shown(['template', 'roundtrip', folder])
  const given = await shown(['template', 'roundtrip', folder, '--messages', join(folder, 'train.jsonl')])

  expect(own.at(-1)).toBe('41 of 41 messages · 2.0/s · 0 s left')
  expect(given.at(-1)).toBe('50 messages · 2.0/s · 0 s left')
})
