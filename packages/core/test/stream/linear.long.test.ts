import { describe, expect, it } from 'vitest'
import { CODE_POINTS } from '../helpers/code-points.ts'
import { bufferThenParse, formats } from '../../src/qwen-agent.ts'
import type { StreamOptions, StreamParser } from '../../src/qwen-agent.ts'
import { PIECES, soups } from '../formats/hostile-pieces.ts'

const { nous } = formats

/** How many characters are looked at when a text comes unit by unit and every snapshot is asked for. */
function work(text: string, parserOf: (options: StreamOptions) => StreamParser): number {
  let examined = 0
  const parser = parserOf({
    onExamined: (characters) => {
      examined += characters
    },
  })
  for (let at = 0; at < text.length; at++) {
    parser.push(text.charAt(at))
    parser.snapshot()
    parser.settled?.()
  }
  return examined
}

/** Fails unless the work at four times the size is four times as much, and a little, and within a limit per character. */
function expectLinear(
  textOf: (size: number) => string,
  parserOf: (options: StreamOptions) => StreamParser,
  perCharacter = 150,
): void {
  const small = work(textOf(500), parserOf)
  const large = work(textOf(2000), parserOf)

  expect(small).toBeGreaterThan(0)
  expect(large).toBeLessThan(4.4 * small + 10_000)
  expect(large).toBeLessThan(perCharacter * 2000)
}

const CALL = '<tool_call>\n{"name": "clock", "arguments": {"zone": "UTC"}}\n</tool_call>\n'
const OTHERS = [
  CALL, 'word ', `<think>hm</think>\n${CALL}`, '<tool_call></tool_call>', `${CALL}<think>`, '</think><tool_call>{"name": "a", "arguments": 1',
  '<tool_call>{"name": "', '<tool_call>x"name": "a", "arguments": ', '\ud83d\ude00', '\u3000',
] // prettier-ignore

describe.each(['main', 'v0.0.26'])('reading nous in %s unit by unit', (profile) => {
  it.each([...PIECES, ...OTHERS])('looks at each character of many %j a limited number of times', (piece) => {
    for (const which of [0, 1]) {
      const textOf = (size: number): string => soups('nous', piece, size)[which] ?? ''
      for (const thoughtInContent of [false, true]) {
        expectLinear(textOf, (options) => nous.createStreamParser({ ...options, profile, thoughtInContent }))
      }
    }
  })

  it('does so in a call with much in it', () => {
    for (const body of ['x', '{', '\\"', '你', ' ', '"name": "', '{"a": 1}, ']) {
      const textOf = (size: number): string =>
        `${CALL}<tool_call>{"name": "f", "arguments": ${body.repeat(size / body.length)}}</tool_call>${CALL}`
      expectLinear(textOf, (options) => nous.createStreamParser({ ...options, profile }))
    }
  })

  // A text that hovers at the beginning of a word is looked at as often as the words have characters.
  it('does so where replies are cut at stop words', () => {
    const stopWords = ['Observation:', '✿RETURN✿']
    for (const piece of ['Observation', 'O', '✿RETURN', 'word ', CALL]) {
      const textOf = (size: number): string => piece.repeat(size / piece.length)
      expectLinear(
        textOf,
        (options) => nous.createStreamParser({ ...options, profile, stopWords, tokenizer: CODE_POINTS }),
        300,
      )
    }
  })

  it('does so where a thought ends only after the calls that belong to it', () => {
    const textOf = (size: number): string => `${CALL.repeat(size / CALL.length)}</think>${CALL}<think>${CALL}`

    expectLinear(textOf, (options) => nous.createStreamParser({ ...options, profile }))
  })
})

describe('counting', () => {
  it('finds that parsing everything again at each snapshot is quadratic', () => {
    const textOf = (size: number): string => 'word '.repeat(size / 5)

    expect(() => {
      expectLinear(textOf, (options) => bufferThenParse(nous, options))
    }).toThrow()
  })

  it('says nothing about chunks that were not looked at yet', () => {
    const counts: number[] = []
    const parser = nous.createStreamParser({ onExamined: (characters) => counts.push(characters) })

    parser.push('word')

    expect(counts).toEqual([])
  })
})
