import fc from 'fast-check'
import { expect } from 'vitest'
import type { BuiltInFormat, StreamOptions, StreamParser } from '../../src/index.ts'

/** Fails unless each snapshot after a chunk is what `parse` gives for the chunks so far. */
export function expectSnapshots(format: BuiltInFormat, chunks: readonly string[], options: StreamOptions = {}): void {
  const parser = format.createStreamParser(options)
  let soFar = ''
  expect(parser.snapshot()).toStrictEqual(format.parse('', options))
  for (const chunk of chunks) {
    parser.push(chunk)
    soFar += chunk
    expect(parser.snapshot()).toStrictEqual(format.parse(soFar, options))
  }
}

/** What a parser says about chunks when it is asked at the end only. */
export function fed(parser: StreamParser, chunks: readonly string[]): StreamParser {
  for (const chunk of chunks) parser.push(chunk)
  return parser
}

/** The text cut at these places; parts of a text between 0 and 1. */
export function cutAt(text: string, parts: readonly number[]): readonly string[] {
  const places = [...new Set(parts.map((part) => Math.floor(part * (text.length + 1))))].toSorted((a, b) => a - b)
  return [...places, text.length].map((end, index) => text.slice(places[index - 1] ?? 0, end))
}

/** Places to cut a text at, as parts of it. */
export const CUTS: fc.Arbitrary<readonly number[]> = fc.array(
  fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  {
    maxLength: 6,
  },
)
