import { toPlain, toWireParameters } from '@callspec/core'
import type { PreparedChat, PyDict, ReplyChunk } from '@callspec/core'
import { openAiReplies, serviceError, toWireMessages } from '@callspec/core/reference'
import type { Client, CompletionRequest } from '../client/client.ts'
import type { Completion, NativeCall, ReplyWarning } from '../client/completion.ts'
import type { Model } from '../drive-loop.ts'
import type { Host } from '../protocols/host.ts'
import { createRawPrompts } from './raw-prompt.ts'
import { requestHash } from './request-hash.ts'
import { END_MARK, parametersOf, plainSettings } from './request-settings.ts'
import type { RequestSettings } from './request-settings.ts'
import { sentPrompt, sentText } from './sent-prompt.ts'
import type { EpisodeKey, SentPrompt, TurnLine } from './trace.ts'

/** What one completion adds to the trace. */
export type TurnFields = Omit<TurnLine, keyof EpisodeKey | 'kind' | 'turn' | 'question'>

/** Whom an episode asks, and who is told of every answer. */
export interface ModelOptions {
  readonly key: EpisodeKey
  readonly client: Client
  readonly host: Host
  /** Absent: as `plainSettings` has it. */
  readonly settings?: RequestSettings | undefined
  /** Takes every completion, or the failure to get one, before the host sees it. */
  readonly onTurn: (fields: TurnFields) => void
  /** Milliseconds, only ever subtracted. */
  readonly clock: () => number
  readonly signal?: AbortSignal
}

/** The model behind HTTP. The host reads the complete reply, so that how it was cut into chunks changes nothing. */
export function modelOf({ key, client, host, settings, onTurn, clock, signal }: ModelOptions): Model {
  const ask = createRequests({ host, sample: key.sample, settings: settings ?? plainSettings(key.model) })
  return {
    generate: async function* (prepared) {
      const { request, sent, stop } = ask(prepared)
      const asked = { request: requestHash(request), sent }
      const began = clock()
      const outcome = await client.complete(request, signal)
      const { attempts } = outcome
      const how = { stop, isRaw: 'prompt' in request, usesTools: host.usesTools === true }
      if (outcome.kind === 'failed') {
        const { failure, partial } = outcome.error
        const ms = Math.round(clock() - began)
        const came = partial === null ? { ...NO_REPLY, ms } : inspected(partial, how)
        onTurn({ ...asked, ...came, failure, attempts })
        throw serviceError(String(failure.status ?? ''), failure.message)
      }
      const reply = inspected(outcome.value, how)
      onTurn({ ...asked, ...reply, failure: null, attempts })
      yield* openAiReplies([forHost(reply, how.isRaw)], host.profile)
    },
  }
}

/** A request, what in it is new, and the stop words of the protocol that the server is told. */
export interface Asked {
  readonly request: CompletionRequest
  readonly sent: SentPrompt
  readonly stop: readonly string[]
}

/** What the requests of one episode are made from. */
export interface RequestsOptions {
  readonly host: Host
  /** Which repetition of the episode it is. */
  readonly sample: number
  readonly settings: RequestSettings
}

/** Turns the chat calls of one episode into requests, in their order. */
export function createRequests({ host, sample, settings }: RequestsOptions): (prepared: PreparedChat) => Asked {
  const { profile, wireMessage = plainRecord, ownTextBegins = null } = host
  const rawPrompt = createRawPrompts({ profile, ownTextBegins })
  const isRaw = settings.api === 'completions'
  let last: readonly Readonly<Record<string, unknown>>[] = []
  let lastText = ''
  return ({ serviceMessages, generateCfg }) => {
    const { parameters, stop } = parametersOf(plainRecord(toWireParameters(generateCfg)), settings)
    const common = { model: settings.name, parameters, sample }
    if (isRaw) {
      const prompt = rawPrompt(serviceMessages)
      const sent = sentText(lastText, prompt)
      lastText = prompt
      return { request: { ...common, prompt }, sent, stop }
    }
    const messages = toWireMessages(serviceMessages, profile).map(wireMessage)
    const sent = sentPrompt(last, messages)
    last = messages
    return { request: { ...common, messages }, sent, stop }
  }
}

interface Inspection {
  readonly stop: readonly string[]
  readonly isRaw: boolean
  readonly usesTools: boolean
}

/** The reply with what the client cannot know is odd about it, and without an end mark that the server left in it. */
function inspected(reply: Completion, { stop, isRaw, usesTools }: Inspection): Completion {
  const body = reply.text.trimEnd()
  const keepsMark = isRaw && body.endsWith(END_MARK)
  const text = keepsMark ? body.slice(0, -END_MARK.length) : reply.text
  const said = text.trimEnd()
  const found: readonly (readonly [ReplyWarning, boolean])[] = [
    ['end-mark-kept', keepsMark],
    ['stop-word-kept', stop.some((word) => said.endsWith(word.trimEnd()))],
    ['stop-word-ignored', stop.some((word) => said.includes(word) && !said.endsWith(word.trimEnd()))],
    ['server-read-calls', !usesTools && reply.toolCalls.length > 0],
  ]
  const added = found.flatMap(([warning, holds]) => (holds && !reply.warnings.includes(warning) ? [warning] : []))
  return { ...reply, text, warnings: [...reply.warnings, ...added] }
}

/** What the host gets to read. The stop words of its protocol it cuts at by itself, as the reference does. */
function forHost({ text, reasoning, toolCalls }: Completion, isRaw: boolean): ReplyChunk {
  const end = isRaw ? text.indexOf(END_MARK) : -1
  return {
    content: end < 0 ? text : text.slice(0, end),
    reasoning_content: reasoning === '' ? null : reasoning,
    tool_calls: toolCalls.map((call, at) => ({ id: idOf(toolCalls, at), function: call })),
  }
}

/** Results name their call, and the reference joins calls of the same name: so each gets an id of its own. */
function idOf(calls: readonly NativeCall[], at: number): string {
  const id = calls[at]?.id ?? ''
  return id === '' || calls.findIndex((call) => call.id === id) < at ? `call_${at}` : id
}

const NO_REPLY = {
  ...{ id: '', text: '', reasoning: '', toolCalls: [], finishReason: null, usage: null },
  ...{ cached: false, warnings: [] },
} as const

function plainRecord(dict: PyDict): Readonly<Record<string, unknown>> {
  return toPlain(dict) as Readonly<Record<string, unknown>>
}
