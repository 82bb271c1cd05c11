import type { Format, ReplyItem } from '@callspec/core'
import { FORMATS } from '@callspec/core'

/** The sides of the playground. */
export const PANELS = ['reply', 'prompt', 'template', 'model'] as const

/** One of `PANELS`. */
export type Panel = (typeof PANELS)[number]

export interface ReplyChoice {
  /** Id of a format; empty for the one that the reply is in. */
  readonly format: string
  /** Empty for `strict`, or for the format's first version if it has no `strict`. */
  readonly version: string
  /** Whether all calls of the reply count, where a format counts only the first. */
  readonly parallelCalls: boolean
  /** Whether the prompt had already opened a thought. */
  readonly thoughtInContent: boolean
}

/** Whose prompt is written. */
export interface PromptChoice {
  readonly format: string
  /** Empty for the format's first one. */
  readonly version: string
}

/** Everything that a link contains: pasted texts and chosen settings. */
export interface PlaygroundState {
  readonly panel: Panel
  /** What a model wrote. */
  readonly reply: string
  readonly reading: ReplyChoice
  /** How much of the reply has arrived, in UTF-16 units; null for all of it. */
  readonly cut: number | null
  /** JSON5: a list of tools. All sides use them. */
  readonly tools: string
  /** JSON5: a list of messages, or an object with `messages` and other members of a request. */
  readonly conversation: string
  readonly prompt: PromptChoice
  readonly template: string
  /** Of a model: `owner/name` or an address, and that of the copy to compare with. Files are not kept. */
  readonly model: string
  readonly against: string
}

/** Nothing pasted yet. */
export const EMPTY_STATE: PlaygroundState = {
  panel: 'reply',
  reply: '',
  reading: { format: '', version: '', parallelCalls: false, thoughtInContent: false },
  cut: null,
  tools: '',
  conversation: '',
  prompt: { format: '', version: '' },
  template: '',
  model: '',
  against: '',
}

/** A state from untrusted data: members of another type are as in `EMPTY`. Null for a value that is not an object. */
export function stateFrom(data: unknown): PlaygroundState | null {
  if (!isRecord(data)) return null
  const reading = isRecord(data['reading']) ? data['reading'] : {}
  const prompt = isRecord(data['prompt']) ? data['prompt'] : {}
  const { cut } = data
  return {
    panel: PANELS.find((panel) => panel === data['panel']) ?? EMPTY_STATE.panel,
    reply: textOrEmpty(data['reply']),
    reading: {
      format: textOrEmpty(reading['format']),
      version: textOrEmpty(reading['version']),
      parallelCalls: reading['parallelCalls'] === true,
      thoughtInContent: reading['thoughtInContent'] === true,
    },
    cut: typeof cut === 'number' && Number.isInteger(cut) && cut >= 0 ? cut : null,
    tools: textOrEmpty(data['tools']),
    conversation: textOrEmpty(data['conversation']),
    prompt: { format: textOrEmpty(prompt['format']), version: textOrEmpty(prompt['version']) },
    template: textOrEmpty(data['template']),
    model: textOrEmpty(data['model']),
    against: textOrEmpty(data['against']),
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** How the hash of a link begins; the number is the version of what follows. */
const ADDRESS_HEAD = '#1='

/** A hash that unpacks to more bytes is not read: a few bytes may expand to gigabytes. */
export const MOST_UNPACKED = 16_000_000

/** The hash of a link that carries the state: JSON, deflated, in base64url. */
export async function writeLink(state: PlaygroundState): Promise<string> {
  // JSON.stringify writes lone surrogates as escapes by itself.
  const json = new TextEncoder().encode(JSON.stringify(state))
  const packed = await packing(json, new CompressionStream('deflate-raw'), Infinity)
  return ADDRESS_HEAD + base64Url(packed)
}

/** The state in a hash; null for any other hash, for a broken one, and for one that unpacks to too much. */
export async function readLink(hash: string): Promise<PlaygroundState | null> {
  if (!hash.startsWith(ADDRESS_HEAD)) return null
  try {
    const packed = bytesFromBase64(hash.slice(ADDRESS_HEAD.length))
    const json = await packing(packed, new DecompressionStream('deflate-raw'), MOST_UNPACKED)
    return stateFrom(JSON.parse(new TextDecoder().decode(json)))
  } catch {
    return null
  }
}

/** @throws Error for broken data, and for more than `most` bytes */
async function packing(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
  most: number,
): Promise<Uint8Array> {
  const writer = stream.writable.getWriter()
  // A fault in the data is reported to the reader of the stream as well.
  const written = writer
    .write(bytes)
    .then(() => writer.close())
    .catch(() => undefined)
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = (stream.readable as ReadableStream<Uint8Array>).getReader()
  for (let next = await reader.read(); next.value !== undefined; next = await reader.read()) {
    const chunk = next.value
    length += chunk.length
    if (length > most) {
      await reader.cancel()
      throw new Error('too much')
    }
    chunks.push(chunk)
  }
  await written
  const whole = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

/** The number of bytes that become one text at a time: more arguments overflow the stack. */
const STEP = 0x8000

function base64Url(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += STEP) binary += String.fromCharCode(...bytes.subarray(at, at + STEP))
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** @throws DOMException for a text that is not base64 */
function bytesFromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at)
  return bytes
}

const EXAMPLE_TOOLS = `[
  {
    "type": "function",
    "function": {
      "name": "get_weather",
      "description": "Returns the weather of a city.",
      "parameters": {
        "type": "object",
        "properties": { "city": { "type": "string" }, "days": { "type": "integer" } },
        "required": ["city"]
      }
    }
  }
]
`

const CONVERSATION = `[
  { "role": "system", "content": "Answer briefly." },
  { "role": "user", "content": "Will it rain in Oslo tomorrow?" }
]
`

const EXAMPLE_TEMPLATE = `{%- for message in messages %}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
{{- '<|im_start|>assistant\\n' }}
{%- endif %}
`

/** A reply with reasoning, a sentence and two calls, as far as a format can express them. */
export function exampleReply(format: Format): string {
  const { reasoning, callsAlone, severalCalls } = format.traits
  const isAlone = callsAlone === true
  const items: readonly ReplyItem[] = [
    ...(reasoning && !isAlone ? [{ kind: 'reasoning', text: 'The user asks about Oslo.' } as const] : []),
    ...(isAlone ? [] : [{ kind: 'text', text: 'Let me look.' } as const]),
    { kind: 'call', name: 'get_weather', arguments: '{"city": "Oslo", "days": 2}', id: CALL_IDS[0] },
    ...(severalCalls
      ? [{ kind: 'call', name: 'get_weather', arguments: '{"city": "Bergen", "days": 2}', id: CALL_IDS[1] } as const]
      : []),
  ]
  return format.write(items)
}

/** Nine letters and digits, as some formats require. */
const CALL_IDS = ['call00001', 'call00002'] as const

/** The contents of the page before a user pastes anything. */
export const EXAMPLE: PlaygroundState = {
  ...EMPTY_STATE,
  reply: FORMATS[0] === undefined ? '' : exampleReply(FORMATS[0]),
  tools: EXAMPLE_TOOLS,
  conversation: CONVERSATION,
  prompt: { format: FORMATS.find(({ prompt }) => prompt !== null)?.id ?? '', version: '' },
  template: EXAMPLE_TEMPLATE,
}
