import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { characterNames } from '../src/index.ts'

const PYTHON = process.env['CALLSPEC_PYTHON'] ?? 'python3'
const HAS_UNICODE_14 = ((): boolean => {
  try {
    const version = 'import unicodedata; print(unicodedata.unidata_version)'
    return execFileSync(PYTHON, ['-c', version], { encoding: 'utf8', stdio: 'pipe' }).trim() === '14.0.0'
  } catch {
    return false
  }
})()

it('knows names, aliases, ideographs and syllables', () => {
  const find = characterNames()

  expect(['EM DASH', 'NUL', 'CJK UNIFIED IDEOGRAPH-3134A', 'HANGUL SYLLABLE HIH'].map((name) => find?.(name))).toEqual([
    '\u2014',
    '\0',
    '\u{3134a}',
    '\ud7a3',
  ])
  expect(['KEYCAP DIGIT ONE', 'em  dash', '', 'A'.repeat(100_000)].map((name) => find?.(name))).toEqual([
    null,
    null,
    null,
    null,
  ])
})

// Python 3.11 has Unicode 14; without it this is skipped.
/** Each name that Python knows as a name of one character, the aliases after them, as `CODE;NAME`. */
const EVERY_NAME = `
import unicodedata
for code in range(0x110000):
    name = unicodedata.name(chr(code), '')
    if name:
        print(f'{code:x};{name}')
`

it.skipIf(!HAS_UNICODE_14)('every name that Python 3.11 knows is the name of the same character', () => {
  const find = characterNames()
  const lines = execFileSync(PYTHON, ['-c', EVERY_NAME], { encoding: 'utf8', maxBuffer: 1 << 24 })
    .trimEnd()
    .split('\n')

  const wrong = lines.filter((line) => {
    const [code = '', name = ''] = line.split(';')
    return find?.(name) !== String.fromCodePoint(Number.parseInt(code, 16))
  })

  expect(lines.length).toBe(138_552)
  expect(wrong).toEqual([])
})
