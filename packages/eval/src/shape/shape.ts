import type { BaseIssue, GenericSchema, IssuePathItem } from 'valibot'
import {
  array,
  boolean,
  check,
  custom,
  looseObject,
  minLength,
  null_,
  optional,
  pipe,
  rawCheck,
  record as recordOf,
  safeParse,
  string,
  union,
} from 'valibot'
import { shortened } from '../text/excerpt.ts'
import { isRecord } from '../text/json.ts'

type JsonSchema = Readonly<Record<string, unknown>>

/**
 * The shape of a value that a user wrote: valibot checks it, and editors read the JSON Schema (draft 2020-12). Both are made
 * from one description.
 */
export interface Shape {
  readonly schema: GenericSchema
  /** Null if only a module can contain the value. */
  readonly json: JsonSchema | null
  /** What the value must be: `a list`, `a whole number of at least 1`. */
  readonly name: string
}

export interface Member {
  readonly shape: Shape
  /** One sentence for people and for editors. */
  readonly about?: string | undefined
  readonly isRequired: boolean
}

/** Keys and indices from the root to a value. */
export type ShapePath = readonly (string | number)[]

/** Why a value does not have its shape. */
export interface ShapeFault {
  readonly path: ShapePath
  /** What is wrong, without the place: `must be a list`. */
  readonly message: string
  /** For an unknown name: the name, and the known names. */
  readonly unknown?: { readonly name: string; readonly known: readonly string[] }
}

/** A value that JSON can hold may not be nested deeper. Ends the walk through an object that contains itself. */
const MAX_DEPTH = 100
/** valibot does not check members with these names. */
const RESERVED = ['__proto__', 'constructor', 'prototype']
/** The label of the issue for an unknown key; its `expected` lists the known ones. */
const UNKNOWN = 'unknown key'
const CHOICE_SEPARATOR = ' | '

/**
 * The first fault of a value, or null if it has the shape. Unknown keys of an object come before its other faults. `$schema` is allowed in the
 * outermost object. Never throws, unless a getter of the value does.
 */
export function checkShape({ schema }: Shape, value: unknown, path: ShapePath = []): ShapeFault | null {
  const { issues } = safeParse(schema, isRecord(value) ? without$schema(value) : value)
  return issues === undefined ? null : shapeFaultOf(issues[0], path)
}

function without$schema(value: Readonly<Record<string, unknown>>): unknown {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== '$schema'))
}

function isUnknownKey({ type, expected }: BaseIssue<unknown>): boolean {
  return type === 'raw_check' && expected !== null
}

/** Of a value with several shapes, the fault of the one that has the type of the value. */
function shapeFaultOf(issue: BaseIssue<unknown>, before: ShapePath): ShapeFault {
  const path = [...before, ...(issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)))]
  const inside = issue.issues?.find((each) => each.path !== undefined)
  if (inside !== undefined) return shapeFaultOf(inside, path)
  const { message, received, expected } = issue
  if (isUnknownKey(issue))
    return { path, message, unknown: { name: received, known: expected?.split(CHOICE_SEPARATOR) ?? [] } }
  const isMissing = issue.path?.at(-1)?.origin === 'key'
  return { path: isMissing ? path.slice(0, -1) : path, message }
}

export const TEXT: Shape = { name: 'a text', json: { type: 'string' }, schema: string('must be a text') }
/** true or false. */
export const FLAG: Shape = {
  name: 'true or false',
  json: { type: 'boolean' },
  schema: boolean('must be true or false'),
}
/** Exactly null. */
export const NULL: Shape = { name: 'null', json: { type: 'null' }, schema: null_('must be null') }
/** A function; only modules can contain one. */
export const FUNCTION: Shape = {
  name: 'a function',
  json: null,
  schema: custom((value) => typeof value === 'function', 'must be a function'),
}
export const JSON_VALUE: Shape = { name: 'a value', json: {}, schema: jsonSchema(() => true, '') }
export const JSON_OBJECT: Shape = {
  name: 'an object',
  json: { type: 'object', additionalProperties: {} },
  schema: jsonSchema(isRecord, 'must be an object'),
}

/** One of these texts; with `orMatching`, a regular expression, also a text of that form. */
export function oneOf(choices: readonly string[], orMatching?: string): Shape {
  const name = `one of ${choices.join(', ')}`
  const isChoice = (text: string): boolean =>
    choices.includes(text) || (orMatching !== undefined && new RegExp(orMatching).test(text))
  const pattern = { anyOf: [{ enum: choices }, { type: 'string', pattern: orMatching }] }
  return {
    name,
    json: orMatching === undefined ? { enum: choices } : pattern,
    schema: pipe(
      string(`must be ${name}`),
      check(isChoice, ({ input }) => `is ${quote(input)}. Known: ${choices.join(', ')}`),
    ),
  }
}

export interface NumberRange {
  readonly min?: number | undefined
  readonly max?: number | undefined
  readonly whole?: boolean
}

export function number({ min = -Infinity, max = Infinity, whole: isWhole = false }: NumberRange = {}): Shape {
  const name = `${isWhole ? 'a whole number' : 'a number'}${numberRangeText(min, max)}`
  const fits = (value: number): boolean =>
    Number.isFinite(value) && value >= min && value <= max && (!isWhole || Number.isInteger(value))
  return {
    name,
    json: {
      type: isWhole ? 'integer' : 'number',
      ...(min === -Infinity ? {} : { minimum: min }),
      ...(max === Infinity ? {} : { maximum: max }),
    },
    schema: pipe(
      custom<number>((value) => typeof value === 'number', `must be ${name}`),
      check(fits, ({ input }) => `must be ${name}, not ${input}`),
    ),
  }
}

/** A whole number, by default of at least 0. */
export function whole(min = 0, max?: number): Shape {
  return number({ min, max, whole: true })
}

function numberRangeText(min: number, max: number): string {
  if (min > -Infinity && max < Infinity) return ` from ${min} to ${max}`
  if (min > -Infinity) return ` of at least ${min}`
  return max < Infinity ? ` of at most ${max}` : ''
}

/** A list with at least `min` items. */
export function list(of: Shape, min = 0): Shape {
  return {
    name: 'a list',
    json: { type: 'array', ...(min === 0 ? {} : { minItems: min }), items: of.json ?? {} },
    schema: pipe(array(of.schema, 'must be a list'), minLength(min, 'is empty')),
  }
}

/** An object with any names. */
export function record(of: Shape): Shape {
  const reserved = (value: object): string | undefined => RESERVED.find((name) => Object.hasOwn(value, name))
  return {
    name: 'an object',
    json: { type: 'object', additionalProperties: of.json ?? {} },
    schema: pipe(
      custom<Record<string, unknown>>(isRecord, 'must be an object'),
      check(
        (value) => reserved(value) === undefined,
        ({ input }) => `must not have the name ${quote(reserved(input) ?? '')}`,
      ),
      recordOf(string(), of.schema),
    ),
  }
}

export function member(shape: Shape, about?: string): Member {
  return { shape, about, isRequired: false }
}

/** A member that must be present. */
export function required(shape: Shape, about?: string): Member {
  return { shape, about, isRequired: true }
}

/** An object with these names only. */
export function object(given: Readonly<Record<string, Member | Shape>>): Shape {
  const members = Object.entries(given).map(([name, each]) => [name, 'shape' in each ? each : member(each)] as const)
  const entries = members.map(([name, { shape, isRequired }]) => [
    name,
    isRequired ? shape.schema : optional(shape.schema),
  ])
  const known = members.map(([name]) => name)
  return {
    name: 'an object',
    json: objectJson(members),
    schema: pipe(
      custom<Record<string, unknown>>(isRecord, 'must be an object'),
      rawCheck(({ dataset: { typed, value }, addIssue }) => {
        const name = typed ? Object.keys(value).find((key) => !known.includes(key)) : undefined
        if (name === undefined) return
        const message = `${UNKNOWN} ${quote(name)}`
        addIssue({ message, received: name, expected: known.join(CHOICE_SEPARATOR), path: [pathItem(value, name)] })
      }),
      looseObject(Object.fromEntries(entries) as Record<string, GenericSchema>, ({ expected }) => `has no ${expected}`),
    ),
  }
}

function objectJson(members: readonly (readonly [string, Member])[]): JsonSchema {
  const written = members.filter(([, { shape }]) => shape.json !== null)
  const names = written.filter(([, { isRequired }]) => isRequired).map(([name]) => name)
  return {
    type: 'object',
    ...(names.length === 0 ? {} : { required: names }),
    additionalProperties: false,
    properties: Object.fromEntries(
      written.map(([name, { shape, about }]) => [
        name,
        { ...(about === undefined ? {} : { description: about }), ...shape.json },
      ]),
    ),
  }
}

/** One of these shapes, which differ in their JSON type. */
export function either(...of: readonly Shape[]): Shape {
  const name = of.map((each) => each.name).join(' or ')
  const schemas = of.map(({ schema }) => schema)
  return {
    name,
    json: { anyOf: of.flatMap(({ json }) => (json === null ? [] : [json])) },
    schema: union(schemas, `must be ${name}`),
  }
}

/** valibot's own recursive schema would not end for an object that contains itself. */
function jsonSchema(is: (value: unknown) => boolean, message: string): GenericSchema {
  return pipe(
    custom(is, message),
    rawCheck(({ dataset, addIssue }) => {
      const fault = dataset.typed ? jsonValueFault(dataset.value, []) : null
      if (fault === null) return
      const [first, ...rest] = fault.path.map((key) => pathItem(dataset.value, key))
      addIssue({ message: fault.message, ...(first === undefined ? {} : { path: [first, ...rest] }) })
    }),
  )
}

function jsonValueFault(value: unknown, path: ShapePath): ShapeFault | null {
  if (path.length > MAX_DEPTH) return { path, message: 'is nested too deeply' }
  if (typeof value === 'object' && value !== null) {
    for (const [key, each] of Object.entries(value)) {
      const fault = jsonValueFault(each, [...path, Array.isArray(value) ? Number(key) : key])
      if (fault !== null) return fault
    }
    return null
  }
  const isLeaf = value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value)
  return isLeaf ? null : { path, message: `must be a value that JSON can hold, not ${typeof value}` }
}

function pathItem(input: unknown, key: string | number): IssuePathItem {
  return { type: 'unknown', origin: 'value', input, key, value: undefined }
}

/** The beginning of a text: texts of users may be long. */
function quote(text: string): string {
  return JSON.stringify(shortened(text))
}
