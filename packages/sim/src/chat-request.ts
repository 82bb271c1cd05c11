import type { Limits } from './completion.ts'
import type { Hints } from './situation.ts'
import type { Prompt, WireMessage } from './speak/speaker.ts'
import type { Api } from './wire.ts'

/** A request for a completion, as understood. */
export interface CompletionRequest {
  readonly api: Api
  readonly model: string
  readonly prompt: Prompt
  /** The tools that are offered next to the messages, as they arrived; empty if there are none. */
  readonly tools: string
  readonly hints: Hints
  readonly limits: Limits
  /** The k-th repeat of a run sends seed + k. */
  readonly seed: number
  readonly isStream: boolean
  /** Everything that distinguishes one request from another. Streaming does not. */
  readonly identity: readonly unknown[]
}

/** Returns the header of a request by its name in lower case. */
export type HeaderReader = (name: string) => string | null

type Fields = Readonly<Record<string, unknown>>

/** Null for a body that requests no completion. */
export function readCompletionRequest(
  body: string,
  { api, header }: { readonly api: Api; readonly header: HeaderReader },
): CompletionRequest | null {
  const fields = bodyFields(body)
  if (fields === null || typeof fields['model'] !== 'string') return null
  const messages = api === 'chat' ? messagesOf(fields['messages']) : promptOf(fields['prompt'])
  if (messages === null) return null
  const tools = fields['tools']
  const hasTools = Array.isArray(tools) && tools.length > 0
  const seed = Number(word(fields['seed'] ?? 0))
  const hints = hintsOf(fields, header)
  const limits = { stop: [fields['stop'] ?? []].flat().map(word), maxTokens: limitOf(fields) }
  return {
    api,
    model: fields['model'],
    prompt: { messages, hasTools, ...(api === 'completions' ? { raw: word(fields['prompt']) } : {}) },
    tools: hasTools ? JSON.stringify(tools) : '',
    hints,
    limits,
    seed: Number.isFinite(seed) ? seed : 0,
    isStream: fields['stream'] === true,
    identity: [fields['model'], seed, fields['messages'] ?? fields['prompt'], hasTools, limits, hints],
  }
}

function bodyFields(body: string): Fields | null {
  try {
    const value: unknown = JSON.parse(body)
    return isFields(value) ? value : null
  } catch {
    return null
  }
}

/** A value that is meant as a word; never an object, whose `toString` may return anything. */
function word(value: unknown): string {
  return typeof value === 'object' && value !== null ? '' : String(value)
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function messagesOf(value: unknown): readonly WireMessage[] | null {
  if (!Array.isArray(value)) return null
  return value.filter(isFields).map((message) => ({
    role: word(message['role']),
    content: contentText(message['content']),
  }))
}

function promptOf(value: unknown): readonly WireMessage[] | null {
  return typeof value === 'string' ? readChatMl(value) : null
}

/** Content as one text: a text, or the texts of its parts. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .filter(isFields)
    .map((part) => (typeof part['text'] === 'string' ? part['text'] : ''))
    .join('')
}

function hintsOf({ metadata }: Fields, header: HeaderReader): Hints {
  const said = isFields(metadata) ? metadata : {}
  const task = header('x-sim-task') ?? said['task'] ?? null
  const step = header('x-sim-step') ?? said['step'] ?? null
  const count = step === null || typeof step === 'object' ? Number.NaN : Number(step)
  return {
    task: task === null ? null : word(task),
    // A header is hostile input, too: no conversation has more results than this.
    step: Number.isInteger(count) && count >= 0 && count <= 10_000 ? count : null,
  }
}

function limitOf(fields: Fields): number | null {
  const limit = fields['max_completion_tokens'] ?? fields['max_tokens']
  return typeof limit === 'number' && limit > 0 ? limit : null
}

/**
 * Where a message begins; a token may begin the prompt. Marks elsewhere are text: contents are not escaped, and models
 * leak marks into their history.
 */
const BEGIN = /(?:^(?:<\|\w+\|>)?|<\|im_end\|>\n)<\|im_start\|>(system|user|assistant|tool|function)\n/g
const END = '<|im_end|>'

/**
 * The messages of a raw prompt in ChatML. An open part at the end, which the model continues, is a message if it is not
 * empty. A text without any mark is one message of the user.
 */
export function readChatMl(prompt: string): readonly WireMessage[] {
  const begins = [...prompt.matchAll(BEGIN)]
  if (begins.length === 0) return [{ role: 'user', content: prompt }]
  return begins.flatMap((begin, at) => {
    const end = begins[at + 1]?.index
    const whole = prompt.slice(begin.index + begin[0].length, end)
    const isClosed = end === undefined && whole.endsWith(END)
    const content = isClosed ? whole.slice(0, -END.length) : whole
    const isOpen = end === undefined && !isClosed
    return isOpen && content === '' ? [] : [{ role: begin[1] ?? '', content }]
  })
}
