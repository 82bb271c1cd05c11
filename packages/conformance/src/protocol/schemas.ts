import { readFileSync } from 'node:fs'

import { Validator } from '@cfworker/json-schema'
import type { Schema } from '@cfworker/json-schema'

import type { CoarseOperation } from './coarse-operation.ts'
import { ownFile } from '../own-file.ts'

/** The schemas that come with this package, in its folder `schemas/`. */
export type SchemaName = 'request' | 'declaration' | 'answer' | 'result-line.schema' | 'scoreboard.schema'

/** What is wrong with a message of the protocol, with its place; null when nothing is. */
export function violationOf(name: SchemaName, value: unknown): string | null {
  return firstError(name, () => readSchema(name), value)
}

/** What is wrong with the output of a coarse operation, or with one step of a stream; null when nothing is. */
export function outputViolation(op: CoarseOperation | 'step', value: unknown): string | null {
  const build = (): Schema => ({ ...readSchema('output'), $ref: `#/$defs/${op}` })
  return firstError(`output ${op}`, build, value)
}

/** What is wrong with a request of the runner; null when nothing is. What it wants is known by its `cmd`: no other form is named. */
export function requestViolation(value: unknown): string | null {
  const forms = readSchema('request').oneOf ?? []
  const { cmd } = Object(value) as { readonly cmd?: unknown }
  const form = forms.find((each) => commandOf(each) === cmd)
  const build = (): Schema => ({ ...readSchema('request'), oneOf: form === undefined ? [] : [form] })
  if (form !== undefined) return firstError(`request ${commandOf(form)}`, build, value)
  return `cmd: must be one of ${forms.map((each) => `"${commandOf(each)}"`).join(', ')}`
}

function commandOf({ properties }: Schema): string {
  const cmd = properties?.['cmd']
  return typeof cmd === 'object' ? String(cmd.const) : ''
}

/** The forms of files that are written by hand, in the folder `schemas/` too. */
export type FileForm = 'topic-file' | 'suite-file' | 'golden-file' | 'taxonomy'

/** What is wrong with a file of the case set, with its place; null when nothing is. */
export function fileViolation(form: FileForm, value: unknown): string | null {
  const build = (): Schema => {
    if (form === 'golden-file' || form === 'taxonomy') return readSchema(`${form}.schema`)
    // One of its two forms: which one is meant is known, and makes a better message.
    const { oneOf: _either, ...definitions } = readSchema('case-file.schema')
    return { ...definitions, $ref: `#/$defs/${form}` }
  }
  return firstError(`file ${form}`, build, value)
}

const validators = new Map<string, Validator>()

/** Built when it is first needed: a run without other programs needs none. */
function validator(key: string, build: () => Schema): Validator {
  const known = validators.get(key)
  if (known !== undefined) return known
  const made = new Validator(build(), '2020-12', true)
  validators.set(key, made)
  return made
}

function readSchema(name: string): Schema {
  return JSON.parse(readFileSync(ownFile(`schemas/${name}.json`), 'utf8')) as Schema
}

function firstError(key: string, build: () => Schema, value: unknown): string | null {
  if (validator(key, build).validate(value).valid) return null
  // Asked again for all errors: the first one is often that none of several forms fits.
  const { errors } = new Validator(build(), '2020-12', false).validate(value)
  // Errors about a choice between forms say nothing; of the others the innermost says most.
  const telling = errors.filter(({ keyword }) => !['oneOf', 'anyOf', '$ref', 'properties', 'items'].includes(keyword))
  const error = telling.reduce((best, each) => (depth(each) > depth(best) ? each : best), telling[0] ?? errors[0])
  if (error === undefined) return 'is not as the schema says'
  const place = error.instanceLocation.replace(/^#\/?/, '')
  return `${place === '' ? '' : `${place}: `}${withAlternatives(error, telling)}`
}

interface SchemaError {
  readonly keyword: string
  readonly keywordLocation: string
  readonly instanceLocation: string
  readonly error: string
}

/** Where one of several members is needed, all are named: else the message asks for the first one. */
function withAlternatives(error: SchemaError, errors: readonly SchemaError[]): string {
  const same = errors.filter((each) => isAlternative(each) && each.instanceLocation === error.instanceLocation)
  const names = new Set(same.flatMap((each) => /"[^"]*"/.exec(each.error) ?? []))
  return isAlternative(error) ? error.error.replace(/"[^"]*"/, () => [...names].join(' or ')) : error.error
}

function isAlternative({ keyword, keywordLocation }: SchemaError): boolean {
  return keyword === 'required' && /\/(?:oneOf|anyOf)\/\d+\/required$/.test(keywordLocation)
}

function depth(error: { readonly instanceLocation: string } | undefined): number {
  return error === undefined ? -1 : error.instanceLocation.split('/').length
}
