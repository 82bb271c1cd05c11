import type { Format } from '@callspec/core'
import {
  type Expression,
  GrammarError,
  characters,
  choice,
  literal,
  otherCharacters,
  repeat,
  rule,
  sequence,
} from '../expression.ts'
import { readSchema } from '../json-schema.ts'
import { NUMBER } from '../schema-numbers.ts'
import { membersOf } from '../schema-object.ts'
import { OTHER_NAME, otherName } from '../schema-elements.ts'
import { arrayParts, objectParts } from '../schema-values.ts'
import { callText } from './call-spelling.ts'
import { type ElementSpelling, closeOf } from './element-spelling.ts'
import { type NestedValues, nestedValues } from './nested-values.ts'
import { schemaForms } from './portable-schema.ts'
import type { ReplySpelling } from './reply-spelling.ts'
import { jsonOf, readProbe, sortsArguments } from './writer-probe.ts'

/** How values inside lists and objects are written, as the writer shows. */
export type ValueSpelling = {
  /** Whether they are JSON, as Python's `json.dumps` spells it. */
  readonly isJson: boolean
  readonly string: { readonly open: string; readonly close: string; readonly escapes: 'json' | 'python' | 'none' }
  readonly list: { readonly open: string; readonly comma: string; readonly close: string }
  readonly object: {
    readonly open: string
    readonly keyOpen: string
    readonly colon: string
    readonly comma: string
    readonly close: string
  }
  /** How lists and objects are written as elements; null where they are one text. */
  readonly nested: NestedValues | null
  /** Whether the reader refuses an object in which a key appears twice. */
  readonly refusesRepeats: boolean
  /** Whether the template sorts arguments and members by name. */
  readonly isSorted: boolean
  /** A constant inside a list or an object. */
  readonly spell: (value: unknown) => string
}

const NAME = 'zqone'
const KEY = 'zqkey'
const TRICKY = 'zq\'"\\\nzq'

/** Learns how a format writes lists, objects and what is in them. */
export function valueSpelling(format: Format, reply: ReplySpelling, elements: ElementSpelling): ValueSpelling {
  const { lead, open, middle, end } = elements
  const written = (value: readonly unknown[] | Readonly<Record<string, unknown>>): string => {
    const type = Array.isArray(value) ? 'array' : 'object'
    const text = callText(format, reply, { name: NAME, given: { [KEY]: value } })
    return text.slice((lead + open + KEY + middle[type]).length, text.length - (closeOf(elements, KEY) + end).length)
  }
  const nested = nestedValues(format, reply, elements)
  if (nested)
    return {
      ...{ nested, isJson: false, refusesRepeats: false, isSorted: sortsArguments(format) },
      string: { open: '', close: '', escapes: 'none' },
      list: { open: '', comma: '', close: '' },
      object: { open: '', keyOpen: elements.open, colon: middle.object, comma: '', close: '' },
      spell: (value) => {
        const text = written([value])
        return text.slice(nested.open(nested.item).length, text.length - nested.close(nested.item).length)
      },
    }
  const sample = { zqa: ['zqb', 'zq"c', true, null, 1.5], zqd: 2 }
  const list = written([8675309, 8675309])
  const [listOpen = '', listComma = '', listClose = ''] = list.split('8675309')
  const object = written({ zqa: 8675309, zqb: 8675309 })
  const [first = '', second = '', objectClose = ''] = object.split('8675309')
  const [objectOpen = ''] = written({}).split('}')
  const keyOpen = first.slice(objectOpen.length, first.indexOf('zqa'))
  const spell = (value: unknown): string => {
    const text = written([value])
    return text.slice(listOpen.length, text.length - listClose.length)
  }
  const plain = spell('zqvalue')
  const [stringOpen = '', stringClose = ''] = plain.split('zqvalue')
  const repeated = callText(format, reply, { name: NAME, given: { [KEY]: { zqa: 8675309, zqb: 8675309 } } })
  const refused = reply.lead + reply.section.open + repeated.replace('zqb', 'zqa') + reply.section.close
  return {
    refusesRepeats: readProbe(format, refused, [{ name: NAME, parameters: { type: 'object' } }]) === null,
    isSorted: sortsArguments(format),
    isJson: written(sample) === jsonOf(sample),
    nested: null,
    string: { open: stringOpen, close: stringClose, escapes: escapesOf(spell(TRICKY), stringOpen) },
    list: { open: listOpen, comma: listComma, close: listClose },
    object: {
      open: objectOpen,
      keyOpen,
      colon: first.slice(first.indexOf('zqa') + 3),
      comma: second.slice(0, second.indexOf(keyOpen + 'zqb')),
      close: objectClose,
    },
    spell,
  }
}

function escapesOf(written: string, open: string): ValueSpelling['string']['escapes'] {
  if (written.includes(TRICKY)) return 'none'
  return written === jsonOf(TRICKY) && open === '"' ? 'json' : 'python'
}

/** Where rules of values go. */
export type ValueRules = {
  readonly rules: Map<string, Expression>
  readonly root: unknown
  readonly found: Map<string, Expression>
  /** Whether an object may have members that its schema does not name. */
  hasOpenObjects: boolean
}

export function startValueRules(root: unknown): ValueRules {
  return { rules: new Map(), root, found: new Map(), hasOpenObjects: false }
}

const HEX = characters([0x30, 0x39], [0x41, 0x46], [0x61, 0x66])
// No halves of surrogate pairs: only JSON joins two of them.
const CODE_UNIT = choice(
  sequence(characters([0x30, 0x39], [0x41, 0x43], [0x61, 0x63], 'EFef'), repeat(HEX, 3, 3)),
  sequence(characters('Dd'), characters([0x30, 0x37]), repeat(HEX, 2, 2)),
)

/** Any string, as values write it. */
export function anyString({ string: { open, close, escapes }, nested }: ValueSpelling): Expression {
  if (escapes === 'none')
    return sequence(
      literal(open),
      { kind: 'free', excludes: [nested?.mark ?? close], dispatch: [], loop: false, max: null },
      literal(close),
    )
  const escape = (letters: string): Expression =>
    sequence(literal('\\'), choice(characters(letters), sequence(literal('u'), CODE_UNIT)))
  const inQuotes = (quote: string, letters: string): Expression =>
    sequence(
      literal(quote),
      repeat(choice(otherCharacters([0, 0x1f], `${quote}\\`), escape(letters)), 0, null),
      literal(quote),
    )
  if (escapes === 'json') return inQuotes('"', '"\\nrtbf')
  return choice(inQuotes("'", '\'"\\nrt'), inQuotes('"', '\'"\\nrt'))
}

/** What a schema allows, written as values in lists and objects are. */
export function valueExpression(spelling: ValueSpelling, schema: unknown, context: ValueRules): Expression {
  const key = JSON.stringify(schema) ?? ''
  const known = context.found.get(key)
  if (known) return known
  const name = `value-${context.found.size}`
  context.found.set(key, rule(name))
  const body = choice(
    ...schemaForms(schema, context.root).map((form) => {
      if (form.kind === 'constant') return literal(spelling.spell(form.value))
      return typedValue(spelling, form.schema, { type: form.type, context })
    }),
  )
  context.rules.set(name, body)
  return rule(name)
}

function typedValue(
  spelling: ValueSpelling,
  schema: Readonly<Record<string, unknown>>,
  { type, context }: { readonly type: string; readonly context: ValueRules },
): Expression {
  switch (type) {
    case 'string':
      return anyString(spelling)
    case 'integer':
      return readSchema({ ...schema, type }, { style: 'json', anyOrder: false, maxWhitespace: null }, context.rules)
    case 'number':
      return 'minimum' in schema || 'maximum' in schema
        ? readSchema({ ...schema, type }, { style: 'json', anyOrder: false, maxWhitespace: null }, context.rules)
        : NUMBER
    case 'boolean':
      return choice(literal(spelling.spell(true)), literal(spelling.spell(false)))
    case 'null':
      return literal(spelling.spell(null))
    case 'array':
      return listOf(spelling, schema, context)
    case 'object':
      return objectOf(spelling, schema, context)
    default:
      throw new GrammarError(`A schema has the unknown type ${JSON.stringify(type)}.`)
  }
}

function listOf(spelling: ValueSpelling, schema: Readonly<Record<string, unknown>>, context: ValueRules): Expression {
  const { nested } = spelling
  const { open, comma, close } = spelling.list
  const { prefix, item, min, max } = arrayParts({ items: true, ...schema })
  const value = (one: unknown): Expression => {
    const inner = valueExpression(spelling, one, context)
    return nested ? sequence(literal(nested.open(nested.item)), inner, literal(nested.close(nested.item))) : inner
  }
  const declared = prefix.map((one) => ({ entry: value(one), isRequired: true }))
  const additional = item === null ? null : value(item)
  const members = { declared, additional, separator: literal(comma), min, max, anyOrder: false }
  const { some, mayBeEmpty } = membersOf(members, ruleAdder(context))
  if (nested) return filledOrEmpty(nested.empty.array, { some, mayBeEmpty })
  return enclosedIn(open, close, { some, mayBeEmpty })
}

function objectOf(spelling: ValueSpelling, schema: Readonly<Record<string, unknown>>, context: ValueRules): Expression {
  const { nested } = spelling
  const { open, keyOpen, colon, comma, close } = spelling.object
  const parts = objectParts(schema)
  const value = (one: unknown): Expression => valueExpression(spelling, one, context)
  const names = parts === 'any' ? [] : parts.declared.map(({ name }) => name)
  const other = names.length === 0 ? OTHER_NAME : otherName(names)
  // No grammar can repeat a name that it does not know.
  const additional = nested ? null : parts === 'any' ? true : parts.additional
  if (additional !== null) context.hasOpenObjects = true
  const declared = (parts === 'any' ? [] : parts.declared).map((one) => ({
    name: one.name,
    entry: nested
      ? sequence(literal(nested.open(one.name)), value(one.schema), literal(nested.close(one.name)))
      : sequence(literal(spelledKey(spelling, one.name)), value(one.schema)),
    isRequired: one.isRequired,
  }))
  const members = {
    additional: additional === null ? null : sequence(literal(keyOpen), other, literal(colon), value(additional)),
    separator: literal(comma),
    min: parts === 'any' ? 0 : parts.min,
    max: parts === 'any' ? null : parts.max,
    anyOrder: false,
  }
  return choice(
    ...inOrders(spelling, declared).map((one) => {
      const written = membersOf({ ...members, declared: one }, ruleAdder(context))
      return nested ? filledOrEmpty(nested.empty.object, written) : enclosedIn(open, close, written)
    }),
  )
}

function filledOrEmpty(
  empty: readonly string[],
  { some, mayBeEmpty }: { readonly some: Expression | null; readonly mayBeEmpty: boolean },
): Expression {
  return choice(...(some === null ? [] : [some]), ...(mayBeEmpty ? empty.map(literal) : []))
}

/** Members in the order of the schema, and sorted by name where the template sorts them. */
export function inOrders<Member extends { readonly name: string }>(
  { isSorted }: ValueSpelling,
  declared: readonly Member[],
): readonly (readonly Member[])[] {
  const key = ({ name }: Member): string => name.toLowerCase()
  const sorted = declared.toSorted((one, other) => (key(one) < key(other) ? -1 : key(one) > key(other) ? 1 : 0))
  const isSame = sorted.every((one, index) => one === declared[index])
  return isSorted && !isSame ? [declared, sorted] : [declared]
}

// The key with what encloses it, taken from an object that the writer writes.
function spelledKey({ spell, object: { open } }: ValueSpelling, name: string): string {
  const text = spell({ [name]: 8675309 })
  return text.slice(open.length, text.lastIndexOf('8675309'))
}

function enclosedIn(
  open: string,
  close: string,
  { some, mayBeEmpty }: { readonly some: Expression | null; readonly mayBeEmpty: boolean },
): Expression {
  const inner = some === null ? literal('') : mayBeEmpty ? repeat(some, 0, 1) : some
  return sequence(literal(open), inner, literal(close))
}

/** Adds rules of members to those of values. */
export function ruleAdder({ rules }: ValueRules): Parameters<typeof membersOf>[1] {
  return (hint) => {
    const name = `${hint}-${rules.size}`
    rules.set(name, literal(''))
    return { reference: rule(name), set: (body) => void rules.set(name, body) }
  }
}
