import type { PyDict } from '@callspec/python'
import { toPlain, serviceError } from '@callspec/python'
import type { PreparedChat, ReplyChunk } from '@callspec/qwen-agent'
import { toWireParameters } from '@callspec/qwen-agent'
import { openAiReplies, toWireMessages, renderChatML } from '@callspec/qwen-agent/reference'
import type { Client, CompletionRequest } from '../client/client.ts'
import { requestHash } from '../client/client.ts'
import type { RequestSettings } from '../trace/run-manifest.ts'
import { END_MARK, overApi, parametersOf, plainSettings } from '../trace/run-manifest.ts'
import type { FormatName } from '../trace/format-names.ts'
import { formatId } from '../trace/format-names.ts'
import { conversationOf } from '../formats/conversation.ts'
import { evalFormat } from '../formats/table.ts'
import type { Message, Profile } from '@callspec/core/qwen-agent'
import type { Attempted } from '../client/retry.ts'
import type { Completion, NativeCall, ReplyWarning } from '../trace/completion.ts'
import type { Model } from './drive-loop.ts'
import type { Host } from '../formats/eval-format.ts'
import type { EpisodeKey, SentPrompt, TurnLine } from '../trace/trace.ts'
import type { Task, ToolSpec } from '../trace/task.ts'

/** The trace of one completion. */
export type TurnFields = Omit<TurnLine, keyof EpisodeKey | 'kind' | 'turn' | 'question'>

/** The client of an episode, and the receiver of every answer. */
export interface ModelOptions {
  readonly key: EpisodeKey
  readonly client: Client
  readonly host: Host
  /** Default: `plainSettings`. */
  readonly settings?: RequestSettings | undefined
  /** Receives every completion, or the failure of its request, before the host. */
  readonly onTurn: (fields: TurnFields) => void
  /** A clock in milliseconds; only differences count. */
  readonly clock: () => number
  readonly signal?: AbortSignal
}

/** A model over HTTP. The host reads the complete reply, so chunk boundaries change nothing. */
export function modelOf({ key, client, host, settings, onTurn, clock, signal }: ModelOptions): Model {
  const own = overApi(settings ?? plainSettings(key.model), key.protocol)
  const ask = createRequests({ host, sample: key.sample, settings: own })
  return {
    generate: async function* (prepared) {
      const { request, sent, stop } = ask(prepared)
      const asked = { request: requestHash(request), sent }
      const began = clock()
      const outcome = await client.complete(request, signal)
      const how = { attempts: outcome.attempts, ...askedOf(outcome) }
      const endMarks = 'prompt' in request ? endMarksOf(host) : []
      const odd = { stop, endMarks, usesTools: host.usesTools === true }
      if (outcome.kind === 'failed') {
        const { failure, partial } = outcome.error
        const ms = Math.round(clock() - began)
        const came = partial === null ? { ...NO_REPLY, ms } : inspected(partial, odd)
        onTurn({ ...asked, ...came, failure, ...how })
        throw serviceError(String(failure.status ?? ''), failure.message)
      }
      const reply = inspected(outcome.value, odd)
      onTurn({ ...asked, ...reply, failure: null, ...how })
      yield* openAiReplies([forHost(reply, endMarks)], host.profile)
    },
  }
}

/** With several endpoints: the one that answered, and those that did not. */
function askedOf({
  endpoint,
  tried,
}: Pick<Attempted<unknown>, 'endpoint' | 'tried'>): Pick<TurnFields, 'endpoint' | 'tried'> {
  return { ...(endpoint === undefined ? {} : { endpoint }), ...(tried === undefined ? {} : { tried }) }
}

/** A request, its new part, and the stop words of the format that are sent. */
export interface ModelRequest {
  readonly request: CompletionRequest
  readonly sent: SentPrompt
  readonly stop: readonly string[]
}

export interface RequestsOptions {
  readonly host: Host
  /** The repetition of the episode. */
  readonly sample: number
  readonly settings: RequestSettings
}

/** Turns the chat calls of one episode into requests, in their order. */
export function createRequests({ host, sample, settings }: RequestsOptions): (prepared: PreparedChat) => ModelRequest {
  const { profile, wireMessage = plainRecord, ownTextBegins = null } = host
  const rawPrompt = createRawPrompts({ profile, ownTextBegins })
  const isRaw = settings.api === 'completions' || host.asksRaw !== undefined
  const endMarks = isRaw ? endMarksOf(host) : []
  let last: readonly Readonly<Record<string, unknown>>[] = []
  let lastText = ''
  return ({ serviceMessages, generateCfg }) => {
    const words = host.asksRaw === undefined ? {} : { stop: host.asksRaw.stop }
    const asked = { ...plainRecord(toWireParameters(generateCfg)), ...words }
    const { parameters, stop } = parametersOf(asked, settings, endMarks)
    const common = { model: settings.name, parameters, sample }
    if (isRaw) {
      const prompt = host.asksRaw === undefined ? rawPrompt(serviceMessages) : onlyText(serviceMessages)
      const sent = sentText(lastText, prompt)
      lastText = prompt
      return { request: { ...common, prompt }, sent, stop }
    }
    const messages = toWireMessages(serviceMessages, profile).map(wireMessage)
    const sent = sentPrompt(last, messages)
    last = messages
    const api = settings.api === 'messages' || settings.api === 'responses' ? { api: settings.api } : {}
    return { request: { ...common, messages, ...api }, sent, stop }
  }
}

/** The stop words of a raw prompt. */
function endMarksOf({ asksRaw }: Host): readonly string[] {
  return asksRaw?.end ?? [END_MARK]
}

function onlyText([message]: readonly Message[]): string {
  return typeof message?.content === 'string' ? message.content : ''
}

interface Inspection {
  readonly stop: readonly string[]
  /** For a raw prompt; null for messages. */
  readonly endMarks: readonly string[]
  readonly usesTools: boolean
}

/** The reply with further warnings, and without an end mark that the server left in it. */
function inspected(reply: Completion, { stop, endMarks, usesTools }: Inspection): Completion {
  const body = reply.text.trimEnd()
  const kept = endMarks.find((mark) => body.endsWith(mark))
  const text = kept === undefined ? reply.text : body.slice(0, -kept.length)
  const said = text.trimEnd()
  const found: readonly (readonly [ReplyWarning, boolean])[] = [
    ['end-mark-kept', kept !== undefined],
    ['stop-word-kept', stop.some((word) => said.endsWith(word.trimEnd()))],
    ['stop-word-ignored', stop.some((word) => said.includes(word) && !said.endsWith(word.trimEnd()))],
    ['server-read-calls', !usesTools && reply.toolCalls.length > 0],
  ]
  const added = found.flatMap(([warning, holds]) => (holds && !reply.warnings.includes(warning) ? [warning] : []))
  return { ...reply, text, warnings: [...reply.warnings, ...added] }
}

/** The text for the host, which cuts it at the stop words of its format, as the reference does. */
function forHost({ text, reasoning, toolCalls }: Completion, endMarks: readonly string[]): ReplyChunk {
  const ends = endMarks.map((mark) => text.indexOf(mark)).filter((end) => end >= 0)
  return {
    content: ends.length === 0 ? text : text.slice(0, Math.min(...ends)),
    reasoning_content: reasoning === '' ? null : reasoning,
    tool_calls: withIds(toolCalls),
  }
}

/** Results name their call, and the reference joins calls of the same name: so each gets its own id. */
function withIds(calls: readonly NativeCall[]): NonNullable<ReplyChunk['tool_calls']> {
  const before = new Set([''])
  return calls.map((call, at) => {
    const id = before.has(call.id) ? `call_${at}` : call.id
    before.add(call.id)
    return { id, function: call }
  })
}

const NO_REPLY = {
  ...{ id: '', text: '', reasoning: '', toolCalls: [], finishReason: null, usage: null },
  ...{ cached: false, warnings: [] },
} as const

function plainRecord(dict: PyDict): Readonly<Record<string, unknown>> {
  return toPlain(dict) as Readonly<Record<string, unknown>>
}

export interface FirstRequestOptions {
  readonly format: FormatName
  readonly task: Task
  readonly tools: readonly ToolSpec[]
  readonly sample: number
  readonly settings: RequestSettings
  /** The system message. Absent: none. */
  readonly system?: string
}

/** The first request of an episode; the only one if an episode is one turn. */
export function firstRequest(options: FirstRequestOptions): CompletionRequest {
  const { format, task, tools, sample, system } = options
  const settings = overApi(options.settings, format)
  const host = evalFormat(format).createHost({
    model: settings.name,
    tools,
    language: task.lang,
    maxModelCalls: task.maxModelCalls,
    seed: sample,
    prompt: settings.prompt,
  })
  const leading = system === undefined ? [] : [{ role: 'system', content: system } as const]
  const { action } = host.loop.start([...leading, ...conversationOf(task)])
  if (action.type !== 'generate')
    throw new Error(`callspec: ${formatId(format)} does not begin with a question to the model`)
  return createRequests({ host, sample, settings })(action.prepared).request
}

type Messages = readonly Readonly<Record<string, unknown>>[]

/** The new messages of a prompt, compared with the last one of the same episode (`[]` without one). */
export function sentPrompt(last: Messages, messages: Messages): SentPrompt {
  const same = messages.findIndex((message, index) => JSON.stringify(message) !== JSON.stringify(last[index]))
  const kept = same < 0 ? messages.length : same
  return { kept, added: messages.slice(kept) }
}

/** The same for a prompt that is one text (`''` without one). */
export function sentText(last: string, text: string): SentPrompt {
  let kept = 0
  while (kept < text.length && text.charCodeAt(kept) === last.charCodeAt(kept)) kept += 1
  return { kept, added: text.slice(kept) }
}

export interface RawPromptOptions {
  readonly profile: Profile
  /** See `Host.ownTextBegins`. */
  readonly ownTextBegins: string | null
}

/**
 * The prompts of one episode as ChatML texts, byte for byte as the reference renders them, up to the model's next text. Where a format
 * lets the model continue its own text, as ReAct does, that text is in the assistant's turn: the reference writes it after the question,
 * because a chat has no other place for it.
 *
 * @throws Raise for messages that ChatML cannot express
 */
export function createRawPrompts({
  profile,
  ownTextBegins,
}: RawPromptOptions): (messages: readonly Message[]) => string {
  let question: string | null = null
  const ofModel = (text: string): Split => {
    if (ownTextBegins === null) return { asked: text, own: null }
    question ??= text.endsWith(ownTextBegins) ? text.slice(0, text.length - ownTextBegins.length) : null
    if (question === null || !text.startsWith(question)) return { asked: text, own: null }
    return { asked: question, own: text.slice(question.length) }
  }
  return (messages) => {
    const last = messages.at(-1)
    if (last?.role !== 'user' || typeof last.content !== 'string') return renderChatML(messages, { profile })
    const { asked, own } = ofModel(last.content)
    const answer: readonly Message[] = own === null ? [] : [{ role: 'assistant', content: own }]
    return renderChatML([...messages.slice(0, -1), { ...last, content: asked }, ...answer], { profile })
  }
}

interface Split {
  readonly asked: string
  /** The text of the model so far, and of the host in between. */
  readonly own: string | null
}
