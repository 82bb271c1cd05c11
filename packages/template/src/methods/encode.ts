import { Raise } from '@callspec/python'
import type { Bytes } from '../values/value.ts'

/** `text.encode(encoding)` for UTF-8 and its parts. Raises LookupError for an encoding that is not here. */
export function encode(text: string, encoding: string): Bytes {
  const name = encoding.toLowerCase().replaceAll(/[-_ ]/g, '')
  const limit = LIMITS[name]
  if (limit === undefined) throw new Raise('LookupError', `unknown encoding: ${encoding}`)
  const bytes: number[] = []
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0
    if (code >= limit || (code >= 0xd800 && code < 0xe000)) {
      throw new Raise('UnicodeEncodeError', `'${encoding}' codec can't encode character`)
    }
    bytes.push(...(name === 'latin1' || name === 'iso88591' ? [code] : utf8(code)))
  }
  return { kind: 'bytes', bytes }
}

const LIMITS: Readonly<Record<string, number>> = { utf8: 0x110000, ascii: 0x80, latin1: 0x100, iso88591: 0x100 }

function utf8(code: number): readonly number[] {
  if (code < 0x80) return [code]
  if (code < 0x800) return [0xc0 | (code >> 6), rest(code, 0)]
  if (code < 0x10000) return [0xe0 | (code >> 12), rest(code, 6), rest(code, 0)]
  return [0xf0 | (code >> 18), rest(code, 12), rest(code, 6), rest(code, 0)]
}

function rest(code: number, shift: number): number {
  return 0x80 | ((code >> shift) & 0x3f)
}
