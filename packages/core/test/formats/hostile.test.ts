import { describe, expect, it } from 'vitest'
import { formats } from '../../src/index.ts'

const SIZE = 1_000_000

/** The beginning of a call, so that the pieces stand inside one. */
const STARTS: { readonly [id: string]: string } = {
  qwen: '✿FUNCTION✿: a\n✿ARGS✿: ',
  nous: '<tool_call>{"name": "a", "arguments": ',
  react: 'x\nAction: a\nAction Input: ',
}

/** Pieces that would make a parser which looks back, or restarts its search, quadratic. */
const PIECES = [
  '✿', '✿FUNCTION✿:', '✿ARGS✿:', '✿FUNCTION✿: a\n✿ARGS✿: {x', '✿FUNCTION✿: a\n✿ARGS✿: ```x\n``',
  '<tool_call>', '<tool_call>{', '</tool_call>', '<think>', '</think>', '<code>', '</code>',
  '\nAction:', '\nAction Input:', '\nObservation:', ' ', '\n', '{', '[', '"', '\\', '}', '"name": "', '"arguments": ',
] // prettier-ignore

describe.each(Object.values(formats))('$id', (format) => {
  it.each(PIECES)('returns for a megabyte of %j', (piece) => {
    const soup = piece.repeat(SIZE / piece.length)

    for (const start of ['', STARTS[format.id] ?? '']) {
      const outcome = format.parse(start + soup, { parallelCalls: true, codeMode: true, rawArguments: true })

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
