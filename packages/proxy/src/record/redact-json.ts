import { isUtf8 } from 'node:buffer'
import { bounded } from '@callspec/eval/guards'
import type { RawHeaders } from '../track.ts'
import { HIDDEN_VALUE } from './hide-secrets.ts'
import type { TimedBytes } from './record-line.ts'

/** Returns a text without the parts that must not be recorded. */
export type RedactText = (text: string) => string

/** Members of requests that contain keys, for some gateways. */
const SECRET_MEMBERS =
  /"((?:x-)?(?:api|private)[_-]?key|authorization|(?:(?:access|api|auth|bearer|id|refresh|secret|session|user)[_-]?)?token|password|(?:client[_-]?)?secret)"(\s*:\s*)"(?:[^"\\]|\\.)*"/gi

/** The body of a request as it is recorded; null if it cannot be redacted. */
export function redactBody(body: Uint8Array, redact: RedactText | null): Uint8Array | null {
  const view = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (!isUtf8(view)) return redact === null ? view : null
  const text = view
    .toString('utf8')
    .replace(SECRET_MEMBERS, (_, name: string, sign: string) => `"${name}"${sign}"${HIDDEN_VALUE}"`)
  if (redact === null) return Buffer.from(text)
  const hidden = attempt(() => redactText(text, redact))
  return hidden === null ? null : Buffer.from(hidden)
}

/** A reply as it is recorded: every event of a stream is a separate part. `failed` if it cannot be redacted. */
export function redactReply(
  parts: readonly TimedBytes[],
  headers: RawHeaders,
  redact: RedactText,
): { readonly kind: 'failed' } | { readonly kind: 'done'; readonly parts: readonly TimedBytes[] } {
  const whole = Buffer.concat(parts.map(({ bytes }) => bytes))
  if (isPacked(headers) || !isUtf8(whole)) return whole.length === 0 ? { kind: 'done', parts: [] } : { kind: 'failed' }
  const text = whole.toString('utf8')
  const isStream = /^\s*(?:data|event|id|retry)?:/.test(text)
  const last = parts.at(-1)?.at ?? 0
  const made = attempt(() =>
    isStream
      ? redactEvents(text, redact).map((event) => ({ ...event, at: timeOf(event.end, parts) }))
      : [{ text: redactText(text, redact), at: last }],
  )
  if (made === null) return { kind: 'failed' }
  return { kind: 'done', parts: made.map(({ text: each, at }) => ({ at, bytes: Buffer.from(each) })) }
}

/** Whether a body is compressed. */
export function isPacked(headers: RawHeaders): boolean {
  return headers.some((name, at) => at % 2 === 0 && /^content-encoding$/i.test(name) && headers[at + 1] !== 'identity')
}

/** When the byte before `end`, an offset in UTF-8, arrived. */
function timeOf(end: number, parts: readonly TimedBytes[]): number {
  let seen = 0
  for (const { at, bytes } of parts) {
    seen += bytes.length
    if (seen >= end) return at
  }
  return parts.at(-1)?.at ?? 0
}

/** Null if it throws or returns anything but texts: then nothing is written. */
function attempt<T>(work: () => T): T | null {
  try {
    return work()
  } catch {
    return null
  }
}

/** Every text of a JSON value is redacted separately; a text that is not JSON, as a whole. */
function redactText(text: string, redact: RedactText): string {
  const value = attempt(() => JSON.parse(text) as unknown)
  return value === null
    ? redactedText(redact, text)
    : JSON.stringify(mapTexts(value, (each) => redactedText(redact, each)))
}

function redactedText(redact: RedactText, text: string): string {
  // A function that never returns would stop the traffic, too.
  const hidden: unknown = bounded(redact, () => redact(text))
  if (typeof hidden !== 'string') throw new TypeError('redact gave no text')
  return hidden
}

interface EventText {
  readonly text: string
  /** Where the event ended, in bytes of UTF-8. */
  readonly end: number
}

/** Texts that are split over events are joined, redacted, and split at the same places again. */
function redactEvents(text: string, redact: RedactText): readonly EventText[] {
  const blocks = text.match(/[^]*?(?:\r?\n\r?\n|$)/g)?.filter((block) => block !== '') ?? []
  const values = blocks.map((block) => {
    const data = /^data:(.*)$/m.exec(block)?.[1]
    return data === undefined ? null : attempt(() => JSON.parse(data) as unknown)
  })
  const pieces = new Map<string, string[]>()
  const collect = (piece: string, path: string): string => {
    const known = pieces.get(path)
    if (known === undefined) pieces.set(path, [piece])
    else known.push(piece)
    return piece
  }
  for (const value of values) mapTexts(value, collect)
  const hidden = new Map(
    [...pieces].map(([path, all]) => [path, redactPieces(all, (whole) => redactedText(redact, whole)).values()]),
  )
  let end = 0
  return blocks.map((block, at) => {
    end += Buffer.byteLength(block)
    const value = values[at]
    if (value === null || typeof value !== 'object') return { text: redactedText(redact, block), end }
    const changed = mapTexts(value, (piece, path) => hidden.get(path)?.next().value ?? piece)
    return { text: `${(/^event:.*\n/m.exec(block) ?? [''])[0]}data: ${JSON.stringify(changed)}\n\n`, end }
  })
}

/** Words of the API, written by neither a model nor a user. */
const PLAIN: ReadonlySet<string> = new Set([
  'id',
  'object',
  'model',
  'role',
  'type',
  'finish_reason',
  'system_fingerprint',
  'stop_reason',
  'status',
  'call_id',
  'item_id',
  'tool_use_id',
])

/** The value with every text in it changed; members of lists are distinguished by their `index`, if they have one. */
function mapTexts(value: unknown, change: (text: string, path: string) => string, path = ''): unknown {
  if (typeof value === 'string') return change(value, path)
  if (Array.isArray(value)) {
    return value.map((each: unknown, at) => mapTexts(each, change, `${path}/${eventIndex(each) ?? at}`))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]: [string, unknown]) => [
      key,
      PLAIN.has(key) && typeof each === 'string' ? each : mapTexts(each, change, `${path}/${key}`),
    ]),
  )
}

function eventIndex(value: unknown): number | null {
  const index: unknown = typeof value === 'object' && value !== null && 'index' in value ? value.index : null
  return typeof index === 'number' ? index : null
}

/**
 * Redacts a text that arrives in pieces, and returns as many pieces: unchanged text stays in its piece, and the
 * replacement of the rest is in the piece with the first change.
 */
function redactPieces(pieces: readonly string[], redact: (whole: string) => string): readonly string[] {
  const whole = pieces.join('')
  const hidden = redact(whole)
  if (hidden === whole) return pieces
  const head = commonHead(whole, hidden)
  const tail = commonTail(whole, hidden, head)
  const [from, to] = [head, whole.length - tail]
  const middle = hidden.slice(head, hidden.length - tail)
  let [at, isPut] = [0, false]
  return pieces.map((piece) => {
    const [start, end] = [at, at + piece.length]
    at = end
    const before = piece.slice(0, Math.max(0, Math.min(piece.length, from - start)))
    const after = piece.slice(Math.max(0, Math.min(piece.length, to - start)))
    const isHere = !isPut && (end > from || end === whole.length)
    if (isHere) isPut = true
    return `${before}${isHere ? middle : ''}${start >= to || end > to ? after : ''}`
  })
}

function commonHead(one: string, other: string): number {
  const most = Math.min(one.length, other.length)
  let size = 0
  while (size < most && one.charCodeAt(size) === other.charCodeAt(size)) size += 1
  return size
}

function commonTail(one: string, other: string, head: number): number {
  const most = Math.min(one.length, other.length) - head
  let size = 0
  while (size < most && one.charCodeAt(one.length - 1 - size) === other.charCodeAt(other.length - 1 - size)) size += 1
  return size
}
