import type { NativeCall, ReplyWarning } from '../trace/completion.ts'
import type { Pieces } from './pieces.ts'
import { createPieces } from './pieces.ts'
import type { JsonRecord } from '../text/json.ts'
import { isRecord, stringOrEmpty } from '../text/json.ts'

/** More calls than this are not a useful reply; playing them would take longer than any time-out. */
export const MAX_CALLS = 1000

/** Collects the native calls of a reply from its message or deltas. */
export interface CallCollector {
  /** `isWhole`: every call in it is complete and separate. @throws TooManyCalls for more than `MAX_CALLS` */
  add(message: JsonRecord, isWhole: boolean): void
  calls(): readonly NativeCall[]
  /** UTF-16 units of all names and arguments so far. */
  units(): number
}

/** The calls up to the limit are kept. */
export class TooManyCalls extends Error {
  constructor() {
    super(`the answer holds more than ${MAX_CALLS} calls and was cut off`)
    this.name = 'TooManyCalls'
  }
}

interface OpenCall {
  id: string
  name: string
  readonly args: Pieces
}

/**
 * Merges streamed deltas by their index. Deviations of servers are read as they are meant: no index (the id decides; without one it is the
 * last call), one index for several calls with different ids and names, the name in every delta, arguments as a value instead of a text,
 * the old `function_call`.
 */
export function createCallCollector(warn: (warning: ReplyWarning) => void): CallCollector {
  const open: OpenCall[] = []
  const latest = new Map<unknown, OpenCall>()
  let units = 0
  const addDelta = (delta: JsonRecord, isWhole: boolean): void => {
    const called = isRecord(delta['function']) ? delta['function'] : delta
    const [id, name] = [stringOrEmpty(delta['id']), stringOrEmpty(called['name'])]
    const index = delta['index'] ?? null
    let call = isWhole ? undefined : index === null ? open.at(-1) : latest.get(index)
    if (call === undefined || isAnother(call, { index, id, name })) {
      if (open.length === MAX_CALLS) throw new TooManyCalls()
      call = { id: '', name: '', args: createPieces() }
      open.push(call)
      latest.set(index, call)
    }
    if (call.id === '') call.id = id
    if (name !== call.name) call.name += name
    const text = argumentText(called['arguments'], warn)
    const before = call.args.units()
    call.args.add(text)
    units += name.length + call.args.units() - before
  }
  return {
    add: (message, isWhole) => {
      const given = message['tool_calls']
      for (const each of Array.isArray(given) ? given : []) if (isRecord(each)) addDelta(each, isWhole)
      const old = message['function_call']
      if (!isRecord(old) || Array.isArray(given)) return
      warn('function-call')
      addDelta({ index: 0, function: old }, isWhole)
    },
    calls: () => {
      const ids = new Set(open.map(({ id }) => id))
      if (ids.size < open.length || ids.has('')) warn('no-call-id')
      if (open.some(({ args }) => args.isCumulative())) warn('cumulative-deltas')
      return open.map(({ id, name, args }) => ({ id, name, arguments: args.text() }))
    },
    units: () => units,
  }
}

/** Some servers number every call 0, or send no index: a different id with a name starts another call. */
function isAnother(
  call: OpenCall,
  { index, id, name }: Pick<OpenCall, 'id' | 'name'> & { readonly index: unknown },
): boolean {
  if (name === '') return false
  if (id !== '') return call.id !== '' && id !== call.id
  return index === null && call.args.units() > 0
}

function argumentText(given: unknown, warn: (warning: ReplyWarning) => void): string {
  if (typeof given === 'string') return given
  if (given === undefined || given === null) return ''
  warn('arguments-not-text')
  try {
    return JSON.stringify(given)
  } catch {
    // Nested too deeply to be serialized.
    return ''
  }
}

/** The parts of an error that may quote a reply. */
export interface ServerWords {
  /** Machine-readable, such as `tool_use_failed`. */
  readonly code: string
  readonly message: string
  /** `failed_generation`, or empty. */
  readonly generation: string
}

/**
 * The text of the model where a server reports that it cannot read the calls of its own model: as much as the message quotes, possibly
 * nothing. Null for any other error.
 */
export function unparsedText(words: ServerWords): string | null {
  for (const { text } of REFUSALS) {
    const found = text(words)
    if (found !== null) return found
  }
  return null
}

/** The message of one engine; `text` returns the part of the reply that it quotes. */
interface UnparsedRefusal {
  readonly engine: string
  readonly text: (words: ServerWords) => string | null
}

/** All known messages. They are literal texts of the engines, so that a refused template or prompt is not mistaken for a reply. */
export const REFUSALS: readonly UnparsedRefusal[] = [
  // The rest of the reply from the position where reading ended; older builds send only the position.
  { engine: 'llama.cpp', text: ({ message }) => afterMark(message, 'Failed to parse input at pos ', /^\d+(?:: )?/) },
  // Arguments of the model that are sent back in the history; older builds report it for the reply itself.
  { engine: 'llama.cpp', text: saying(/Failed to parse tool call arguments as JSON/) },
  { engine: 'Ollama', text: ({ message }) => between(message, "error parsing tool call: raw='", "', err=") },
  { engine: 'Ollama', text: saying(/error parsing tool call|XML syntax error on line \d+/) },
  { engine: 'Groq', text: ({ code, generation }) => (/\btool_use_failed\b/.test(code) ? generation : null) },
  {
    engine: 'vLLM, SGLang and LMDeploy with gpt-oss',
    text: saying(
      /unexpected tokens remaining in message header|Unexpected token \d+ while expecting start token|channel marker present but no channel value/,
    ),
  },
  { engine: 'vLLM with tool_choice', text: saying(/validation errors? for list\[function-wrap\[/) },
  { engine: 'SGLang', text: saying(/Failed to parse fc related info to json format/) },
  { engine: 'TGI', text: saying(/Failed to parse generated text/) },
  { engine: 'LM Studio', text: saying(/Failed to parse tool call: /) },
  { engine: 'OpenAI', text: saying(/The model produced invalid content/) },
]

/** Messages that quote nothing, or only a part that is cut off. */
function saying(pattern: RegExp): UnparsedRefusal['text'] {
  return ({ message }) => (pattern.test(message.slice(0, LONGEST_BEGINNING)) ? '' : null)
}

/** The known texts are at the beginning of a message. */
const LONGEST_BEGINNING = 2000

/** The text after a mark and after the match of `skip` that follows it. */
function afterMark(message: string, mark: string, skip: RegExp): string | null {
  const at = message.indexOf(mark)
  if (at < 0 || at > LONGEST_BEGINNING) return null
  const rest = message.slice(at + mark.length)
  const [skipped = null] = skip.exec(rest) ?? []
  return skipped === null ? null : rest.slice(skipped.length)
}

/** The text between a mark and the last closing one. */
function between(message: string, open: string, close: string): string | null {
  const at = message.indexOf(open)
  if (at < 0 || at > LONGEST_BEGINNING) return null
  const end = message.lastIndexOf(close)
  return message.slice(at + open.length, end < at + open.length ? undefined : end)
}
