import type { ReadRow, RowOptions, OutputRow } from './output-rows.ts'
import { messagesIn, readChatRows, readSampleRows, readTextRow, TEXT_FIELDS, readTurnRow } from './output-rows.ts'
import type { Json } from './logged-message.ts'
import { listOf, parseRecord, loggedTools } from './logged-message.ts'
import { genAiRecords, isTelemetry } from './genai-spans.ts'
import type { SpanCounts } from './genai-spans.ts'
import { isAnswer, readAnswer } from './logged-reply.ts'
import { parsedJson } from '../text/json.ts'
import type { ToolSpec } from '../trace/task.ts'

/** The shapes of files of recorded outputs. */
export const OUTPUT_SHAPES = [
  'turns',
  'openai-batch',
  'openai',
  'lm-eval',
  'sharegpt',
  'outputs',
  'chat',
  'otel',
] as const

/** An id in `OUTPUT_SHAPES`. */
export type OutputShape = (typeof OUTPUT_SHAPES)[number]

interface ShapeEntry {
  /** For people. */
  readonly about: string
  /** Whether its calls are separate from the text, so that they are native unless another format is requested. */
  readonly isNative?: true
  /** Whether a row of this shape cannot have another one. */
  readonly fits: (row: Json) => boolean
  readonly read: (row: Json, options: RowOptions) => ReadRow
}

const isString = (value: unknown): boolean => typeof value === 'string'

/** One row per shape. The first shape in the order of `OUTPUT_SHAPES` that fits counts: a text with its prompt is not a chat. */
export const SHAPE_TABLE: Readonly<Record<OutputShape, ShapeEntry>> = {
  turns: {
    about: 'turns of a run of callspec',
    fits: ({ kind, protocol }) => isString(protocol) && (kind === 'turn' || kind === 'call' || kind === 'end'),
    read: readTurnRow,
  },
  'openai-batch': {
    about: 'a Batch output of OpenAI or vLLM ("custom_id")',
    isNative: true,
    fits: (row) => isString(row['custom_id']) && (Object.hasOwn(row, 'response') || Object.hasOwn(row, 'error')),
    read: readAnswer,
  },
  openai: {
    about: 'OpenAI answers ("choices")',
    isNative: true,
    fits: isAnswer,
    read: readAnswer,
  },
  'lm-eval': {
    about: 'lm-eval samples ("resps")',
    fits: (row) => listOf(row['resps']) !== null || listOf(row['filtered_resps']) !== null,
    read: readSampleRows,
  },
  sharegpt: {
    about: 'ShareGPT conversations ("conversations"), every reply in them',
    fits: (row) => Object.hasOwn(row, 'conversations') && messagesIn(row) !== null,
    read: readChatRows,
  },
  outputs: {
    about: 'texts, one per row',
    // The "response" of Qwen's exam is the expected one; the model's text is another member.
    fits: (row) =>
      !Object.hasOwn(row, 'gen') && TEXT_FIELDS.some((field) => Object.hasOwn(row, field) && isString(row[field])),
    read: readTextRow,
  },
  chat: {
    about: 'chat logs ("messages"), every reply of the assistant in them',
    isNative: true,
    fits: (row) => messagesIn(row) !== null,
    read: readChatRows,
  },
  otel: {
    about: 'GenAI spans of OpenTelemetry ("resourceSpans")',
    isNative: true,
    fits: isTelemetry,
    // Of one request; `genAiRecords` takes them out of the batches of a file.
    read: (row) => {
      const reason = row['not_recorded']
      return typeof reason === 'string' ? { kind: 'unreadable', reason } : readAnswer(row)
    },
  },
}

/** The shape of a row; null if no shape fits. */
export function rowShape(row: Json): OutputShape | null {
  return OUTPUT_SHAPES.find((shape) => SHAPE_TABLE[shape].fits(row)) ?? null
}

/** The function that reads the records of a shape. */
export function rowReader(shape: OutputShape): (record: string, options: RowOptions) => ReadRow {
  const { read } = SHAPE_TABLE[shape]
  return (text, options) => {
    const record = parseRecord(text)
    return record.kind === 'object' ? read(record.value, options) : record
  }
}

/** The shape of the first records of a file. */
export type Recognised =
  { readonly kind: 'shape'; readonly shape: OutputShape; readonly records: AsyncIterable<string> } | Unrecognised

/** No known shape. */
export interface Unrecognised {
  readonly kind: 'unknown'
  /** The first record that is not empty, counted from 1; null in an empty file. */
  readonly at: number | null
  readonly reason: string
  /** The members of that record, if it is an object. */
  readonly members: readonly string[]
}

/** After so many records without a shape, or so many UTF-16 units of them, the file is given up. */
const [MOST_RECORDS, MOST_UNITS] = [1000, 10_000_000]

/** The records that a shape reads: of batches of spans, each request by itself. */
export function recordsOf(
  shape: OutputShape,
  records: AsyncIterable<string>,
  counts?: SpanCounts,
): AsyncIterable<string> {
  return shape === 'otel' ? genAiRecords(records, counts) : records
}

/** Finds the shape of a file by the first record that has one. The records start again with the first; see `recordsOf`. */
export async function recogniseShape(records: AsyncIterable<string>): Promise<Recognised> {
  const iterator = records[Symbol.asyncIterator]()
  const seen: string[] = []
  let units = 0
  let first: Unrecognised = { kind: 'unknown', at: null, reason: 'it holds no rows', members: [] }
  while (seen.length < MOST_RECORDS && units < MOST_UNITS) {
    const next = await iterator.next()
    if (next.done === true) break
    seen.push(next.value)
    units += next.value.length
    if (next.value.trim() === '') continue
    const record = parseRecord(next.value)
    const shape = record.kind === 'object' ? rowShape(record.value) : null
    if (shape !== null) return { kind: 'shape', shape, records: replayed(seen, iterator) }
    if (first.at === null) first = unknown(seen.length, record)
  }
  await iterator.return?.()
  return first
}

function unknown(at: number, record: ReturnType<typeof parseRecord>): Unrecognised {
  return record.kind === 'object'
    ? { kind: 'unknown', at, reason: 'no recorded output that is known here', members: Object.keys(record.value) }
    : { kind: 'unknown', at, reason: record.reason, members: [] }
}

async function* replayed(seen: readonly string[], rest: AsyncIterator<string>): AsyncGenerator<string> {
  try {
    yield* seen
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}

/** The text of a model, in any format. */
export interface RecordedReply {
  /** Of its row; null if the row has none. */
  readonly id: string | number | null
  readonly text: string
  /** The tools that its row offers; null if it does not name them. */
  readonly tools: readonly ToolSpec[] | null
  /** Calls that a server has read already, separate from the text. */
  readonly callsBeside: number
}

/** The replies of a record; `ReadRow` without what belongs to one format. */
export type ReadReplies =
  | { readonly kind: 'replies'; readonly replies: readonly RecordedReply[] }
  | Extract<ReadRow, { kind: 'failed' | 'no-output' | 'unreadable' }>

/** How a record of any format is read. */
export interface RepliesOptions {
  /** `text`: each record is JSON text. */
  readonly shape: OutputShape | 'text'
  /** The place of the text in `outputs`; null for the usual members. */
  readonly field: string | null
}

/** Reads a record of recorded outputs, in any format. Never throws. */
export function readReplies(record: string, { shape, field }: RepliesOptions): ReadReplies {
  if (shape === 'text') return readText(record)
  const parsed = parseRecord(record)
  if (parsed.kind !== 'object') return parsed
  const row = parsed.value
  const read = SHAPE_TABLE[shape].read(row, { reader: EVERY_FORMAT, field })
  switch (read.kind) {
    case 'row':
      return { kind: 'replies', replies: [replyOf(row, read.row)] }
    case 'rows':
      return { kind: 'replies', replies: read.rows.map((each) => replyOf(row, each)) }
    case 'other-format':
      // No format is requested here, so this kind contains nothing to read.
      return { kind: 'no-output' }
    default:
      return read
  }
}

const EVERY_FORMAT = { accepts: () => true }

function readText(record: string): ReadReplies {
  const text = parsedJson(record)
  return typeof text === 'string'
    ? { kind: 'replies', replies: [{ id: null, text, tools: null, callsBeside: 0 }] }
    : { kind: 'unreadable', reason: 'this is no JSON text' }
}

function replyOf(row: Json, { text, reply }: OutputRow): RecordedReply {
  return {
    id: rowId(row),
    text,
    tools: reply?.tools ?? loggedTools(row['tools'] ?? row['functions']),
    callsBeside: reply?.toolCalls.length ?? 0,
  }
}

/** The members by which rows are numbered, first choice first. */
const IDS = ['id', 'custom_id', 'doc_id'] as const

function rowId(row: Json): string | number | null {
  for (const member of IDS) {
    const id = row[member]
    if (typeof id === 'string' || typeof id === 'number') return id
  }
  return null
}
