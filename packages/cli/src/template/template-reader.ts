import type { Format, ReadOptions, Reply, ReplyEvent, ReplyItem } from '@callspec/core'
import type { PredictReply } from '@callspec/eval/doctor'
import { fromPlain } from '@callspec/python'
import type { PlainValue, PyValue } from '@callspec/python'
import { readByTemplate, THOUGHT_FIELDS } from '@callspec/response-template'
import type { ResponseTemplate } from '@callspec/response-template'
import { UsageError } from '../usage-error.ts'
import { loadedTemplate, readResponseSource } from './response-source.ts'

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
