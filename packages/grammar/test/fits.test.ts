import { describe, expect, it } from 'vitest'
import { misfit } from '../src/index.ts'

describe('whether arguments fit a schema', () => {
  it.each([
    ['date', '2026-01-31', '31 January'],
    ['time', '12:00:00Z', '12:00'],
    ['date-time', '2026-01-31T12:00:00+01:00', '2026-01-31'],
    ['uuid', '01234567-89ab-cdef-0123-456789abcdef', '0123'],
  ])('checks the format %s', (format, good, bad) => {
    expect(misfit(good, { type: 'string', format })).toBeNull()
    expect(misfit(bad, { type: 'string', format })).toBe(`arguments is not of the format ${format}`)
  })

  it('does not check formats that no grammar forces', () => {
    expect(misfit('no', { type: 'string', format: 'email' })).toBeNull()
  })

  it('follows a reference with escaped names', () => {
    const schema = { $ref: '#/$defs/a~1b~0c', $defs: { 'a/b~c': { type: 'integer' } } }

    expect(misfit('x', schema)).toBe('arguments is not of the type integer')
  })

  it('follows a schema that refers to itself, and ends where it refers to nothing else', () => {
    const tree = { type: 'object', properties: { next: { $ref: '#' } }, additionalProperties: false }

    expect(misfit({ next: { next: { other: 1 } } }, tree)).toBe('arguments.next.next.other is not allowed')
    expect(misfit({}, { $ref: '#' })).toBeNull()
  })
})
