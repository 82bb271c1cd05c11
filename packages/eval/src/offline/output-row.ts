import type { NativeCall } from '../client/completion.ts'
import type { ToolSpec } from '../suite/task.ts'
import type { OutputReader } from './output-reader.ts'

/** A recorded output of a model, as one line of a file holds it. */
export interface OutputRow {
  readonly model: string
  readonly text: string
  /** Names of the offered functions; null when the row does not say. */
  readonly functions: readonly string[] | null
  /** What stands beside the text, in the log of a server. */
  readonly reply?: LoggedReply
}

/** What a server answered besides the text. */
export interface LoggedReply {
  readonly reasoning: string
  readonly toolCalls: readonly NativeCall[]
  readonly finishReason: string | null
  /** The tools of the request; null when the log does not hold it. */
  readonly tools: readonly ToolSpec[] | null
}

/** What a line is: an output to score, one of another format, or nothing that can be read. */
export type ReadRow =
  | { readonly kind: 'row'; readonly row: OutputRow }
  | { readonly kind: 'other-format'; readonly format: string }
  | { readonly kind: 'unreadable'; readonly reason: string }

export interface RowOptions {
  readonly reader: Pick<OutputReader, 'accepts'>
  /** Where the text stands; null for the first of `TEXT_FIELDS` that is there. */
  readonly field: string | null
}

/** Where a text may stand, first choice first. */
export const TEXT_FIELDS = ['output', 'raw_output', 'response', 'text'] as const

/** Reads one line. A row that names another format is not looked at further. Never throws. */
export function readOutputRow(line: string, { reader, field }: RowOptions): ReadRow {
  const value = parsed(line)
  if (value === undefined) return { kind: 'unreadable', reason: 'this is no JSON' }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { kind: 'unreadable', reason: 'this is no JSON object' }
  const row = value as Readonly<Record<string, unknown>>
  const format = row['format']
  if (typeof format === 'string' && !reader.accepts(format)) return { kind: 'other-format', format }
  const key = field ?? TEXT_FIELDS.find((name) => Object.hasOwn(row, name))
  const text = key === undefined ? undefined : row[key]
  if (typeof text !== 'string') return { kind: 'unreadable', reason: missingText(key) }
  return {
    kind: 'row',
    row: {
      model: typeof row['model'] === 'string' ? row['model'] : '(no model)',
      text,
      functions: namesOf(row['functions']),
    },
  }
}

function missingText(key: string | undefined): string {
  return key === undefined
    ? `it has none of ${TEXT_FIELDS.map((name) => `"${name}"`).join(', ')}; name the field of the text`
    : `"${key}" is missing or no text`
}

function namesOf(functions: unknown): readonly string[] | null {
  if (!Array.isArray(functions)) return null
  return functions.flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return []
    const wrapped =
      'function' in entry && typeof entry.function === 'object' && entry.function !== null ? entry.function : entry
    return 'name' in wrapped && typeof wrapped.name === 'string' ? [wrapped.name] : []
  })
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
