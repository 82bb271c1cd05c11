import { shortened } from '../text/excerpt.ts'
import { isRecord } from '../text/json.ts'
import type { Shape } from './shape.ts'

/** Keys and indices from the root to a value. */
export type ShapePath = readonly (string | number)[]

/** Why a value does not have its shape. */
export interface ShapeFault {
  readonly path: ShapePath
  /** What is wrong, without the place: `must be a list`. */
  readonly message: string
  /** For an unknown name: the name, and those that are known there. */
  readonly unknown?: { readonly name: string; readonly known: readonly string[] }
}

/** Deeper than anything people write; also what ends a walk through an object that holds itself. */
const MAX_DEPTH = 100

/**
 * The first fault of a value, or null when it has the shape. `$schema` is allowed in the outermost object. Never throws,
 * unless a getter of the value does.
 */
export function checkShape(shape: Shape, value: unknown, path: ShapePath = []): ShapeFault | null {
  if (path.length > MAX_DEPTH) return { path, message: 'is nested too deeply' }
  switch (shape.kind) {
    case 'text':
    case 'number':
    case 'flag':
    case 'null':
    case 'function': {
      const message = leafFault(shape, value)
      return message === null ? null : { path, message }
    }
    case 'json':
      return jsonFault(value, path)
    case 'list':
      return listFault(shape, value, path)
    case 'record':
      return isRecord(value)
        ? firstFault(Object.keys(value), (key) => at(shape.of, value, [...path, key]))
        : wrong(shape, path)
    case 'object':
      return objectFault(shape, value, path)
    case 'either': {
      const fitting = shape.of.find((each) => hasKind(each, value))
      return fitting === undefined ? wrong(shape, path) : checkShape(fitting, value, path)
    }
  }
}

type Of<Kind extends Shape['kind']> = Extract<Shape, { readonly kind: Kind }>

function at(shape: Shape, parent: Readonly<Record<string, unknown>>, path: ShapePath): ShapeFault | null {
  return checkShape(shape, parent[String(path.at(-1))], path)
}

function leafFault(shape: Of<'text' | 'number' | 'flag' | 'null' | 'function'>, value: unknown): string | null {
  if (!hasKind(shape, value)) return `must be ${nameOf(shape)}`
  if (shape.kind === 'text' && !isChoice(shape, value as string))
    return `is ${quote(value as string)}. Known: ${(shape.choices ?? []).join(', ')}`
  if (shape.kind !== 'number') return null
  const number = value as number
  const isInside = number >= (shape.min ?? -Infinity) && number <= (shape.max ?? Infinity)
  const isWhole = shape.whole !== true || Number.isInteger(number)
  return Number.isFinite(number) && isInside && isWhole ? null : `must be ${nameOf(shape)}, not ${number}`
}

function isChoice({ choices, orMatching }: Of<'text'>, text: string): boolean {
  if (choices === undefined || choices.includes(text)) return true
  return orMatching !== undefined && new RegExp(orMatching).test(text)
}

function listFault(shape: Of<'list'>, value: unknown, path: ShapePath): ShapeFault | null {
  if (!Array.isArray(value)) return wrong(shape, path)
  if (value.length < (shape.min ?? 0)) return { path, message: 'is empty' }
  return firstFault([...value.keys()], (index) => checkShape(shape.of, value[index], [...path, index]))
}

function objectFault({ members, kind }: Of<'object'>, value: unknown, path: ShapePath): ShapeFault | null {
  if (!isRecord(value)) return wrong({ kind, members }, path)
  const known = Object.keys(members)
  for (const key of Object.keys(value)) {
    const member = Object.hasOwn(members, key) ? members[key] : undefined
    if (member === undefined) {
      if (key === '$schema' && path.length === 0) continue
      return { path: [...path, key], message: `unknown key ${quote(key)}`, unknown: { name: key, known } }
    }
    // A module may spell "not given" as undefined.
    if (value[key] === undefined) continue
    const fault = at(member.shape, value, [...path, key])
    if (fault !== null) return fault
  }
  const missing = known.find((key) => members[key]?.required === true && value[key] === undefined)
  return missing === undefined ? null : { path, message: `has no ${quote(missing)}` }
}

function jsonFault(value: unknown, path: ShapePath): ShapeFault | null {
  if (path.length > MAX_DEPTH) return { path, message: 'is nested too deeply' }
  if (Array.isArray(value)) return firstFault([...value.keys()], (index) => jsonFault(value[index], [...path, index]))
  if (isRecord(value)) return firstFault(Object.keys(value), (key) => jsonFault(value[key], [...path, key]))
  const isLeaf = value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value)
  return isLeaf ? null : { path, message: `must be a value that JSON can hold, not ${typeof value}` }
}

function firstFault<Key>(keys: readonly Key[], check: (key: Key) => ShapeFault | null): ShapeFault | null {
  for (const key of keys) {
    const fault = check(key)
    if (fault !== null) return fault
  }
  return null
}

function wrong(shape: Shape, path: ShapePath): ShapeFault {
  return { path, message: `must be ${nameOf(shape)}` }
}

function hasKind(shape: Shape, value: unknown): boolean {
  switch (shape.kind) {
    case 'text':
      return typeof value === 'string'
    case 'number':
      return typeof value === 'number'
    case 'flag':
      return typeof value === 'boolean'
    case 'null':
      return value === null
    case 'function':
      return typeof value === 'function'
    case 'json':
      return true
    case 'list':
      return Array.isArray(value)
    case 'record':
    case 'object':
      return isRecord(value)
    case 'either':
      return shape.of.some((each) => hasKind(each, value))
  }
}

/** `a list`, `a whole number of at least 1`: what the value must be. */
function nameOf(shape: Shape): string {
  switch (shape.kind) {
    case 'text':
      return shape.choices === undefined ? 'a text' : `one of ${shape.choices.join(', ')}`
    case 'number':
      return `${shape.whole === true ? 'a whole number' : 'a number'}${rangeOf(shape)}`
    case 'flag':
      return 'true or false'
    case 'null':
      return 'null'
    case 'function':
      return 'a function'
    case 'json':
      return 'a value'
    case 'list':
      return 'a list'
    case 'record':
    case 'object':
      return 'an object'
    case 'either':
      return shape.of.map(nameOf).join(' or ')
  }
}

function rangeOf({ min, max }: Of<'number'>): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`
  if (min !== undefined) return ` of at least ${min}`
  return max === undefined ? '' : ` of at most ${max}`
}

/** Texts of users may be long; a message quotes their beginning. */
function quote(text: string): string {
  return JSON.stringify(shortened(text))
}
