import { describe, expect, it } from 'vitest'
import { createPieces } from '../src/client/pieces.ts'

function joined(pieces: readonly string[]): { readonly text: string; readonly isCumulative: boolean } {
  const collected = createPieces()
  for (const piece of pieces) collected.add(piece)
  expect(collected.units()).toBe(collected.text().length)
  return { text: collected.text(), isCumulative: collected.isCumulative() }
}

describe('pieces of a text', () => {
  it.each([
    ['word by word', ['The', ' answer', ' is', ' 42']],
    ['that begin alike', ['a', 'ab', 'c', 'abc']],
    ['of one sign that is repeated', ['-', '-', '-', '-', '-', '-', '-', '-', '-']],
    [
      'of one line that is repeated, and then another',
      ['the same line\n', 'the same line\n', 'the same line\nand more'],
    ],
    ['two of which the second is longer by chance', ['1', '10']],
    ['of growing signs', ['=', '==', '===']],
    ['nothing', []],
    ['blank ones', ['', '']],
  ])('%s are joined', (_, pieces) => {
    expect(joined(pieces)).toEqual({ text: pieces.join(''), isCumulative: false })
  })

  it.each([
    ['each', ['The', 'The answer', 'The answer is', 'The answer is 42']],
    ['each, the last one twice', ['The', 'The answer', 'The answer is 42', 'The answer is 42', '']],
    ['at once', ['The answer', 'The answer is 42']],
  ])('that repeat everything before them, %s, are one text: the last', (_, pieces) => {
    expect(joined(pieces)).toEqual({ text: 'The answer is 42', isCumulative: true })
  })

  it('that stop to repeat what came before were deltas after all', () => {
    expect(joined(['ab', 'abcdefgh', 'abcdefghij', 'k'])).toEqual({
      text: 'ababcdefghabcdefghijk',
      isCumulative: false,
    })
  })
})
