import { describe, expect, it } from 'vitest'
import type { Rendering } from '../src/index.ts'
import { toolPartFate } from '../src/check/tool-part.ts'

const prompt = (text: string): Rendering => ({ kind: 'rendered', text })

describe('the fate of a part of a tool', () => {
  it.each([
    ['a text as it is', 'A pattern: ^a"b$ here', '^a"b$'],
    ['a text as JSON', String.raw`{"pattern": "^a\"b$"}`, '^a"b$'],
    ['a text as JSON in ASCII', String.raw`{"pattern": "gr\u00fcn"}`, 'grün'],
  ])('is "rendered" for %s', (_, text, value) => {
    expect(toolPartFate({ whole: prompt(text), without: prompt('A pattern:  here'), values: [value] })).toEqual({
      fate: 'rendered',
      evidence: '',
    })
  })

  it('is "dropped" if the prompt is the same without it', () => {
    const both = prompt('get_weather')

    expect(toolPartFate({ whole: both, without: both, values: ['x'] }).fate).toBe('dropped')
  })

  it('is "changed" if another text comes instead, which is quoted', () => {
    expect(
      toolPartFate({ whole: prompt('a <nullable>True</nullable> b'), without: prompt('a  b'), values: ['true'] }),
    ).toEqual({
      fate: 'changed',
      evidence: 'the prompt does not have "true", but "<nullable>True</nullable>"',
    })
  })

  it('needs the value once more than without the part', () => {
    const whole = prompt('value 12, days')

    expect(toolPartFate({ whole, without: prompt('value 12'), values: ['12'] }).fate).toBe('changed')
  })

  it('is "refused" with the error of the template', () => {
    const whole: Rendering = { kind: 'raised', error: { type: 'UndefinedError', message: 'no parameters' } }

    expect(toolPartFate({ whole, without: prompt(''), values: [] })).toEqual({
      fate: 'refused',
      evidence: 'no parameters',
    })
  })

  it('of a name is "dropped" without a trace, "changed" with one', () => {
    const fate = (text: string): string =>
      toolPartFate({ whole: prompt(text), without: null, values: ['archive.store-entry'] }).fate

    expect(fate('no tools')).toBe('dropped')
    expect(fate('archive_store_entry')).toBe('changed')
    expect(fate('- archive.store-entry()')).toBe('rendered')
  })
})
