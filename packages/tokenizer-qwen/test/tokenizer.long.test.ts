import { describe, expect, it } from 'vitest'

import { loadQwenTokenizer } from '../src/index.ts'
import { someOf } from '../../tidy/test/share.ts'

const tokenizer = loadQwenTokenizer()

const RUNS = someOf([
  ['a', 1_000_000, 125_000],
  [' ', 200_000, 1_563],
  ['\n', 200_000, 6_250],
  ['1', 1_000_000, 1_000_000],
  ['\ud800', 100_000, 25_000],
] as const)

// No clock is needed: an algorithm that searches all parts after each merge takes minutes for one of these.
describe('a long run of one character', () => {
  it.each(RUNS)('%j is counted', (character, times, tokens) => {
    expect(tokenizer.count(character.repeat(times))).toBe(tokens)
  })
})
