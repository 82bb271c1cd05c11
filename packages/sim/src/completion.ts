import { createHash } from 'node:crypto'
import type { Labels, FaultyReply } from './fault.ts'
import { labelsOf } from './fault.ts'
import type { CallText } from './render.ts'
import type { TransportEffects } from './transport.ts'
import type { SimTurn } from './turn.ts'

export interface Limits {
  readonly stop: readonly string[]
  /** Null for no limit. */
  readonly maxTokens: number | null
}

/** A completion before it becomes JSON. */
export interface Completion {
  readonly id: string
  readonly model: string
  readonly text: string
  /** Reasoning that is separate from the text, or null. */
  readonly thought: string | null
  readonly calls: readonly CallText[]
  /** In the wire's form, or null. */
  readonly finishReason: string | null
  readonly usage: { readonly prompt: number; readonly completion: number }
  /** The outcome that a scorer must report. */
  readonly labels: Labels
  /** Whether a part of the model's text is missing. */
  readonly isCut: boolean
  /** The stop word that cut it; null for none. */
  readonly cutAt: string | null
}

/** The settings that turn a model's turn into a completion. */
export interface CompletionOptions {
  readonly id: string
  readonly model: string
  readonly limits: Limits
  readonly effects: TransportEffects
  readonly promptTokens: number
}

/** The turn as a server sends it: with its reasoning, cut at stop words and at the limit of tokens. */
export function completionOf(
  turn: Pick<SimTurn, 'reply' | 'expect'>,
  { id, model, limits, effects, promptTokens }: CompletionOptions,
): Completion {
  const { manners } = effects
  if (manners.has('null_content')) return nothing(turn, { id, model, promptTokens })
  const spelling = manners.get('reasoning')?.[0] ?? 'inline'
  const isApart = turn.reply.thought !== null && spelling !== 'inline'
  const spelled = isApart ? turn.reply.text : withThought(turn.reply)
  const stopped = cutAtStop(spelled, limits.stop)
  const cut = manners.has('ignore_stop') ? null : stopped
  const kept = cut === null ? spelled : cut.text + (manners.has('include_stop') ? cut.word : '')
  const whole = { text: kept, thought: isApart ? turn.reply.thought : null, calls: turn.reply.calls }
  const limited = limitTokens(whole, limits.maxTokens)
  // A stop word that a server left at the end is not the model's fault.
  const isCut = cut !== null || (stopped !== null && stopped.text + stopped.word === spelled.trimEnd())
  const meant = labelsOf(turn.expect, { variant: turn.reply.variant, isCut, isApart })
  // Text after a stop word of the request is the server's fault.
  const isIgnored = stopped !== null && !isCut && turn.expect.cut !== undefined
  // Text after a stop word that was not sent is the fault of the settings.
  const isUnsent = stopped === null && turn.expect.cut !== undefined && meant.blames === undefined
  const labels: Labels = isIgnored || isUnsent ? { ...meant, blames: isIgnored ? 'server' : 'setup' } : meant
  return {
    ...limited.said,
    id,
    model,
    finishReason: limited.isCut ? 'length' : simulatedFinish(turn.reply, manners),
    usage: { prompt: promptTokens, completion: replyTokens(limited.said) },
    labels: limited.isCut ? cutOff(turn.expect) : labels,
    isCut: isCut || limited.isCut,
    cutAt: cut?.word ?? null,
  }
}

/** The id of the request: equal requests have equal ids. */
export function completionId(prefix: 'chatcmpl' | 'cmpl', asked: readonly unknown[]): string {
  return `${prefix}-sim-${createHash('sha256').update(JSON.stringify(asked)).digest('hex').slice(0, 16)}`
}

const CUT_OFF: Labels = { strict: 'truncated', lenient: 'truncated', end: 'truncated', blames: 'setup' }
const NOTHING: Labels = { strict: 'empty', lenient: 'empty', end: 'empty_output', blames: 'server' }

/** A model that repeats itself would fill any limit; otherwise the limit was too small. */
function cutOff({ flags }: SimTurn['expect']): Labels {
  return flags?.includes('intra_repetition') === true ? { ...CUT_OFF, blames: 'model' } : CUT_OFF
}

/** A server that lost the model's text but counted its tokens. */
function nothing(
  { reply }: Pick<SimTurn, 'reply'>,
  { id, model, promptTokens }: Pick<CompletionOptions, 'id' | 'model' | 'promptTokens'>,
): Completion {
  return {
    id,
    model,
    text: '',
    thought: null,
    calls: [],
    finishReason: reply.finishReason,
    usage: { prompt: promptTokens, completion: replyTokens({ ...reply, thought: null }) },
    labels: NOTHING,
    isCut: true,
    cutAt: null,
  }
}

function withThought({ thought, text }: FaultyReply): string {
  return thought === null ? text : `<think>\n${thought}\n</think>\n${text}`
}

function cutAtStop(text: string, stop: readonly string[]): { readonly text: string; readonly word: string } | null {
  let first: { readonly at: number; readonly word: string } | null = null
  for (const word of stop) {
    const at = word === '' ? -1 : text.indexOf(word)
    if (at >= 0 && (first === null || at < first.at)) first = { at, word }
  }
  return first === null ? null : { text: text.slice(0, first.at), word: first.word }
}

interface WholeReply {
  readonly text: string
  readonly thought: string | null
  readonly calls: readonly CallText[]
}

/** Reasoning, then text, then calls; the part beyond the limit is cut off, for a call within its arguments. */
function limitTokens(said: WholeReply, limit: number | null): { readonly said: WholeReply; readonly isCut: boolean } {
  if (limit === null || replyTokens(said) <= limit) return { said, isCut: false }
  const thought = said.thought === null ? null : firstTokens(said.thought, limit)
  const afterThought = limit - countTokens(thought ?? '')
  const text = firstTokens(said.text, afterThought)
  let left = afterThought - countTokens(text)
  const calls: CallText[] = []
  for (const call of said.calls) {
    if (left <= 0) break
    const args = firstTokens(call.arguments, left)
    calls.push({ name: call.name, arguments: args })
    left -= countTokens(args) + 1
  }
  return { said: { text, thought, calls }, isCut: true }
}

function replyTokens({ text, thought, calls }: WholeReply): number {
  const counted = [text, thought ?? '', ...calls.map((call) => call.arguments)].map(countTokens)
  return counted.reduce((sum, tokens) => sum + tokens, calls.length)
}

function simulatedFinish({ finishReason, calls }: FaultyReply, manners: TransportEffects['manners']): string | null {
  if (finishReason === 'length') return 'length'
  const given = manners.get('finish')?.[0]
  if (given !== undefined) return given === 'null' ? null : given
  return calls.length > 0 ? 'tool_calls' : 'stop'
}

/** The tokenizer of the simulated models, `sim-tok-1`: one per Chinese character, one per four UTF-8 bytes of the rest, rounded up. */
export function countTokens(text: string): number {
  // Most prompts are ASCII, and every reply counts one.
  if (Buffer.byteLength(text) === text.length) return Math.ceil(text.length / 4)
  return measure(text, Number.POSITIVE_INFINITY).tokens
}

/** The longest beginning of a text that has at most `limit` tokens. Whole code points. */
export function firstTokens(text: string, limit: number): string {
  return text.slice(0, measure(text, limit).end)
}

/** One pass over the text, or as much of it as the limit allows. */
function measure(text: string, limit: number): { readonly tokens: number; readonly end: number } {
  let [chinese, bytes, at] = [0, 0, 0]
  while (at < text.length) {
    const unit = text.charCodeAt(at)
    const isPair = unit >= 0xd800 && unit < 0xdc00 && isLowSurrogate(text.charCodeAt(at + 1))
    const isChinese = (unit >= 0x4e00 && unit <= 0x9fff) || (unit >= 0x3400 && unit <= 0x4dbf)
    const size = unit < 0x80 ? 1 : unit < 0x800 ? 2 : isPair ? 4 : 3
    const nextChinese = isChinese ? chinese + 1 : chinese
    const nextBytes = isChinese ? bytes : bytes + size
    if (nextChinese + Math.ceil(nextBytes / 4) > limit) break
    chinese = nextChinese
    bytes = nextBytes
    at += isPair ? 2 : 1
  }
  return { tokens: chinese + Math.ceil(bytes / 4), end: at }
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000
}
