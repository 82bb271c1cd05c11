import { readFileSync } from 'node:fs'
import { InputError } from '@callspec/core'
import { dumps, isDict, toPlain } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { Validator } from '@cfworker/json-schema'
import type { Schema } from '@cfworker/json-schema'
import { readJson } from '../cases/case-file.ts'
import type { Question, Reply } from '../implementation.ts'
import type { TextRange } from '../cases/provenance.ts'
import { ownFile } from '../own-files.ts'
import { shortened } from '../comparison/visible.ts'
import { RESPONSE_TEMPLATE, isCoarse, wireProfile } from './declaration.ts'
import type { CoarseOperation, Declaration } from './declaration.ts'

/** The version of the protocol that is spoken here; `docs/protocol.md` describes it. */
export const PROTOCOL_VERSION = 1

/** What the runner says to an implementation, in a session. */
export type Request =
  | { readonly cmd: 'start'; readonly protocol: number; readonly runner: { name: string; version: string } }
  | RunRequest
  | { readonly cmd: 'feed'; readonly seq: number; readonly chunk: string }
  | { readonly cmd: 'end'; readonly seq: number }
  | { readonly cmd: 'stop' }

/** One question. */
export interface RunRequest {
  readonly cmd: 'run'
  readonly seq: number
  readonly id: string
  readonly op: string
  readonly format?: string
  /** As it travels, such as `qwen-agent@main`. */
  readonly profile: string
  readonly input: PyDict
  /** Where markers in the text of the input are no tokens. */
  readonly plain?: readonly TextRange[]
}

/** The question of a case as it travels. Its expected answer does not. */
export function runRequest(seq: number, { id, op, format, profile, input, plain }: Question): RunRequest {
  const topic = { id, op, ...(format === undefined ? {} : { format }), profile: wireProfile(profile) }
  return { cmd: 'run', seq, ...topic, input, ...(plain === undefined ? {} : { plain }) }
}

/** A question as a one-shot program reads it: a `run` without number, with the version of the protocol. */
export function oneShotLine(question: Question): string {
  const { cmd: _cmd, seq: _seq, ...rest } = runRequest(1, question)
  return dumps(asDict({ protocol: PROTOCOL_VERSION, ...rest }), { ensureAscii: true })
}

/**
 * A request as one line of ASCII JSON, without line break: ints and floats, unpaired surrogates (`\ud800`) and the
 * order of keys are kept. Checked against the schema first.
 */
export function requestLine(request: Request): string {
  // The schema looks at the input as a map only, so there is no need to copy all of it.
  const violation = violationOf('request', 'input' in request ? { ...request, input: {} } : request)
  if (violation !== null) throw new Error(`callspec: a request is not as its schema says: ${violation}`)
  return dumps(asDict(request), { ensureAscii: true })
}

function asDict(request: object): PyDict {
  return new Map(Object.entries(request).map(([key, value]) => [key, asValue(value)]))
}

function asValue(value: unknown): PyValue {
  if (typeof value === 'number') return BigInt(value)
  if (typeof value === 'string' || value instanceof Map) return value as PyValue
  if (Array.isArray(value)) return value.map(asValue)
  return asDict(value as object)
}

/** A line of an implementation that is no message of the protocol; the text says what it is instead. */
export class ProtocolError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ProtocolError'
  }
}

/** The answer to one question. */
export interface Answer {
  readonly seq: number
  readonly reply: Reply
}

/**
 * Reads one line as a JSON map.
 *
 * @throws ProtocolError that quotes the line
 */
export function readLineMessage(line: string): PyDict {
  try {
    const value = readJson(line, 'line')
    if (isDict(value)) return value
  } catch (error) {
    if (!(error instanceof InputError)) throw error
  }
  throw new ProtocolError(`wrote to stdout what is no message: ${quotedName(line)}. Only answers belong there.`)
}

/**
 * Reads the answer to `start`.
 *
 * @throws ProtocolError for another version of the protocol, and for what the schema does not allow
 */
export function readDeclaration(message: PyDict): Declaration {
  const plain = toPlain(message)
  const protocol = message.get('protocol')
  if (protocol !== undefined && protocol !== 1n) {
    throw new ProtocolError(`speaks protocol ${quotedName(String(protocol))}; this callspec speaks protocol 1`)
  }
  const violation = violationOf('declaration', plain)
  if (violation !== null) throw new ProtocolError(`answered start with something else than a declaration: ${violation}`)
  return plain as Declaration
}

const ANSWER_KINDS = ['output', 'rejected', 'skipped', 'errored']

/**
 * Reads the answer to a question, without looking into its output.
 *
 * @throws ProtocolError for what the schema does not allow
 */
export function readAnswer(message: PyDict): Answer {
  const kinds = ANSWER_KINDS.filter((kind) => message.has(kind))
  if (kinds.length !== 1) {
    const found = kinds.length === 0 ? 'none' : kinds.join(' and ')
    throw new ProtocolError(`gave an answer with ${found} of ${ANSWER_KINDS.join(', ')}; exactly one is needed`)
  }
  const violation = violationOf('answer', shallow(message))
  if (violation !== null) throw new ProtocolError(`gave a malformed answer: ${violation}`)
  return { seq: Number(message.get('seq')), reply: answerReply(message) }
}

/** What is wrong with an output in the terms of its schema; null when nothing is, or the operation has no schema. */
export function outputProblem(op: string, output: PyValue): string | null {
  if (op !== 'step' && op !== 'client' && op !== RESPONSE_TEMPLATE && !isCoarse(op)) return null
  try {
    const violation = outputViolation(op, toPlain(output))
    return violation === null ? null : `gave an output that is not one of "${op}": ${violation}`
  } catch (error) {
    // The copy and the validator recurse.
    if (error instanceof RangeError) return 'gave an output that is nested too deeply'
    throw error
  }
}

function answerReply(message: PyDict): Reply {
  const output = message.get('output')
  if (output !== undefined) return { kind: 'returned', value: output }
  const rejected = message.get('rejected')
  if (isDict(rejected)) {
    const { type, message: text } = Object.fromEntries(rejected)
    return { kind: 'raised', error: { type: textOrEmpty(type, 'rejected'), message: textOrEmpty(text, '') } }
  }
  const skipped = message.get('skipped')
  if (skipped !== undefined) return { kind: 'skipped', reason: String(skipped) }
  return { kind: 'errored', reason: `says that it broke: ${quotedName(String(message.get('errored')), 300)}` }
}

/** The answer without what is inside of its output, which may be large. */
function shallow(message: PyDict): unknown {
  return toPlain(
    new Map([...message].map(([key, value]) => [key, key === 'output' && isDict(value) ? NO_MEMBERS : value])),
  )
}

const NO_MEMBERS: PyDict = new Map()

function textOrEmpty(value: PyValue | undefined, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise
}

/** Cut to `limit` characters; control characters are made visible when it is printed. */
function quotedName(text: string, limit = 60): string {
  return `"${shortened(text, limit)}"`
}

/** The schemas that come with this package, in its folder `schemas/`. */
export type SchemaName = 'request' | 'declaration' | 'answer' | 'result-line.schema' | 'scoreboard.schema'

/** What is wrong with a message of the protocol, with its place; null when nothing is. */
export function violationOf(name: SchemaName, value: unknown): string | null {
  return firstError(name, () => readMessageSchema(name), value)
}

/** What is wrong with the output of a coarse operation, or with one step of a stream; null when nothing is. */
export function outputViolation(
  op: CoarseOperation | 'step' | 'client' | typeof RESPONSE_TEMPLATE,
  value: unknown,
): string | null {
  const build = (): Schema => ({ ...readMessageSchema('output'), $ref: `#/$defs/${op}` })
  return firstError(`output ${op}`, build, value)
}

/** What is wrong with a request of the runner; null when nothing is. What it wants is known by its `cmd`: no other form is named. */
export function requestViolation(value: unknown): string | null {
  const forms = readMessageSchema('request').oneOf ?? []
  const { cmd } = Object(value) as { readonly cmd?: unknown }
  const form = forms.find((each) => commandOf(each) === cmd)
  const build = (): Schema => ({ ...readMessageSchema('request'), oneOf: form === undefined ? [] : [form] })
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
    if (form === 'golden-file' || form === 'taxonomy') return readMessageSchema(`${form}.schema`)
    // One of its two forms: which one is meant is known, and makes a better message.
    const { oneOf: _either, ...definitions } = readMessageSchema('case-file.schema')
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

function readMessageSchema(name: string): Schema {
  return JSON.parse(readFileSync(ownFile(`schemas/${name}.json`), 'utf8')) as Schema
}

function firstError(key: string, build: () => Schema, value: unknown): string | null {
  if (validator(key, build).validate(value).valid) return null
  // Asked again for all errors: the first one is often that none of several forms fits.
  const { errors } = new Validator(build(), '2020-12', false).validate(value)
  // Errors about a choice between forms say nothing; of the others the innermost says most.
  const specific = errors.filter(({ keyword }) => !['oneOf', 'anyOf', '$ref', 'properties', 'items'].includes(keyword))
  const error = specific.reduce((best, each) => (depth(each) > depth(best) ? each : best), specific[0] ?? errors[0])
  if (error === undefined) return 'is not as the schema says'
  const place = error.instanceLocation.replace(/^#\/?/, '')
  return `${place === '' ? '' : `${place}: `}${withAlternatives(error, specific)}`
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
