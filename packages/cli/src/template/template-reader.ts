import type { CallItem, Format, ReadOptions, Reply, ReplyEvent, ReplyItem } from '@callspec/core'
import type { PredictReply } from '@callspec/eval'
import { dumps, fromPlain, isDict, isList } from '@callspec/python'
import type { PlainValue, PyDict, PyValue } from '@callspec/python'
import { readReply } from '@callspec/response-template'
import type { ResponseTemplate, TemplateReader } from '@callspec/response-template'
import { UsageError } from '../usage-error.ts'
import { loadedTemplate, readResponseSource } from './response-source.ts'

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

const THOUGHT_FIELDS = ['thinking', 'reasoning_content', 'reasoning']

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

/**
 * The template of a model folder, of its `tokenizer_config.json`, or of a file of it alone, ready to read.
 *
 * @throws UsageError for a file without a template, an older response_schema, and a template that transformers refuses
 */
export async function readTemplateAt(path: string): Promise<ResponseTemplate> {
  const source = await readResponseSource(path)
  if (source.kind === 'template') return loadedTemplate(source.value, source.name)
  throw new UsageError(`${source.name}: has the older response_schema. Write a response_template.`)
}

/** The same as a format. @throws UsageError as `readTemplateAt` */
export async function templateFormatOf(path: string): Promise<Format> {
  return templateFormat(await readTemplateAt(path), path)
}

/** What a server with the template of `path` should answer. @throws UsageError as `readTemplateAt` */
export async function predictionBy(path: string): Promise<PredictReply> {
  const template = await readTemplateAt(path)
  return (text, { prompt, tools }) => readByTemplate(template, text, { prompt, tools: toolsValue(tools) })
}

/** Tools of a request as a reader takes them. */
export function toolsValue(tools: readonly { readonly name: string; readonly parameters?: unknown }[]): PyValue {
  return fromPlain(
    tools.map(({ name, parameters = {} }) => ({ name, parameters: parameters as PlainValue })),
    'tools',
  )
}

/** The name under which a response template is listed among formats. */
export const TEMPLATE_ID = 'response-template'

/**
 * A response template as a format that can only be read: it has no prompt and writes nothing. A later text can replace an earlier one,
 * so a stream gives everything at its end.
 */
export function templateFormat(template: ResponseTemplate, name: string): Format {
  const { fields } = template
  const sides = (field: (typeof fields)[number] | undefined, side: 'open' | 'close'): readonly string[] => {
    const delimiter = field?.[side] ?? null
    if (delimiter === null) return []
    return delimiter.kind === 'literals' ? delimiter.literals : (delimiter.pattern.program.lead?.texts ?? [])
  }
  const calls = fields.find((field) => field.name === 'tool_calls')
  const thought = fields.find((field) => THOUGHT_FIELDS.includes(field.name))
  const [open, close] = [sides(thought, 'open')[0], sides(thought, 'close')[0]]
  const read = (text: string, options: ReadOptions = {}): Reply => templateReply(template, text, options)
  return {
    id: TEMPLATE_ID,
    about: { models: name, source: name, licence: 'NOASSERTION' },
    stops: { end: [], handOver: [], words: [] },
    markers: {
      callStart: sides(calls, 'open'),
      callInner: [],
      callEnd: sides(calls, 'close'),
      thought: open === undefined || close === undefined ? null : { open, close },
      others: [],
    },
    traits: {
      severalCalls: calls?.isRepeated === true,
      ids: false,
      reasoning: thought !== undefined,
      typedValues: calls?.content === 'xml-inline',
      quotedCalls: { shown: 'read', escaped: 'text' },
    },
    read,
    createReader: (options) => {
      let text = ''
      const snapshot = (): Reply => read(text, options)
      return {
        push: (chunk) => {
          text += chunk
          return []
        },
        end: () => snapshot().items.flatMap(eventsOf),
        snapshot,
      }
    },
    write: () => '',
    prompt: null,
    versions: ['strict'],
  }
}

function templateReply(template: ResponseTemplate, text: string, options: ReadOptions): Reply {
  const { tools = [], thoughtInContent = false } = options
  const { content, reasoning, calls, raised } = readByTemplate(template, text, {
    tools: fromPlain(tools, 'tools'),
    isThinking: thoughtInContent,
  })
  const items: readonly ReplyItem[] =
    raised === null
      ? [
          ...(reasoning === '' ? [] : [{ kind: 'reasoning', text: reasoning } as const]),
          ...(content === '' ? [] : [{ kind: 'text', text: content } as const]),
          ...calls,
        ]
      : [
          { kind: 'text', text },
          { kind: 'issue', code: 'template-raises', weight: 'harm', message: raised, start: 0, end: text.length },
        ]
  return { items, error: null }
}

function eventsOf(item: ReplyItem): readonly ReplyEvent[] {
  if (item.kind !== 'call') return [item]
  const { name, id } = item
  return [{ kind: 'call', name, id }, { kind: 'arguments', text: item.arguments }, { kind: 'call-end' }]
}
