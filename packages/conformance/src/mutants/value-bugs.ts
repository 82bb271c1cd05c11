import { InputError } from '@callspec/core'
import type { Grammar, ReadName, ValuePlace } from '@callspec/core/grammar'
import { dumps, isDict } from '@callspec/python'

type TypeValue = NonNullable<Grammar['typeValue']>

/** Types a value that stands as text; `right` is how it is done without the mistake. */
type ValueBug = (text: string, place: ValuePlace, right: TypeValue) => string | null

/**
 * The typing of values with the mistake of that name.
 *
 * @throws InputError for a name that none has
 */
export function valueBug(name: string, right: TypeValue): TypeValue {
  const found = VALUE_BUGS.get(name)
  if (found === undefined) throw new InputError('mutant', `has an unknown mistake "${name}" about values.`)
  return (text, place) => found(text, place, right)
}

const VALUE_BUGS: ReadonlyMap<string, ValueBug> = new Map<string, ValueBug>([
  ['trimmed', (text, place, right) => right(text.trim(), place)],
  ['end-stripped', (text, place, right) => right(text.trimEnd(), place)],
  ['schema-ignored', (text, place, right) => (isJson(text) ? text.trim() : right(text, place))],
  ['line-feeds-kept', (text, place, right) => (isLines(right(text, place)) ? dumps(text) : right(text, place))],
  ['underscores-read', (text, place, right) => right(isCount(place, text) ? text.replaceAll('_', '') : text, place)],
  ['inner-becomes-text', (text, place, right) => asText(right(text, place), /^[[{]/)],
  ['null-becomes-text', (text, place, right) => asText(right(text, place), /^null$/)],
  ['booleans-become-texts', (text, place, right) => asText(right(text, place), /^(?:true|false)$/)],
  ['numbers-become-texts', (text, place, right) => asText(right(text, place), /^-?\d/)],
  ['floats-cut', (text, place, right) => right(text, place)?.replace(/^(-?\d+)\.0+$/, '$1') ?? null],
  ['entities-read', (text, place, right) => right(text.replace(/&(lt|gt|amp);/g, entity), place)],
  ['cut-at-angle', (text, place, right) => right(text.split('<', 1).join(''), place)],
  ['cut-at-line-end', (text, place, right) => right(firstLine(text), place)],
  [
    'digits-become-numbers',
    (text, place, right) => (/^\s*\d+\s*$/.test(text) ? String(BigInt(text)) : right(text, place)),
  ],
  ['quotes-stripped', (text, place, right) => right(text.replace(/^(\s*)"([^]*)"(\s*)$/, '$1$2$3'), place)],
])

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Whether it is a text of several lines. */
function isLines(json: string | null): boolean {
  return json?.startsWith('"') === true && json.includes('\\n')
}

/** What has the pattern becomes a text. */
function asText(json: string | null, pattern: RegExp): string | null {
  return json !== null && pattern.test(json) ? dumps(json) : json
}

function isCount({ schema }: ValuePlace, text: string): boolean {
  const type = isDict(schema) ? schema.get('type') : null
  return (type === 'integer' || type === 'number') && /^\s*\d[\d_]*\d\s*$/.test(text)
}

function entity(_: string, name: string): string {
  return { lt: '<', gt: '>', amp: '&' }[name] ?? ''
}

/** Without the empty line that some formats put before a value. */
function firstLine(text: string): string {
  const start = text.startsWith('\n') ? 1 : 0
  const end = text.indexOf('\n', start)
  return end === -1 ? text : text.slice(0, end)
}

type ReadNames = NonNullable<Grammar['readName']>

/**
 * The reading of names with the mistake of that name.
 *
 * @throws InputError for a name that none has
 */
export function nameBug(name: string, right: ReadNames): ReadNames {
  const found = NAME_BUGS.get(name)
  if (found === undefined) throw new InputError('mutant', `has an unknown mistake "${name}" about names.`)
  return (text) => found(text, right(text))
}

const NAME_BUGS: ReadonlyMap<string, (text: string, right: ReadName | null) => ReadName | null> = new Map([
  [
    'as-written',
    (text, right) => (right === null || /^\w+$/.test(right.name) ? right : { ...right, name: text.trim() }),
  ],
  ['last-part', (_, right) => right && { ...right, name: right.name.split('.').at(-1) ?? '' }],
  ['first-part', (_, right) => right && { ...right, name: right.name.split('.', 1).join('') }],
  ['words-only', (_, right) => (right !== null && /^\w+$/.test(right.name) ? right : null)],
])
