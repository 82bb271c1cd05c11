import type { PyDict } from '@callspec/python'
import { describe, expect, it } from 'vitest'
import { formatNamed } from '../../src/formats/index.ts'
import { formats } from '../../src/qwen-agent.ts'
import { PIECES, soups } from './hostile-pieces.ts'

// A megabyte of each: hostile.long.test.ts. What is quadratic does not come back from these in time either.
describe.each(Object.values(formats))('$id', { timeout: 10_000 }, (format) => {
  it.each(PIECES)('returns for 128 kB of %j', (piece) => {
    for (const text of soups(format.id, piece, 1 << 17)) {
      const outcome = format.parse(text, { parallelCalls: true, codeMode: true, rawArguments: true })

      expect(['parsed', 'rejected']).toContain(outcome.kind)
    }
  })

  it('returns for ten thousand nested brackets', () => {
    const nested = '['.repeat(10_000)
    const texts = [
      `✿FUNCTION✿: a\n✿ARGS✿: ${nested}`,
      `<tool_call>{"name": "a", "arguments": ${nested}</tool_call>`,
      `x\nAction: a\nAction Input: ${nested}`,
    ]

    expect(texts.map((text) => format.parse(text).kind)).toEqual(['parsed', 'parsed', 'parsed'])
  })
})

it('writes the prompt of kimi-k3 with 200,000 results in a row', () => {
  const message = (members: object): PyDict => new Map(Object.entries(members))
  const result = message({ role: 'tool', tool_call_id: 'a', name: 'f', content: 'x' })
  const messages = [message({ role: 'user', content: 'Go.' }), ...Array.from({ length: 200_000 }, () => result)]

  expect(formatNamed('kimi-k3')?.prompt?.({ messages, tools: [], options: new Map() }).kind).toBe('prompted')
})
