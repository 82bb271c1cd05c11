import { dumps } from '@callspec/python'
import type { ValuePlace } from './grammar.ts'
import { afterSpace, beforeSpace } from './edges.ts'
import { jsonOfLiteral } from './literal-json.ts'
import { typesOf } from './schemas.ts'

/** What the rules of a family are, where families differ. */
export interface TypingRules {
  /**
   * Line feeds that belong to the format at each end of a value, not to the value.
   *
   *   > <parameter=k>\nv\n</parameter>
   *                  ^    ^              one of each
   */
  readonly lineFeeds: 0 | 1
  /** Whether history teaches Python's words, so that `True`, `False` and `None` are read in any case. */
  readonly pythonWords: boolean
  /** Whether history prints maps and lists as Python does, so that a literal is read where there is no JSON. */
  readonly pythonLiterals?: true
}

/**
 * The JSON of a value that stands as text, typed by the schema of its parameter. What cannot be read as what the schema
 * asks for stays a text; nothing is evaluated, and no NaN or Infinity is made. Numbers keep their spelling.
 *
 *   > <parameter=days>1.0</parameter>
 *                     ^  ^              an integer was asked for: it is 1.0
 *   > <parameter=days>soon</parameter>
 *                     ^   ^              it is "soon"
 *   > <parameter=zip>007</parameter>
 *                    ^  ^              a string was asked for: it is "007"
 */
export function typeValueBySchema(rules: TypingRules): (text: string, place: ValuePlace) => string {
  return (text, { schema, root }) => {
    const value = rules.lineFeeds === 0 ? text : withoutLineFeeds(text)
    const types = typesOf(schema, root)
    const isText = types.length === 0 || types.some((type) => TEXTS.has(type))
    const named = ORDER.filter((type) => types.includes(type))
    // Where no text is allowed, JSON of another type is still what was meant: null for a number, a list for an object.
    const tried: readonly TypeName[] = isText ? named : [...named, ...ORDER, 'quoted']
    for (const type of tried) {
      const json = READERS[type](value, rules)
      if (json !== null) return json
    }
    return dumps(value)
  }
}

/** The order in which several types are tried. A text is what is left. */
const ORDER = ['null', 'integer', 'number', 'boolean', 'object', 'array'] as const

/** Names under which schemas ask for a text. */
const TEXTS: ReadonlySet<string> = new Set(['string', 'str', 'text'])

/** `quoted`: a text in quotation marks, read as one where no text is allowed. */
type TypeName = (typeof ORDER)[number] | 'quoted'

const READERS: { readonly [Name in TypeName]: (text: string, rules: TypingRules) => string | null } = {
  null: (text, rules) => word(text, rules, NULLS),
  integer: jsonNumber,
  number: jsonNumber,
  boolean: (text, rules) => word(text, rules, BOOLEANS),
  object: (text, rules) => container(text, '{', rules),
  array: (text, rules) => container(text, '[', rules),
  quoted: (text) => jsonFrom(text, '"'),
}

const NULLS: ReadonlyMap<string, string> = new Map([
  ['null', 'null'],
  ['none', 'null'],
])
const BOOLEANS: ReadonlyMap<string, string> = new Map([
  ['true', 'true'],
  ['false', 'false'],
])
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function word(text: string, { pythonWords }: TypingRules, words: ReadonlyMap<string, string>): string | null {
  const bare = trimmed(text)
  if (bare.length > LONGEST_WORD) return null
  return words.get(pythonWords ? bare.toLowerCase() : bare) ?? null
}

const LONGEST_WORD = 5

/**
 * A number as JSON spells it, without white space around it; null for what is none.
 *
 *   > <parameter=n> 1e5 </parameter>
 *                  ^    ^              1e5
 *   > <parameter=n>1_000</parameter>
 *                  ^    ^              null: a number of Python
 */
export function jsonNumber(text: string): string | null {
  const bare = trimmed(text)
  if (!NUMBER.test(bare)) return null
  // Integers have any size; 1e999 is Infinity to every reader, and no JSON has that.
  return !/[.eE]/.test(bare) || Number.isFinite(Number(bare)) ? bare : null
}

function container(text: string, open: '{' | '[', { pythonLiterals }: TypingRules): string | null {
  const json = jsonFrom(text, open)
  return json === null && pythonLiterals === true && trimmed(text).startsWith(open)
    ? jsonOfLiteral(trimmed(text))
    : json
}

/**
 * A text that begins as it should, if it is JSON.
 *
 *   > <parameter=o>{"a": 1}</parameter>
 *                  ^       ^              for an object
 *   > <parameter=o>[1]</parameter>
 *                  ^  ^              null: a list is none
 */
function jsonFrom(text: string, open: '{' | '[' | '"'): string | null {
  const bare = trimmed(text)
  if (!bare.startsWith(open)) return null
  try {
    JSON.parse(bare)
    return bare
  } catch {
    return null
  }
}

function withoutLineFeeds(text: string): string {
  const start = text.startsWith('\n') ? 1 : 0
  const end = text.length > start && text.endsWith('\n') ? text.length - 1 : text.length
  return text.slice(start, end)
}

function trimmed(text: string): string {
  return text.slice(afterSpace(text), beforeSpace(text))
}
