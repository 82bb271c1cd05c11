import type { PlainValue, PyDict, PyValue } from '@callspec/python'
import { fromPlain, InputError, isDict, isList, toPlain } from '@callspec/python'
import type { PromptPart, ReferenceError } from '@callspec/core'
import type { ChatMLOptions } from '@callspec/qwen-agent'
import { messageOf } from '../usage-error.ts'

export interface PromptMessage {
  readonly role: string
  /** Text, or a list of items for models that take images or audio. */
  readonly content: PyValue
  /** The whole message, in wire order. */
  readonly dump: ReadonlyMap<string, PyValue>
}

export type Rendering =
  | {
      readonly kind: 'messages'
      readonly messages: readonly PromptMessage[]
      /** Options of the reference's ChatML; null for a user's format. */
      readonly chatml: ChatMLOptions | null
      /** Tools that are sent as data (raw API); null for none. */
      readonly tools: PyValue
    }
  /** A template that returns one text has no roles. */
  | { readonly kind: 'text'; readonly text: string }
  /** A format with its own prompt returns it in parts. */
  | { readonly kind: 'parts'; readonly parts: readonly PromptPart[] }
  | Rejection

/** An exception that the reference raises in this profile. */
export interface Rejection {
  readonly kind: 'rejected'
  readonly error: ReferenceError
}

/** A user's template threw, or returned something that is not a prompt. */
export class TemplateError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'TemplateError'
  }
}

export class EncodingError extends TemplateError {
  constructor(message: string) {
    super(message)
    this.name = 'EncodingError'
  }
}

export class ThrownError extends TemplateError {
  /** The name of the error, such as `SyntaxError`. */
  readonly thrown: string

  constructor(message: string, thrown: string) {
    super(message)
    this.name = 'ThrownError'
    this.thrown = thrown
  }
}

/**
 * Calls the user's `render` with a plain JavaScript request and reads its result: a text, or a list of messages.
 *
 * Plain means: ints and floats have become one type, and integers beyond 2^53 are rounded.
 *
 * @throws TemplateError that names `where`, such as `./my-format.mjs: format.render`
 */
export async function renderWith(
  render: (request: object) => unknown,
  request: PyDict,
  where: string,
): Promise<Rendering> {
  const answer = await callUser(() => render(toPlain(request) as object), where)
  if (typeof answer === 'string') return { kind: 'text', text: answer }
  if (!Array.isArray(answer)) {
    throw new TemplateError(`${where} gave back ${kindOfValue(answer)}; a text or a list of messages is needed.`)
  }
  const messages = answer.map((value, index) => readUserMessage(value, `${where}: message ${index}`))
  return { kind: 'messages', messages, chatml: null, tools: null }
}

/** Runs the user's code; an error becomes a ThrownError. */
export async function callUser(work: () => unknown, where: string): Promise<unknown> {
  try {
    return await work()
  } catch (error) {
    const name = error instanceof Error ? `${error.name}: ` : ''
    throw new ThrownError(
      `${where} threw ${name}${messageOf(error)}`,
      error instanceof Error ? error.name : kindOfValue(error),
    )
  }
}

/** The result of the user's code as data. @throws TemplateError for functions, symbols and cycles */
export function dataIn(value: unknown, where: string): PyValue {
  try {
    return fromPlain(value as PlainValue, where)
  } catch (error) {
    throw error instanceof InputError ? new TemplateError(error.message) : error
  }
}

/** The kind of a value for messages: `a number`, `null`, `an object`. */
export function kindOfValue(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function readUserMessage(value: unknown, where: string): PromptMessage {
  const dump = dataIn(value, where)
  if (!isDict(dump)) throw new TemplateError(`${where} is ${kindOfValue(value)}, not an object with role and content.`)
  const role = dump.get('role')
  const content = dump.get('content')
  if (typeof role !== 'string') throw new TemplateError(`${where} has no role.`)
  if (typeof content === 'string' || isList(content)) return { role, content, dump }
  throw new TemplateError(`${where} has ${kindOfValue(content)} as content; a text or a list of items is needed.`)
}
