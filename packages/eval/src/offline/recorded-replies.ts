import { parsedJson } from '../text/json.ts'
import type { ToolSpec } from '../trace/task.ts'
import { toolsOf } from './logged-message.ts'
import type { OutputRow, ReadRow } from './output-row.ts'
import { parseRecord } from './record.ts'
import type { Json } from './record.ts'
import { SHAPE_TABLE } from './shapes.ts'
import type { OutputShape } from './shapes.ts'

/** What a model wrote, whatever format it is in. */
export interface RecordedReply {
  /** Of its row; null where that has none. */
  readonly id: string | number | null
  readonly text: string
  /** The tools that its row offers; null where it does not say. */
  readonly tools: readonly ToolSpec[] | null
  /** Calls that a server has read already: they stand beside the text. */
  readonly callsBeside: number
}

/** The replies that a record holds; `ReadRow` without what belongs to one format. */
export type ReadReplies =
  | { readonly kind: 'replies'; readonly replies: readonly RecordedReply[] }
  | Extract<ReadRow, { kind: 'failed' | 'no-output' | 'unreadable' }>

/** How a record is read. */
export interface RepliesOptions {
  /** `text`: each record is a JSON text. */
  readonly shape: OutputShape | 'text'
  /** Where the text stands, of `outputs`; null for the usual members. */
  readonly field: string | null
}

/** Reads a record of recorded outputs, in no format in particular. Never throws. */
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
      // No format is other than asked for here; a shape that thinks so holds nothing to look at.
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
    id: idOf(row),
    text,
    tools: reply?.tools ?? toolsOf(row['tools'] ?? row['functions']),
    callsBeside: reply?.toolCalls.length ?? 0,
  }
}

/** What rows are numbered by, in the order in which it is looked for. */
const IDS = ['id', 'custom_id', 'doc_id'] as const

function idOf(row: Json): string | number | null {
  for (const member of IDS) {
    const id = row[member]
    if (typeof id === 'string' || typeof id === 'number') return id
  }
  return null
}
