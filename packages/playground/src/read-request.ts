import type { Conversation, Format, ReadOptions, Reply, ReplyEvent } from '@callspec/core'
import { foldEvents, formatNamed, FORMATS } from '@callspec/core'
import type { PyDict, PyValue } from '@callspec/python'
import { isDict, isList, loadsJson5 } from '@callspec/python'
import { versionFor } from '@callspec/core/formats'

/** The tools of a text, or its fault. */
type ReadTools =
  | { readonly kind: 'read'; readonly tools: readonly PyValue[]; readonly isGiven: boolean }
  | { readonly kind: 'wrong'; readonly message: string }

/** The conversation of two texts, or the fault and its text. */
type ReadRequest =
  | { readonly kind: 'read'; readonly conversation: Conversation }
  | { readonly kind: 'wrong'; readonly where: 'tools' | 'conversation'; readonly message: string }

/** Two texts of JSON5. */
export interface RequestTexts {
  /** A list of tools, or an empty text. */
  readonly tools: string
  /** A list of messages, or an object with `messages`, perhaps `tools`, and options of the format. */
  readonly conversation: string
}

/** Reads a list of tools, or an object that has one. */
export function readTools(text: string): ReadTools {
  if (text.trim() === '') return { kind: 'read', tools: [], isGiven: false }
  const read = readJson5(text)
  if (read.kind === 'wrong') return read
  const value = isDict(read.value) ? (read.value.get('tools') ?? null) : read.value
  if (!isList(value)) return { kind: 'wrong', message: 'This is no list of tools.' }
  return { kind: 'read', tools: value, isGiven: true }
}

/** Reads tools and messages. Other members of an object are options of the format; the model continues. */
export function readRequest({ tools: toolsText, conversation: text }: RequestTexts): ReadRequest {
  const tools = readTools(toolsText)
  if (tools.kind === 'wrong') return { ...tools, where: 'tools' }
  const wrong = (message: string): ReadRequest => ({ kind: 'wrong', where: 'conversation', message })
  if (text.trim() === '') return wrong('There is no message yet. Paste a list of messages.')
  const read = readJson5(text)
  if (read.kind === 'wrong') return wrong(read.message)
  const request: PyDict | null = isList(read.value)
    ? new Map([['messages', read.value]])
    : isDict(read.value)
      ? read.value
      : null
  if (request === null) return wrong('This is neither a list of messages nor an object with "messages".')
  // A family may accept conversations in its own shape instead.
  const messages = request.get('messages') ?? (request.has('conversation') ? [] : null)
  if (!isList(messages)) return wrong('"messages" is no list.')
  const bad = messages.findIndex((message) => !isDict(message))
  if (bad >= 0) return wrong(`messages[${bad}] is no object with "role" and "content".`)
  const own = request.get('tools')
  if (own !== undefined && own !== null && !isList(own)) return wrong('"tools" is no list.')
  const options: PyDict = new Map<string, PyValue>([
    ['add_generation_prompt', true],
    ...[...request].filter(([key]) => key !== 'messages' && key !== 'tools'),
  ])
  return {
    kind: 'read',
    conversation: {
      messages: messages.filter((message): message is PyDict => isDict(message)),
      tools: tools.isGiven ? tools.tools : own,
      options,
    },
  }
}

type ReadJson =
  { readonly kind: 'read'; readonly value: PyValue } | { readonly kind: 'wrong'; readonly message: string }

function readJson5(text: string): ReadJson {
  try {
    return { kind: 'read', value: loadsJson5(text) }
  } catch (error) {
    // Every error for a text names the place where it is not JSON5: `<string>:3 Unexpected "x" at column 7`.
    const message = error instanceof Error ? error.message : String(error)
    const [, line, what, column] = /^<string>:(\d+) (.*?) at column (\d+)$/s.exec(message) ?? []
    return { kind: 'wrong', message: line === undefined ? message : `Line ${line}, column ${column}: ${what}.` }
  }
}

/** A reply and the settings to read it with. */
export interface ReplyRequest {
  readonly text: string
  /** Empty for `strict`, or for the format's first version if it has no `strict`. */
  readonly version: string
  readonly parallelCalls: boolean
  readonly thoughtInContent: boolean
  readonly tools: readonly PyValue[]
}

/** The format with this id, or the first one. */
export function formatOrFirst(id: string): Format {
  const found = formatNamed(id) ?? FORMATS[0]
  if (found === undefined) throw new Error('there is no format')
  return found
}

/** The versions that can read, the default first. */
export function versionsThatRead({ readVersions, versions }: Format): readonly string[] {
  return readVersions ?? versions
}

/** The options of a request, as `callspec parse` fills them in: the reply is cut at the format's own stop words. */
export function readOptions(
  format: Format,
  { version, parallelCalls, thoughtInContent, tools }: Omit<ReplyRequest, 'text'>,
): ReadOptions {
  return {
    version: versionsThatRead(format).includes(version) ? version : versionFor(format),
    parallelCalls,
    thoughtInContent,
    tools: tools.filter((tool): tool is PyDict => isDict(tool)),
    stopWords: 'default',
  }
}

export function readAs(format: Format, request: ReplyRequest): Reply {
  return format.read(request.text, readOptions(format, request))
}

/** An event, and how much of the reply had arrived when it was emitted. */
export interface EmittedEvent {
  readonly event: ReplyEvent
  /** In UTF-16 units; null if it was emitted at the end. */
  readonly emittedAt: number | null
}

/** A reply is read in no more than so many steps. */
const MOST_STEPS = 200_000

/** How many units of a reply are read at a time: one, unless it is very long. */
export function stepOf(text: string): number {
  return Math.max(1, Math.ceil(text.length / MOST_STEPS))
}

/** Reads a reply unit by unit, with the time of each event. Linear. */
export function emittedEvents(format: Format, text: string, options: ReadOptions): readonly EmittedEvent[] {
  const reader = format.createReader(options)
  const all: EmittedEvent[] = []
  const step = stepOf(text)
  for (let at = 0; at < text.length; at += step)
    for (const event of reader.push(text.slice(at, at + step)))
      all.push({ event, emittedAt: Math.min(at + step, text.length) })
  for (const event of reader.end()) all.push({ event, emittedAt: null })
  return all
}

export function replyOfEvents(events: readonly EmittedEvent[]): Reply {
  const fold = foldEvents()
  fold.take(events.map(({ event }) => event))
  return fold.reply()
}
