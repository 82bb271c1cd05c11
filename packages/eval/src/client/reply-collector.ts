import type { ChunkTime, Completion, ReplyWarning, Usage } from '../trace/completion.ts'
import { finishOf } from '../trace/completion.ts'
import { CompletionError, serverSaid } from './failure.ts'
import { createPieces } from './pieces.ts'
import type { JsonRecord } from '../text/json.ts'
import { isRecord, stringOrEmpty } from '../text/json.ts'
import type { CallCollector } from './tool-calls.ts'
import { createCallCollector, TooManyCalls } from './tool-calls.ts'

/** The most entries of `chunks`; longer streams keep every second, fourth, … entry. */
export const MAX_CHUNKS = 256

/** In UTF-16 units. No model writes a longer reply on purpose. */
export const MAX_REPLY_UNITS = 8_000_000

/** The most characters kept of the names that a server sends. */
const MAX_NAME = 200

/** Builds a reply from its parts: the events of a stream, or the one object of a whole reply. */
export interface ReplyCollector {
  /** Takes a part that arrived at `ms`. @throws CompletionError for an error of the server, and for a reply that is too long */
  add(part: unknown, ms: number): void
  warn(warning: ReplyWarning): void
  /** Whether the server has sent the finish reason, or the usage. */
  hasEnd(): boolean
  /** Whether any choice has arrived. */
  hasBegun(): boolean
  /** Whether there is text, reasoning, or a call. */
  hasContent(): boolean
  /** Time of the last content in ms; 0 for none. */
  lastContentMs(): number
  finish(): Omit<Completion, 'ms' | 'cached'>
}

/** Chat completions and text completions, streamed and whole, have the text in different members; one collector reads all four. */
export function createReplyCollector(): ReplyCollector {
  const warnings = new Set<ReplyWarning>()
  const warn = (warning: ReplyWarning): void => void warnings.add(warning)
  const calls = createCallCollector(warn)
  const [text, reasoning] = [createPieces(), createPieces()]
  const times = createChunkTimes()
  const head = { id: '', servedModel: '', fingerprint: '', finishReason: null as string | null }
  let usage: Usage | null = null
  const is = { begun: false, over: false }
  const sizeSoFar = (): number => text.units() + reasoning.units() + calls.units()
  let lastContentMs = 0

  const addChoice = (choice: JsonRecord, ms: number): void => {
    is.begun = true
    // Some servers send the usage first: then the stream has not ended.
    is.over = false
    const before = sizeSoFar()
    const { said, thought, message, isWhole } = readChoice(choice, warn)
    text.add(said)
    reasoning.add(thought)
    if (message !== null) addToolCalls(calls, message, isWhole)
    if (sizeSoFar() > MAX_REPLY_UNITS) throw tooLong()
    if (sizeSoFar() > before) lastContentMs = ms
    if (said !== '') times.add(ms, text.units())
    head.finishReason = finishReasonIn(choice) ?? head.finishReason
  }
  return {
    add: (part, ms) => {
      if (!isRecord(part)) return
      const choices = Array.isArray(part['choices']) ? part['choices'].filter(isRecord) : []
      if (choices.length === 0) throwIfError(part)
      if (head.id === '') head.id = stringOrEmpty(part['id'])
      if (head.servedModel === '') head.servedModel = stringOrEmpty(part['model']).slice(0, MAX_NAME)
      if (head.fingerprint === '') head.fingerprint = stringOrEmpty(part['system_fingerprint']).slice(0, MAX_NAME)
      usage = readUsage(part['usage']) ?? usage
      // Usage without choices is the last event of a stream; with text it may be in every event.
      if (isRecord(part['usage']) && choices.length === 0) is.over = true
      const choice = choiceOf(choices, warn)
      if (choice !== null) addChoice(choice, ms)
    },
    warn,
    hasEnd: () => head.finishReason !== null || is.over,
    hasBegun: () => is.begun,
    hasContent: () => sizeSoFar() > 0,
    lastContentMs: () => lastContentMs,
    finish: () => {
      const { id, servedModel, fingerprint, finishReason } = head
      const toolCalls = calls.calls()
      if (finishReason === null) warn('no-finish-reason')
      if (finishOf(finishReason) === 'tool_calls' && toolCalls.length === 0) warn('no-tool-calls')
      if (text.isCumulative() || reasoning.isCumulative()) warn('cumulative-deltas')
      const server = {
        ...(servedModel === '' ? {} : { servedModel }),
        ...(fingerprint === '' ? {} : { fingerprint }),
      }
      const said = { id, ...server, text: text.text(), reasoning: reasoning.text(), toolCalls, finishReason, usage }
      return { ...said, chunks: times.all(), warnings: [...warnings] }
    },
  }
}

/** Some servers report an error with the status 200, or in the middle of a stream. */
function throwIfError(part: JsonRecord): void {
  const given = part['error'] ?? (isBareError(part) ? part : null)
  if (given === null || given === false) return
  const error: JsonRecord = isRecord(given) ? given : { message: given }
  const status = isStatus(error['code']) ? error['code'] : null
  const message = stringOrEmpty(error['message']) || JSON.stringify(given)
  const generation = stringOrEmpty(error['failed_generation'])
  const code = `${stringOrEmpty(error['code'])} ${stringOrEmpty(error['type'])}`
  throw serverSaid({ status, code, message, generation, headers: undefined })
}

/** The members of an error without an `error` object around them. */
function isBareError(part: JsonRecord): boolean {
  return part['object'] === 'error' || (stringOrEmpty(part['message']) !== '' && 'code' in part && 'type' in part)
}

function isStatus(code: unknown): code is number {
  return Number.isInteger(code) && (code as number) >= 100 && (code as number) < 600
}

/** Choices may arrive in any order; the one with index 0 counts. */
function choiceOf(choices: readonly JsonRecord[], warn: (warning: ReplyWarning) => void): JsonRecord | null {
  const [first] = choices
  if (first === undefined) return null
  if (choices.length > 1) warn('several-choices')
  const zero = choices.find(({ index }) => index === 0 || index === undefined || index === null)
  if (zero !== undefined) return zero
  // In a stream with several choices, an event may lack choice 0.
  if (isRecord(first['delta'])) {
    warn('several-choices')
    return null
  }
  warn('no-choice-0')
  return first
}

interface ReadChoice {
  readonly said: string
  readonly thought: string
  readonly message: JsonRecord | null
  readonly isWhole: boolean
}

function readChoice(choice: JsonRecord, warn: (warning: ReplyWarning) => void): ReadChoice {
  const isWhole = isRecord(choice['message'])
  const message = isRecord(choice['message']) ? choice['message'] : isRecord(choice['delta']) ? choice['delta'] : null
  if (message === null) return { said: stringOrEmpty(choice['text']), thought: reasoningOf(choice), message, isWhole }
  return { said: replyContent(message, warn), thought: reasoningOf(message), message, isWhole }
}

function replyContent({ content, refusal }: JsonRecord, warn: (warning: ReplyWarning) => void): string {
  if (typeof content === 'string' && content !== '') return content
  if (Array.isArray(content)) {
    warn('content-parts')
    return content.map((part) => (isRecord(part) ? stringOrEmpty(part['text']) : stringOrEmpty(part))).join('')
  }
  if (typeof refusal !== 'string' || refusal === '') return ''
  warn('refusal-text')
  return refusal
}

function reasoningOf(message: JsonRecord): string {
  return stringOrEmpty(message['reasoning_content']) || stringOrEmpty(message['reasoning'])
}

function finishReasonIn(choice: JsonRecord): string | null {
  const reason = choice['finish_reason']
  return typeof reason === 'string' && reason !== '' ? reason : null
}

function addToolCalls(calls: CallCollector, message: JsonRecord, isWhole: boolean): void {
  try {
    calls.add(message, isWhole)
  } catch (error) {
    throw error instanceof TooManyCalls ? endless(error.message) : error
  }
}

function tooLong(): CompletionError {
  return endless(`the answer is longer than ${MAX_REPLY_UNITS / 1e6} million characters and was cut off`)
}

function endless(message: string): CompletionError {
  return new CompletionError({ kind: 'never-ends', status: 200, message }, { isRetryable: false })
}

/** Keeps at most `MAX_CHUNKS` times: above that, every second one is removed. `total`: units of all chunks so far. */
function createChunkTimes(): { add(ms: number, total: number): void; all(): readonly ChunkTime[] } {
  let kept: ChunkTime[] = []
  let last: ChunkTime | null = null
  let [step, seen] = [1, 0]
  return {
    add: (ms, total) => {
      const now: ChunkTime = [Math.round(ms), total]
      // Events that arrived together are one chunk.
      const isSame = last?.[0] === now[0]
      if (isSame && kept.at(-1) === last) kept[kept.length - 1] = now
      last = now
      if (isSame) return
      if (seen % step === 0) kept.push(last)
      seen += 1
      if (kept.length < MAX_CHUNKS) return
      kept = kept.filter((_, at) => at % 2 === 0)
      step *= 2
    },
    all: () => (last === null || kept.at(-1) === last ? kept : [...kept, last]),
  }
}

/** Null unless both counts are whole numbers of at least 0. */
export function readUsage(value: unknown): Usage | null {
  if (!isRecord(value)) return null
  const [prompt, completion] = [value['prompt_tokens'], value['completion_tokens']]
  if (!isTokenCount(prompt) || !isTokenCount(completion)) return null
  const reasoning = detail(value['completion_tokens_details'], 'reasoning_tokens')
  const cached = detail(value['prompt_tokens_details'], 'cached_tokens')
  return {
    prompt,
    completion,
    ...(reasoning === null ? {} : { reasoning }),
    ...(cached === null ? {} : { cached }),
  }
}

function detail(details: unknown, name: string): number | null {
  const count = isRecord(details) ? details[name] : null
  return isTokenCount(count) ? count : null
}

function isTokenCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
