import { FORMAT_IDS } from '@callspec/core/formats'
import { describe, expect, it } from 'vitest'
import { FORMAT_FAMILIES } from '../src/formats.ts'
import { didYouMean, nearestName } from '../src/usage-error.ts'

const KNOWN = ['nous', 'qwen', 'react', 'zh', 'en', 'v0.0.26', 'y']

describe('the nearest name', () => {
  it.each([
    ['nuos', 'nous'],
    ['hz', 'zh'],
    ['v0.0.62', 'v0.0.26'],
    ['qwenn', 'qwen'],
    ['rect', 'react'],
    ['mistral', null],
    ['', null],
    ['x', null],
    ['e', 'en'],
  ])('to %j is %j', (name, meant) => {
    expect(nearestName(name, KNOWN)).toBe(meant)
  })

  it('is asked as a question, with the words before names', () => {
    expect(didYouMean('zhh', KNOWN, { prefix: '--' })).toBe(' Did you mean --zh?')
  })

  it('of several together is named by theirs, as the reference calls two of its formats fncall', () => {
    for (const name of ['fncall', 'fncal'])
      expect(didYouMean(name, FORMAT_IDS, { families: FORMAT_FAMILIES })).toBe(' Did you mean qwen, nous?')
    expect(didYouMean('qwne', FORMAT_IDS, { families: FORMAT_FAMILIES })).toBe(' Did you mean qwen?')
  })

  it('to a text of a million characters costs nothing', () => {
    const long = 'x'.repeat(1_000_000)

    expect(
      nearestName(
        long,
        Array.from({ length: 10_000 }, (_, index) => `name-${index}`),
      ),
    ).toBe(null)
  })
})
