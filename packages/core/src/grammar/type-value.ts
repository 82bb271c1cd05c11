import { dumps } from '../python/dumps.ts'
import type { ValuePlace } from './grammar.ts'
import { afterSpace, beforeSpace } from './edges.ts'
import { typesOf } from './schemas.ts'

/** What the rules of a family are, where families differ. */
export interface TypingRules {
  /** Line feeds that belong to the format at each end of a value, not to the value. */
  readonly lineFeeds: 0 | 1
  /** Whether history teaches Python's words, so that `True`, `False` and `None` are read in any case. */
  readonly pythonWords: boolean
}

/**
 * The JSON of a value that stands as text, typed by the schema of its parameter. What cannot be read as what the schema
 * asks for stays a text; nothing is evaluated, and no NaN or Infinity is made. Numbers keep their spelling.
 */
export function typeValueBySchema(rules: TypingRules): (text: string, place: ValuePlace) => string {
  return (text, { schema, root }) => {
    const value = rules.lineFeeds === 0 ? text : withoutLineFeeds(text)
    const types = typesOf(schema, root)
    for (const type of ORDER) {
      if (!types.includes(type)) continue
      const json = READERS[type](value, rules)
      if (json !== null) return json
    }
    return dumps(value)
  }
}

/** The order in which several types are tried. A text is what is left. */
const ORDER = ['null', 'integer', 'number', 'boolean', 'object', 'array'] as const

type TypeName = (typeof ORDER)[number]

const READERS: { readonly [Name in TypeName]: (text: string, rules: TypingRules) => string | null } = {
  null: (text, rules) => word(text, rules, NULLS),
  integer: (text) => number(text),
  number: (text) => number(text),
  boolean: (text, rules) => word(text, rules, BOOLEANS),
  object: (text) => container(text, '{'),
  array: (text) => container(text, '['),
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

function number(text: string): string | null {
  const bare = trimmed(text)
  if (!NUMBER.test(bare)) return null
  // Integers have any size; 1e999 is Infinity to every reader, and no JSON has that.
  return !/[.eE]/.test(bare) || Number.isFinite(Number(bare)) ? bare : null
}

function container(text: string, open: '{' | '['): string | null {
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
