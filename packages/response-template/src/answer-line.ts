import { isDict, isList, pyIndex } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { compilePattern, searchPartially, searchPattern } from './regex/pattern.ts'
import { PatternLimitError } from './regex/search.ts'
import type { PatternMatch } from './regex/pattern.ts'
import { RegexError } from './regex/regex-cursor.ts'
import { readBySchema } from './schema/response-schema.ts'
import { castValue } from './template/cast.ts'
import type { TemplateReader } from './template/cast.ts'
import { contentValue } from './template/contents.ts'
import { TemplateRaise } from './template/fault.ts'
import type { Fault } from './template/fault.ts'
import { loadTemplate } from './template/load.ts'
import type { TemplateEvent } from './template/machine.ts'
import { readReply, streamReply } from './template/read-reply.ts'
import type { ReadResult, ReadSettings } from './template/read-reply.ts'
import type { ResponseTemplate } from './template/response-template.ts'
import { CONTENT_PARSERS } from './template/response-template.ts'

/** Templates, tools and schemas that lines name. */
export interface NamedInputs {
  readonly templates: ReadonlyMap<string, PyValue>
  readonly tools: ReadonlyMap<string, PyValue>
  readonly schemas: ReadonlyMap<string, PyValue>
}

/** A line that cannot be answered: the message says what it lacks. */
export class LineError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'LineError'
  }
}

/**
 * Answers one line `{op, input, template?}` of a batch: its value is what the reference did, as the public vectors write it
 * (`{message}`, `{raise}`, `{initial, feeds, final, message}`, `{value}`, `{match}`). A line without input asks nothing: null.
 *
 * @throws LineError for a line that has no known `op`, or names nothing that is known
 */
export function answerLine(line: PyDict, named: NamedInputs, reader: TemplateReader = 'transformers'): PyValue {
  const input = line.get('input') ?? null
  if (!isDict(input)) return null
  const op = line.get('op') ?? null
  switch (op) {
    case 'load':
      return withTemplate(line, named, () => new Map<string, PyValue>([['ok', true]]))
    case 'parse':
    case 'roundtrip':
      return withTemplate(line, named, (template) =>
        resultData(readReply(template, textMember(input, 'text'), settingsOf(input, named, reader))),
      )
    case 'reuse':
      return withTemplate(line, named, (template) => reuseAnswer(template, input, settingsOf(input, named, reader)))
    case 'stream':
      return withTemplate(line, named, (template) => streamAnswer(template, input, settingsOf(input, named, reader)))
    case 'content':
      return contentAnswer(input)
    case 'cast': {
      const schema = input.get('schema') ?? null
      const value = input.get('value') ?? null
      return answer('value', isDict(schema) ? castValue(value, schema, reader) : value)
    }
    case 'regex':
      return regexAnswer(input)
    case 'schema':
      return schemaAnswer(line, input, named)
    default:
      throw new LineError('Its "op" is none of load, parse, stream, roundtrip, reuse, content, cast, regex, schema.')
  }
}

function answer(name: string, value: PyValue): PyDict {
  return new Map([[name, plainNumbers(value)]])
}

function withTemplate(line: PyDict, named: NamedInputs, work: (template: ResponseTemplate) => PyValue): PyValue {
  const input = line.get('input')
  const given = isDict(input) ? (input.get('template') ?? null) : null
  const id = line.get('template') ?? (isDict(input) ? input.get('template_id') : null) ?? null
  const source = typeof id === 'string' ? named.templates.get(id) : given
  if (source === undefined) throw new LineError(`There is no template ${JSON.stringify(id)}.`)
  const loaded = loadKept(source)
  return loaded.kind === 'loaded' ? work(loaded.template) : raiseData(loaded.fault)
}

const kept = new WeakMap<object, ReturnType<typeof loadTemplate>>()

/** Templates that many lines name are compiled once. */
function loadKept(source: PyValue): ReturnType<typeof loadTemplate> {
  if (!isDict(source)) return loadTemplate(source)
  const known = kept.get(source)
  if (known !== undefined) return known
  const loaded = loadTemplate(source)
  kept.set(source, loaded)
  return loaded
}

function settingsOf(input: PyDict, named: NamedInputs, reader: TemplateReader): ReadSettings {
  const prefix = input.get('prefix') ?? null
  const tools = input.get('tools') ?? null
  return {
    prefix: typeof prefix === 'string' ? prefix : null,
    tools: typeof tools === 'string' ? (named.tools.get(tools) ?? null) : tools,
    reader,
  }
}

function textMember(input: PyDict, name: string): string {
  const value = input.get(name) ?? null
  if (typeof value === 'string') return value
  throw new LineError(`Its input has no text ${JSON.stringify(name)}.`)
}

/** A raise as the vectors write it. */
export function raiseData(fault: Omit<Fault, 'stage'> & { readonly stage?: string }): PyDict {
  const { stage, type, kind, message } = fault
  const members: (readonly [string, PyValue])[] = stage === undefined ? [] : [['stage', stage]]
  return new Map([
    ['raise', new Map<string, PyValue>([...members, ['type', type], ['kind', kind], ['message', message]])],
  ])
}

/** The result of a reply as the vectors write it. */
export function resultData(result: ReadResult): PyDict {
  if (result.kind === 'raised') return raiseData(result.fault)
  const message = answer('message', result.message)
  return result.malformed.length === 0 ? message : new Map([...message, ['malformed', result.malformed]])
}

function reuseAnswer(template: ResponseTemplate, input: PyDict, settings: ReadSettings): PyDict {
  const texts = input.get('texts') ?? null
  if (!isList(texts)) throw new LineError('Its input has no list "texts".')
  const results = texts.map((text) =>
    typeof text === 'string' ? resultData(readReply(template, text, { ...settings, hasSharedDefaults: true })) : null,
  )
  return new Map([['results', results]])
}

function streamAnswer(template: ResponseTemplate, input: PyDict, settings: ReadSettings): PyDict {
  const stream = streamReply(template, settings)
  if (stream.initial.kind === 'raised') return raiseData(stream.initial.fault)
  const feeds: PyValue[] = []
  const initial: readonly (readonly [string, PyValue])[] = [
    ['initial', stream.initial.events.map(eventData)],
    ['feeds', feeds],
  ]
  for (const chunk of chunksOf(input)) {
    const step = stream.feed(chunk)
    if (step.kind === 'raised') return new Map([...initial, ...raiseData(step.fault)])
    feeds.push(step.events.map(eventData))
  }
  const { step, result } = stream.end()
  if (step.kind === 'raised') return new Map([...initial, ...raiseData(step.fault)])
  return new Map([...initial, ['final', step.events.map(eventData)], ...resultData(result)])
}

function chunksOf(input: PyDict): readonly string[] {
  const chunks = input.get('chunks') ?? null
  if (isList(chunks)) return chunks.filter((chunk) => typeof chunk === 'string')
  return cutEvery(textMember(input, 'text'), Math.max(1, Number(chunks)))
}

/** The text in pieces of `size` code points. */
export function cutEvery(text: string, size: number): readonly string[] {
  const characters = Array.from(text)
  const count = Math.ceil(characters.length / size)
  return Array.from({ length: count }, (_, index) => characters.slice(index * size, (index + 1) * size).join(''))
}

/** An event as the vectors write it: `["chunk", field, text, true]`. */
export function eventData(event: TemplateEvent): PyValue {
  switch (event.type) {
    case 'open':
      return ['open', event.field]
    case 'chunk':
      return ['chunk', event.field, event.text, ...(event.isDirty ? [true] : [])]
    case 'close':
      return ['close', event.field, plainNumbers(event.value)]
    case 'malformed':
      return ['malformed', event.field, event.message]
  }
}

function contentAnswer(input: PyDict): PyDict {
  const name = input.get('content') ?? null
  const parser = CONTENT_PARSERS.find((known) => known === name)
  const settings = input.get('content_args') ?? null
  if (parser === undefined) throw new LineError('Its input names no content parser.')
  try {
    return answer('value', contentValue(parser, textMember(input, 'text'), isDict(settings) ? settings : new Map()))
  } catch (error) {
    if (error instanceof TemplateRaise) return raiseData({ type: error.type, kind: error.kind, message: error.message })
    throw error
  }
}

function regexAnswer(input: PyDict): PyDict {
  const text = textMember(input, 'text')
  try {
    const pattern = compilePattern(textMember(input, 'pattern'))
    const match = (input.get('partial') === true ? searchPartially : searchPattern)(pattern, text)
    return new Map([['match', match === null ? null : matchData(match, text)]])
  } catch (error) {
    if (error instanceof RegexError) return raiseData({ type: 'error', kind: 'regex', message: error.message })
    if (error instanceof PatternLimitError)
      return raiseData({ type: 'Limit', kind: 'pattern-limit', message: error.message })
    throw error
  }
}

function matchData({ start, end, isPartial, named }: PatternMatch, text: string): PyDict {
  const place: readonly (readonly [string, PyValue])[] = [
    ['start', BigInt(pyIndex(text, start))],
    ['end', BigInt(pyIndex(text, end))],
    ['partial', isPartial],
  ]
  return new Map(isPartial ? place : [...place, ['groups', new Map<string, PyValue>(named)]])
}

function schemaAnswer(line: PyDict, input: PyDict, named: NamedInputs): PyDict {
  const id = line.get('schema_id') ?? null
  const schema = typeof id === 'string' ? named.schemas.get(id) : input.get('schema')
  if (schema === undefined) throw new LineError(`There is no schema ${JSON.stringify(id)}.`)
  const result = readBySchema(schema, textMember(input, 'text'), line.get('version') === '5.0' ? '5.0' : '5.12')
  if (result.kind === 'read') return answer('value', result.value)
  return new Map([
    [
      'raise',
      new Map<string, PyValue>([
        ['type', result.type],
        ['message', result.message],
      ]),
    ],
  ])
}

/** Numbers that JSON cannot hold as `{"$number": "NaN"}`. Lists are copied: those of shared defaults still grow. */
function plainNumbers(value: PyValue): PyValue {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    const name = Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity'
    return new Map([['$number', name]])
  }
  if (isList(value)) return value.map(plainNumbers)
  return isDict(value) ? new Map(Array.from(value, ([key, item]) => [key, plainNumbers(item)] as const)) : value
}
