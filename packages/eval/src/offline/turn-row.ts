import type { NativeCall } from '../trace/completion.ts'
import type { OutputRow, ReadRow, RowOptions } from './output-row.ts'
import { NO_MODEL } from './output-row.ts'
import { jsonOf, listOf, objectOf, textOf } from './record.ts'
import type { Json } from './record.ts'

/** Reads a line of `turns.jsonl` of a run; calls and ends between the turns hold no output. Never throws. */
export function readTurnRow(row: Json, { reader }: RowOptions): ReadRow {
  if (row['kind'] !== 'turn') return { kind: 'no-output' }
  const format = textOf(row['protocol']) ?? ''
  if (!reader.accepts(format)) return { kind: 'other-format', format }
  const failure = objectOf(row['failure'])
  if (failure !== null) return { kind: 'failed', reason: (textOf(failure['kind']) ?? 'error').slice(0, 60) }
  const text = textOf(row['text'])
  if (text === null) return { kind: 'unreadable', reason: '"text" is missing or no text' }
  const reply: OutputRow['reply'] = {
    reasoning: textOf(row['reasoning']) ?? '',
    toolCalls: callsIn(row['toolCalls']),
    finishReason: textOf(row['finishReason']),
    tools: null,
  }
  return { kind: 'row', row: { model: textOf(row['model']) ?? NO_MODEL, text, functions: null, reply } }
}

function callsIn(given: unknown): readonly NativeCall[] {
  return (listOf(given) ?? []).flatMap((entry) => {
    const call = objectOf(entry)
    if (call === null) return []
    return [{ id: textOf(call['id']) ?? '', name: textOf(call['name']) ?? '', arguments: jsonOf(call['arguments']) }]
  })
}
