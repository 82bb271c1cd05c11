import { describe, expect, it } from 'vitest'
import { readLiteral } from '@callspec/python'
import { characterNames } from '@callspec/unicode-names'
import { extractStruct } from '../src/extract-struct.ts'

const read = (inside: string): unknown => extractStruct(`["${inside}"]`, 'list')

describe(String.raw`\N{…} in a structure`, () => {
  it.each([
    ['EM DASH', '—'],
    ['bullet', '•'],
    ['Grinning Face', '😀'],
    ['NULL', '\0'],
    ['LF', '\n'],
    ['CJK UNIFIED IDEOGRAPH-4E00', '一'],
    ['CJK UNIFIED IDEOGRAPH-04E00', '一'],
    ['CJK COMPATIBILITY IDEOGRAPH-F900', '\uf900'],
    ['HANGUL SYLLABLE A', '아'],
    ['HANGUL SYLLABLE GGWAELG', '꽭'],
  ])('%s is a character, as in Python', (name, character) => {
    expect(read(`a\\N{${name}}b`)).toEqual([`a${character}b`])
  })

  it.each([
    ['a named sequence', 'KEYCAP DIGIT ONE'],
    ['small digits of an ideograph', 'CJK UNIFIED IDEOGRAPH-4e00'],
    ['an ideograph beyond the ranges', 'CJK UNIFIED IDEOGRAPH-A000'],
    ['a syllable in small letters', 'hangul syllable gag'],
    ['white space', 'BULLET '],
    ['letters beyond ASCII', 'ﬁ'],
    ['a surrogate', '\\ud83d'],
    ['a key of objects', '__proto__'],
  ])('%s is no name', (_, name) => {
    expect(() => read(`\\N{${name}}`)).toThrow('unknown Unicode character name')
  })

  it.each(['\\N', '\\N{', '\\N{}', '\\N{BULLET', '\\N {BULLET}', '\\NBULLET}'])('%s is malformed', (text) => {
    expect(() => read(text)).toThrow(String.raw`malformed \N character escape`)
  })

  it('is text in a raw string and in bytes', () => {
    expect(readLiteral(String.raw`r"\N{BULLET}"`, characterNames)).toBe(String.raw`\N{BULLET}`)
    expect(extractStruct(String.raw`[b"\N{x"]`, 'list')).toEqual([expect.objectContaining({ kind: 'bytes' })])
  })

  it('asks for the names only when one is met', () => {
    let asked = 0
    const names = (): null => {
      asked += 1
      return null
    }

    expect(readLiteral(String.raw`["\x41", r"\N{BULLET}"]`, names)).toEqual(['A', String.raw`\N{BULLET}`])
    expect(asked).toBe(0)
    expect(() => readLiteral(String.raw`"\N{BULLET}"`, names)).toThrow('no names of characters are known here')
    expect(asked).toBe(1)
  })
})
