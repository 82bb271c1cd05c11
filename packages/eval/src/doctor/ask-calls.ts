import { splitThought } from '../reading/read-blocks.ts'
import type { Probe, ModeReply, Modes, Prober } from './prober.ts'
import { repliesOf } from './prober.ts'
import { nativeReader } from '../formats/qwen-agent-host.ts'
import { SERVED_FORMAT, recordedNameOf, NATIVE } from '../trace/format-names.ts'
import { evalFormat } from '../formats/table.ts'
import { foreignCall } from '../reading/foreign-calls.ts'
import { readLenientJson } from '../reading/lenient-json.ts'
import { bareBlocks } from '../reading/read-blocks.ts'
import type { Completion } from '../trace/completion.ts'
import { countsProveNothing } from '../reading/swallowed.ts'
import type { ServerPrompt } from './list-models.ts'

/** What a server returns for calls, and what the model wrote. */
export interface CallProbes {
  readonly auto: Modes
  /** The same with `tool_choice`; null if the model calls by itself and was not forced. */
  readonly forced: ForcedCalls | null
  /** The model's continuation of the same prompt, sent as a text; null if that is not possible. */
  readonly raw: RawReply | null
  /** The reply of `call-markers`, where a chat asks for calls as text; null without a reply. */
  readonly marked: RawReply | null
  /** Whether token counts can prove that a part of a reply was lost: not if the server hides reasoning. */
  readonly countsProve: boolean
}

/** Replies to `tool_choice: "required"`, and to one that names the tool. */
export interface ForcedCalls {
  readonly required: Modes
  readonly named: Modes
}

/** A reply to a prompt that was sent as a text. */
export interface RawReply {
  readonly reply: Completion
  /** Null without a call in it. */
  readonly call: RawCall | null
  /** Whether the prompt is the server's own, not ours in ChatML. */
  readonly isExact: boolean
  /** The server's own prompt; null if it is not known. */
  readonly prompt: string | null
}

export interface AskCallsOptions {
  readonly tokens: number
  /** Whether the server accepts prompts as texts. */
  readonly hasRaw: boolean
  readonly serverPrompt: ServerPrompt
  /** The replies of the same server to chats without tools. */
  readonly chats: { readonly plain: Modes; readonly markers: Probe }
  readonly signal: AbortSignal
}

/** With text before a call, the reply shows whether the text arrives. */
export const SAY_FIRST = 'Whenever you call a tool, first say in one short sentence what you are about to do.'

/** Asks for calls as an evaluation does, forced if the model makes none by itself, and as a bare text. */
export async function askCalls(prober: Prober, options: AskCallsOptions): Promise<CallProbes> {
  const how = { format: NATIVE, system: SAY_FIRST, tokens: options.tokens } as const
  const { plain, markers } = options.chats
  const marked = rawReplyOf(markers, null)
  const auto = await prober.askBoth(how)
  if (repliesOf(auto).length === 0) return { auto, forced: null, raw: null, marked, countsProve: false }
  const raw = options.hasRaw ? await askRaw(prober, options) : null
  const callsItself = repliesOf(auto).some(({ reply }) => reply.toolCalls.some((call) => hasArguments(call.arguments)))
  const whole = [...repliesOf(plain), ...repliesOf({ whole: markers, streamed: LATE })].map(({ reply }) => reply)
  const doubtful = repliesOf(auto).flatMap(({ reply }) => (reply.toolCalls.length === 0 ? [reply] : []))
  const countsProve = !countsProveNothing(whole, doubtful)
  const known = { auto, raw, marked, countsProve }
  if (callsItself) return { ...known, forced: null }
  const force = (choice: unknown): Promise<Modes> => prober.askBoth({ ...how, parameters: { tool_choice: choice } })
  const required = await force('required')
  const named = await force({ type: 'function', function: { name: prober.tools[0]?.name ?? '' } })
  return { ...known, forced: { required, named } }
}

const LATE: Probe = { kind: 'late' }

/** False for an empty object. */
export function hasArguments(text: string): boolean {
  const bare = text.trim()
  return bare !== '' && bare !== 'null' && !/^\{\s*\}$/.test(bare)
}

async function askRaw(prober: Prober, { tokens, serverPrompt, signal }: AskCallsOptions): Promise<RawReply | null> {
  const chat = prober.requestOf({ format: NATIVE, system: SAY_FIRST, tokens })
  const exact = 'messages' in chat ? await serverPrompt(chat, signal) : null
  const own = { format: SERVED_FORMAT, api: 'completions', system: SAY_FIRST, tokens } as const
  const probe = exact === null ? await prober.ask(own) : (await prober.send(exact, { mayRetry: true })).probe
  return rawReplyOf(probe, exact?.prompt ?? null)
}

function rawReplyOf(probe: Probe, prompt: string | null): RawReply | null {
  if (probe.kind !== 'reply') return null
  return { reply: probe.reply, call: rawCallOf(probe.reply.text), isExact: prompt !== null, prompt }
}

/** The replies to forced calls, the required ones first. */
export function forcedReplies(forced: ForcedCalls | null): readonly ModeReply[] {
  return forced === null ? [] : [...repliesOf(forced.required), ...repliesOf(forced.named)]
}

/** The first call that a model wrote into a text. */
export interface RawCall {
  /** The text before it, outside reasoning, trimmed. */
  readonly prose: string
  /** Null in an unknown format. */
  readonly name: string | null
  /** As JSON; null in an unknown format. */
  readonly args: string | null
}

/** Null if the text holds no call in any known format. */
export function rawCallOf(text: string): RawCall | null {
  const { visible } = splitThought(text)
  const left = leftCallIn(text)
  if (left === null) return null
  const prose = visible.slice(0, left.start).trim()
  const isServed = left.format !== null && recordedNameOf(left.format) === SERVED_FORMAT
  const call = isServed ? evalFormat(SERVED_FORMAT).reader.readLenient(visible, null).calls?.[0] : undefined
  return { prose, name: call?.name ?? null, args: call === undefined ? null : (JSON.stringify(call.args) ?? null) }
}

/** A call in a text that the server did not read. */
export interface LeftCall {
  /** In the text outside reasoning: calls in reasoning are not meant to be read. */
  readonly start: number
  /** Id of one of `callFormats`; null for JSON without any mark. */
  readonly format: string | null
  /** Whether a parser of its format could have read it. A broken call is a fault of the model. */
  readonly isWhole: boolean
}

/** Null without a call. */
export function leftCallIn(text: string): LeftCall | null {
  const { visible } = splitThought(text)
  const foreign = foreignCall(visible)
  if (foreign !== null) return foreign
  const [bare] = bareBlocks(visible)
  if (bare !== undefined) return { start: bare.start, format: null, isWhole: readLenientJson(bare.json) !== null }
  return nativeReader.readStrict(visible, null).intent ? { start: 0, format: null, isWhole: false } : null
}
