import { InputError } from '@callspec/core'
import { attempt, dumps, isDict, isList, loads } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

/** Changes the arguments of a call, a JSON text. */
export type ArgumentBug = (json: string) => string

/**
 * The mistake of that name.
 *
 * @throws InputError for a name that none has
 */
export function argumentBug(name: string): ArgumentBug {
  const found = BUGS.get(name)
  if (found === undefined) throw new InputError('mutant', `has an unknown mistake "${name}" about arguments.`)
  return found
}

const MOST = 2n ** 63n - 1n

const BUGS: ReadonlyMap<string, ArgumentBug> = new Map<string, ArgumentBug>([
  ['floats-become-integers', (json) => changed(json, wholeFloat)],
  ['integers-clamped', (json) => changed(json, (value) => (typeof value === 'bigint' ? clamped(value) : value))],
  ['integers-rounded', (json) => changed(json, (value) => (typeof value === 'bigint' ? rounded(value) : value))],
  ['numbers-become-texts', (json) => changed(json, (value) => (typeof value === 'bigint' ? String(value) : value))],
  ['texts-become-numbers', (json) => changed(json, (value) => (typeof value === 'string' ? asNumber(value) : value))],
  ['texts-trimmed', (json) => changed(json, (value) => (typeof value === 'string' ? value.trim() : value))],
  ['quotes-stripped', (json) => changed(json, (value) => (typeof value === 'string' ? unquoted(value) : value))],
  ['escapes-read-twice', (json) => changed(json, (value) => (typeof value === 'string' ? unescaped(value) : value))],
  ['halves-replaced', (json) => changed(json, (value) => (typeof value === 'string' ? halved(value) : value))],
  ['inner-values-become-texts', (json) => members(json, (value) => (isInner(value) ? dumps(value) : value))],
  ['nulls-lost', (json) => members(json, (value) => (value === null ? undefined : value))],
  ['empty-texts-lost', (json) => members(json, (value) => (value === '' ? undefined : value))],
  ['false-lost', (json) => members(json, (value) => (value === false || value === 0n ? undefined : value))],
  ['keys-with-blanks-lost', (json) => members(json, (value, key) => (/\s/.test(key) ? undefined : value))],
  ['own-members-only', (json) => members(json, (value, key) => (key === '__proto__' ? undefined : value))],
  ['last-member-lost', lastLost],
  ['encoded-twice', (json) => (holdsInner(json) ? dumps(json) : json)],
  ['all-texts', (json) => members(json, (value) => (typeof value === 'string' ? value : dumps(value)))],
])

function wholeFloat(value: PyValue): PyValue {
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value
}

function clamped(value: bigint): bigint {
  return value > MOST ? MOST : value < -MOST - 1n ? -MOST - 1n : value
}

function rounded(value: bigint): bigint {
  const near = Number(value)
  return Number.isFinite(near) ? BigInt(near) : value
}

function asNumber(text: string): PyValue {
  return /^-?\d{1,15}$/.test(text) ? BigInt(text) : text
}

function unquoted(text: string): string {
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', '"': '"', '\\': '\\' }

function unescaped(text: string): string {
  return text.replace(/\\([nt"\\])/g, (_, unit: string) => ESCAPES[unit] ?? unit)
}

/** Each half of a pair by itself. */
function halved(text: string): string {
  return text.replace(/[\ud800-\udfff]/g, '\ufffd')
}

function isInner(value: PyValue): boolean {
  return isDict(value) || isList(value)
}

function holdsInner(json: string): boolean {
  const read = attempt(() => loads(json))
  return read.kind === 'returned' && isDict(read.value) && [...read.value.values()].some(isInner)
}

/** The text with every value in it changed; as it stands where it is no JSON, or nothing changes. */
function changed(json: string, change: (value: PyValue) => PyValue): string {
  return printed(json, (value) => deep(value, change))
}

function deep(value: PyValue, change: (value: PyValue) => PyValue): PyValue {
  if (isList(value)) return value.map((each) => deep(each, change))
  if (isDict(value)) return new Map([...value].map(([key, each]) => [key, deep(each, change)]))
  return change(value)
}

/** The outer members changed; those that become undefined are left out. */
function members(json: string, change: (value: PyValue, key: string) => PyValue | undefined): string {
  return printed(json, (value) => {
    if (!isDict(value)) return value
    return new Map(
      [...value].flatMap(([key, each]) => {
        const after = change(each, key)
        return after === undefined ? [] : [[key, after] as const]
      }),
    )
  })
}

function lastLost(json: string): string {
  return printed(json, (value) => (isDict(value) && value.size > 1 ? new Map([...value].slice(0, -1)) : value))
}

function printed(json: string, change: (value: PyValue) => PyValue): string {
  const read = attempt(() => loads(json))
  if (read.kind !== 'returned') return json
  const before: PyValue | PyDict = read.value
  const after = change(before)
  const text = dumps(after)
  return text === dumps(before) ? json : text
}
