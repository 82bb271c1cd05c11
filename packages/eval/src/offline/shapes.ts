import { messagesIn, readChatRows } from './chat-rows.ts'
import { isAnswer, readAnswer } from './logged-reply.ts'
import { readTextRow, TEXT_FIELDS } from './output-row.ts'
import type { ReadRow, RowOptions } from './output-row.ts'
import { listOf, parseRecord } from './record.ts'
import type { Json } from './record.ts'
import { readSampleRows } from './sample-rows.ts'
import { readTurnRow } from './turn-row.ts'

/** The shapes that files of recorded outputs have. */
export const OUTPUT_SHAPES = ['turns', 'openai-batch', 'openai', 'lm-eval', 'sharegpt', 'outputs', 'chat'] as const

/** One of `OUTPUT_SHAPES`. */
export type OutputShape = (typeof OUTPUT_SHAPES)[number]

interface ShapeEntry {
  /** For people. */
  readonly about: string
  /** Whether its calls stand beside the text, so that they are native unless something else is asked for. */
  readonly isNative?: true
  /** Whether a row can be nothing else. */
  readonly fits: (row: Json) => boolean
  readonly read: (row: Json, options: RowOptions) => ReadRow
}

const isText = (value: unknown): boolean => typeof value === 'string'

/** One row per shape. The first in the order of `OUTPUT_SHAPES` that fits counts: a text beside its prompt is no chat. */
export const SHAPE_TABLE: Readonly<Record<OutputShape, ShapeEntry>> = {
  turns: {
    about: 'turns of a run of callspec',
    fits: ({ kind, protocol }) => isText(protocol) && (kind === 'turn' || kind === 'call' || kind === 'end'),
    read: readTurnRow,
  },
  'openai-batch': {
    about: 'a Batch output of OpenAI or vLLM ("custom_id")',
    isNative: true,
    fits: (row) => isText(row['custom_id']) && (Object.hasOwn(row, 'response') || Object.hasOwn(row, 'error')),
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
    // The "response" of Qwen's exam is what was expected; what the model wrote stands beside it.
    fits: (row) =>
      !Object.hasOwn(row, 'gen') && TEXT_FIELDS.some((field) => Object.hasOwn(row, field) && isText(row[field])),
    read: readTextRow,
  },
  chat: {
    about: 'chat logs ("messages"), every reply of the assistant in them',
    isNative: true,
    fits: (row) => messagesIn(row) !== null,
    read: readChatRows,
  },
}

/** The shape of a row; null where it is none of them. */
export function shapeOf(row: Json): OutputShape | null {
  return OUTPUT_SHAPES.find((shape) => SHAPE_TABLE[shape].fits(row)) ?? null
}

/** How the records of a shape are read. */
export function rowReader(shape: OutputShape): (record: string, options: RowOptions) => ReadRow {
  const { read } = SHAPE_TABLE[shape]
  return (text, options) => {
    const record = parseRecord(text)
    return record.kind === 'object' ? read(record.value, options) : record
  }
}
