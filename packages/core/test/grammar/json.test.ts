import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { kindOfJson } from '../../src/grammar/json.ts'

describe('what a text is as JSON', () => {
  test.prop([almostJson()], { numRuns: 5000 })('is for every text that is nearly JSON what JSON.parse says', (text) => {
    expect(kindOfJson(text)).toBe(kindByParse(text))
  })

  it.each([
    ['a long text', `{"a": "${'x'.repeat(50)}"}`, 'object'],
    ['a long text with half an escape', `{"a": "${'x'.repeat(50)}\\u12"}`, 'none'],
    ['a long text with a line feed', `["${'x'.repeat(50)}\n"]`, 'none'],
    ['a long text that ends behind a backslash', `["${'x'.repeat(50)}\\"]`, 'none'],
    ['a million brackets', '['.repeat(1e6) + ']'.repeat(1e6), 'other'],
    ['a bracket too few', '[[1]', 'none'],
    ['nothing', '', 'none'],
  ])('is known of %s', (_what, text, kind) => {
    expect(kindOfJson(text)).toBe(kind)
  })
})

function kindByParse(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? 'object' : 'other'
  } catch {
    return 'none'
  }
}

/** JSON with up to three characters put in, left out or changed. */
function almostJson(): fc.Arbitrary<string> {
  const unit = fc.constantFrom(...'{}[]",:\\/u0aeE123.-+trfnl \n\t\u0001x\u00e9\u2028')
  const change = fc.tuple(fc.nat(), fc.constantFrom('in', 'out', 'other'), unit)
  const json = fc.oneof(fc.json({ maxDepth: 3 }), fc.constant('{"a": [1.5e-3, "b\\"\\u00e9", {}], "c": null}'))
  return fc.tuple(json, fc.array(change, { maxLength: 3 })).map(([text, changes]) =>
    changes.reduce((changed, [place, how, put]) => {
      const at = place % (changed.length + 1)
      return changed.slice(0, at) + (how === 'out' ? '' : put) + changed.slice(how === 'in' ? at : at + 1)
    }, text),
  )
}
