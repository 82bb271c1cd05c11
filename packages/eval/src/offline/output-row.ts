import { memberAt } from './logged-message.ts'
import type { LoggedReply, OutputReader } from './output-reader.ts'
import { listOf, objectOf, parseRecord, textOf } from './record.ts'
import type { Json } from './record.ts'

/** A recorded output of a model. */
export interface OutputRow {
  readonly model: string
  readonly text: string
  /** Names of the offered functions; null when the row does not say. */
  readonly functions: readonly string[] | null
  /** What stands beside the text, in the log of a server. */
  readonly reply?: LoggedReply
}

/**
 * What a record is.
 *
 * - `row`, `rows`: an output to score, or several
 * - `other-format`: an output in a format that was not asked for
 * - `failed`: a request without an answer; `reason` is a few words, of which a file has few
 * - `no-output`: something that belongs here and holds no output
 * - `unreadable`: anything else
 */
export type ReadRow =
  | { readonly kind: 'row'; readonly row: OutputRow }
  | { readonly kind: 'rows'; readonly rows: readonly OutputRow[] }
  | { readonly kind: 'other-format'; readonly format: string }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'no-output' }
  | { readonly kind: 'unreadable'; readonly reason: string }

export interface RowOptions {
  readonly reader: Pick<OutputReader, 'accepts'>
  /** Where the text stands: a member, or a path such as `resps.0.0`; null for the first of `TEXT_FIELDS` that is there. */
  readonly field: string | null
}

/** Where a text may stand, first choice first. */
export const TEXT_FIELDS = ['output', 'raw_output', 'response', 'text'] as const

/** What a row without the name of its model is counted under. */
export const NO_MODEL = '(no model)'

/** Reads one line. A row that names another format is not looked at further. Never throws. */
export function readOutputRow(line: string, options: RowOptions): ReadRow {
  const record = parseRecord(line)
  return record.kind === 'object' ? readTextRow(record.value, options) : record
}

/** The same of a row that is JSON already. */
export function readTextRow(row: Json, { reader, field }: RowOptions): ReadRow {
  const other = otherFormat(row, reader)
  if (other !== null) return other
  const key = field ?? TEXT_FIELDS.find((name) => Object.hasOwn(row, name))
  const text = key === undefined ? undefined : memberAt(row, key)
  if (typeof text !== 'string') return { kind: 'unreadable', reason: missingText(key) }
  return { kind: 'row', row: { model: textOf(row['model']) ?? NO_MODEL, text, functions: namesOf(row['functions']) } }
}

/** A row that names a format which was not asked for; null for any other. */
export function otherFormat(row: Json, reader: RowOptions['reader']): ReadRow | null {
  const format = textOf(row['format'])
  return format === null || reader.accepts(format) ? null : { kind: 'other-format', format }
}

function missingText(key: string | undefined): string {
  return key === undefined
    ? `it has none of ${TEXT_FIELDS.map((name) => `"${name}"`).join(', ')}; name the field of the text`
    : `"${key}" is missing or no text`
}

function namesOf(functions: unknown): readonly string[] | null {
  return (
    listOf(functions)?.flatMap((entry) => {
      const name = textOf((objectOf(objectOf(entry)?.['function']) ?? objectOf(entry))?.['name'])
      return name === null ? [] : [name]
    }) ?? null
  )
}
