import { NO_MODEL, otherFormat } from './output-row.ts'
import type { ReadRow, RowOptions } from './output-row.ts'
import { listOf, textOf } from './record.ts'
import type { Json } from './record.ts'

/**
 * Reads a line of `samples_*.jsonl` of lm-eval: every generated text of `resps` is an output, or of `filtered_resps` where
 * the former were left out. Never throws.
 */
export function readSampleRows(row: Json, { reader }: RowOptions): ReadRow {
  const other = otherFormat(row, reader)
  if (other !== null) return other
  const raw = textsIn(row['resps'])
  const texts = raw.length > 0 ? raw : textsIn(row['filtered_resps'])
  if (texts.length === 0)
    return { kind: 'unreadable', reason: '"resps" holds no text: only tasks that generate have outputs' }
  const model = textOf(row['model']) ?? NO_MODEL
  return { kind: 'rows', rows: texts.map((text) => ({ model, text, functions: null })) }
}

/** A list of texts, or of lists of them: one per request, one per repetition. Likelihoods are pairs in a third list. */
function textsIn(given: unknown): readonly string[] {
  return (listOf(given) ?? []).flatMap((each) => (listOf(each) ?? [each]).filter((text) => typeof text === 'string'))
}
