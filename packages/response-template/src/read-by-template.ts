import type { CallItem } from '@callspec/core'
import { dumps, isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { TemplateReader } from './template/cast.ts'
import { readReply } from './template/read-reply.ts'
import type { ResponseTemplate } from './template/response-template.ts'

/** A reply as a response template reads it, in the terms of formats. */
export interface TemplateReading {
  readonly content: string
  readonly reasoning: string
  readonly calls: readonly CallItem[]
  /** Why transformers refuses the reply, in one line; null if it reads it. */
  readonly raised: string | null
}

/** What is known of a reply besides its text. */
export interface ReadingContext {
  /** The prompt; absent: only the anchor of the template, and the opener of a thought if `isThinking`. */
  readonly prompt?: string
  readonly isThinking?: boolean
  readonly tools?: PyValue
  readonly reader?: TemplateReader
}

const NOTHING: TemplateReading = { content: '', reasoning: '', calls: [], raised: null }

/** Reads a reply by a response template. Never throws. */
export function readByTemplate(template: ResponseTemplate, text: string, context: ReadingContext): TemplateReading {
  const { tools = null, reader } = context
  const prefix = context.prompt ?? beginningOf(template, context.isThinking === true)
  const result = readReply(template, text, { prefix, tools, reader })
  if (result.kind === 'raised') return { ...NOTHING, raised: `${result.fault.kind}: ${result.fault.message}` }
  const { message } = result
  const called = message.get('tool_calls') ?? null
  const calls = (isList(called) ? called : [called]).flatMap((each) => (isDict(each) ? [callItem(each)] : []))
  return {
    content: textOf(message.get('content')),
    reasoning: textOf(message.get('reasoning_content') ?? message.get('thinking') ?? message.get('reasoning')),
    calls,
    raised: null,
  }
}

/** A prompt that begins the message, and its thought. */
function beginningOf({ anchor, fields }: ResponseTemplate, isThinking: boolean): string {
  const literal = anchor.kind === 'literals' ? (anchor.literals[0] ?? '') : ''
  if (!isThinking) return literal
  const open = fields.find(({ name }) => THOUGHT_FIELDS.includes(name))?.open
  return literal + (open?.kind === 'literals' ? (open.literals[0] ?? '') : '<think>')
}

/** Names of the field that holds the reasoning. */
export const THOUGHT_FIELDS: readonly string[] = ['thinking', 'reasoning_content', 'reasoning']

/** A text, or the parts of a field that repeats, in a row. */
function textOf(value: PyValue | undefined): string {
  if (isList(value ?? null)) return (value as readonly PyValue[]).map(textOf).join('')
  return typeof value === 'string' ? value : ''
}

function callItem(call: PyDict): CallItem {
  const inner = call.get('function') ?? call
  const members = isDict(inner) ? inner : new Map<string, PyValue>()
  const name = members.get('name') ?? null
  const given = members.get('arguments') ?? new Map<string, PyValue>()
  const id = call.get('id') ?? null
  return {
    kind: 'call',
    name: typeof name === 'string' ? name : '',
    arguments: typeof given === 'string' ? given : dumps(given),
    id: typeof id === 'string' ? id : null,
  }
}
