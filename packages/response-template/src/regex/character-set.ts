import { isSpace } from '@callspec/python'

/** A set of characters: code points for which `has` answers true. `source` is its spelling in the pattern. */
export interface CharacterSet {
  readonly source: string
  /** Every character is in it. */
  readonly isAll: boolean
  has(code: number): boolean
}

const ASCII = 128
/** Code points beyond ASCII whose answer is remembered; a text in one script needs a few hundred. */
const REMEMBERED = 4096

/**
 * A set from a test that may be slow: answers for ASCII are computed once, others are remembered.
 */
export function characterSet(source: string, test: (code: number) => boolean): CharacterSet {
  const ascii = Uint8Array.from({ length: ASCII }, (_, code) => (test(code) ? 1 : 0))
  const others = new Map<number, boolean>()
  const has = (code: number): boolean => {
    if (code < ASCII) return ascii[code] === 1
    const known = others.get(code)
    if (known !== undefined) return known
    const answer = test(code)
    if (others.size < REMEMBERED) others.set(code, answer)
    return answer
  }
  return { source, isAll: false, has }
}

/** Every character: `.` with DOTALL. */
export const ALL_CHARACTERS: CharacterSet = { source: '.', isAll: true, has: () => true }

/** White space as `\s` of the module `regex` has it: Unicode's White_Space, without U+001C to U+001F. */
export function isRegexSpace(code: number): boolean {
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d)
  return (
    code === 0x85 ||
    code === 0xa0 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  )
}

const WORD = /^[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]$/u
const DIGIT = /^\p{Nd}$/u

/** Whether `\w` has the character. */
export function isWordCharacter(code: number): boolean {
  if (code < ASCII) {
    return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || isAsciiDigit(code) || code === 0x5f
  }
  return WORD_SET.has(code)
}

function isAsciiDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

const WORD_SET = characterSet('\\w', (code) => WORD.test(String.fromCodePoint(code)))
const DIGIT_SET = characterSet('\\d', (code) => DIGIT.test(String.fromCodePoint(code)))
const SPACE_SET = characterSet('\\s', isRegexSpace)
const HORIZONTAL_SET = characterSet('\\h', (code) => isRegexSpace(code) && !isVertical(code))

function isVertical(code: number): boolean {
  return (code >= 0x0a && code <= 0x0d) || code === 0x85 || code === 0x2028 || code === 0x2029
}

const CLASSES: Readonly<Record<string, CharacterSet>> = {
  w: WORD_SET,
  d: DIGIT_SET,
  s: SPACE_SET,
  h: HORIZONTAL_SET,
  W: negated(WORD_SET, '\\W'),
  D: negated(DIGIT_SET, '\\D'),
  S: negated(SPACE_SET, '\\S'),
  H: negated(HORIZONTAL_SET, '\\H'),
}

/** Whose meaning of `\s` and `\w` counts: that of the module `regex`, or of Python's own `re`. */
export type RegexDialect = 'regex' | 're'

const STANDARD_SPACE = characterSet('\\s', (code) => code < 0x10000 && isSpace(code))
const STANDARD_WORD = characterSet('\\w', (code) => /^[\p{L}\p{N}_]$/u.test(String.fromCodePoint(code)))
const STANDARD_CLASSES: Readonly<Record<string, CharacterSet>> = {
  s: STANDARD_SPACE,
  w: STANDARD_WORD,
  S: negated(STANDARD_SPACE, '\\S'),
  W: negated(STANDARD_WORD, '\\W'),
}

/** The set of `\w`, `\D` and the like; undefined for another letter. */
export function classOf(letter: string, dialect: RegexDialect): CharacterSet | undefined {
  if (dialect === 're' && Object.hasOwn(STANDARD_CLASSES, letter)) return STANDARD_CLASSES[letter]
  return Object.hasOwn(CLASSES, letter) ? CLASSES[letter] : undefined
}

/** All characters that are not in the set. */
export function negated(set: CharacterSet, source: string): CharacterSet {
  return characterSet(source, (code) => !set.has(code))
}

const POSIX: Readonly<Record<string, string>> = {
  alnum: '[\\p{Alphabetic}\\p{Nd}]',
  alpha: '\\p{Alphabetic}',
  ascii: '[\\0-\\x7f]',
  blank: '[\\t\\p{Zs}]',
  cntrl: '\\p{Cc}',
  digit: '\\p{Nd}',
  graph: '[^\\p{Z}\\p{Cc}\\p{Cs}\\p{Cn}\\s]',
  lower: '\\p{Lowercase}',
  print: '[^\\p{Zl}\\p{Zp}\\p{Cc}\\p{Cs}\\p{Cn}]',
  punct: '\\p{P}',
  upper: '\\p{Uppercase}',
  xdigit: '[\\p{Hex_Digit}\\p{Nd}]',
}

/** The set of a POSIX class (`alpha`), or undefined. */
export function posixClass(name: string): CharacterSet | undefined {
  if (name === 'space') return SPACE_SET
  if (name === 'word') return WORD_SET
  const source = Object.hasOwn(POSIX, name) ? POSIX[name] : undefined
  return source === undefined ? undefined : propertySet(`[:${name}:]`, source)
}

/**
 * The set of a Unicode property (`L`, `Lu`, `Greek`, `Script=Greek`, `Alphabetic`), or undefined for one that ECMAScript
 * does not know. Case, spaces, `-` and `_` in names do not count in Python; the usual spellings are tried.
 */
export function unicodeProperty(name: string): CharacterSet | undefined {
  const source = `\\p{${name}}`
  const posix = posixClass(name.toLowerCase())
  if (posix !== undefined) return posix
  const [key, value] = name.split(/[=:]/u, 2)
  const spelled = value === undefined ? [key ?? ''] : [value, `${scriptKey(key ?? '')}=${value}`]
  for (const base of spelled) {
    for (const spelling of [base, titled(base), `Script=${titled(base)}`, base.toUpperCase()]) {
      const set = tryProperty(source, spelling)
      if (set !== undefined) return set
    }
  }
  return undefined
}

function scriptKey(key: string): string {
  return (
    { script: 'Script', sc: 'Script', gc: 'General_Category', generalcategory: 'General_Category' }[
      key.toLowerCase()
    ] ?? key
  )
}

function titled(name: string): string {
  return name.replace(/[A-Za-z]+/gu, (word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase())
}

function tryProperty(source: string, spelling: string): CharacterSet | undefined {
  try {
    return propertySet(source, `\\p{${spelling}}`)
  } catch {
    return undefined
  }
}

function propertySet(source: string, ecmaScript: string): CharacterSet {
  const test = new RegExp(`^${ecmaScript}$`, 'u')
  return characterSet(source, (code) => test.test(String.fromCodePoint(code)))
}

/** All code points that are equal to `code` when case does not count, itself included. */
export function caseVariants(code: number): readonly number[] {
  const special = SPECIAL_CASES.get(code)
  if (special !== undefined) return special
  cased ??= casedCharacters()
  return cased.get(caseKey(code)) ?? [code]
}

let cased: ReadonlyMap<number, readonly number[]> | undefined

/** Highest block with cased letters ends below. */
const CASED_BELOW = 0x20000

/** All characters whose case counts, by their key: `ſ`, `s` and `S` have one. Made when a pattern first ignores case. */
function casedCharacters(): ReadonlyMap<number, readonly number[]> {
  const variants = new Map<number, number[]>()
  for (let code = 0; code < CASED_BELOW; code++) {
    const key = caseKey(code)
    if (key === code) continue
    const same = variants.get(key) ?? [key]
    same.push(code)
    variants.set(key, same)
  }
  return variants
}

function caseKey(code: number): number {
  const lower = oneCharacter(String.fromCodePoint(code).toLowerCase()) ?? code
  return oneCharacter(String.fromCodePoint(lower).toUpperCase()) ?? lower
}

function oneCharacter(text: string): number | undefined {
  const code = text.codePointAt(0)
  return code !== undefined && text.length === (code > 0xffff ? 2 : 1) ? code : undefined
}

/** The four letters i of `regex` (measured): dotted and dotless ones are partly equal, and not transitively. */
const SPECIAL_CASES: ReadonlyMap<number, readonly number[]> = new Map([
  [0x49, [0x49, 0x69, 0x131]],
  [0x69, [0x69, 0x49, 0x130]],
  [0x130, [0x130, 0x69]],
  [0x131, [0x131, 0x49]],
])
