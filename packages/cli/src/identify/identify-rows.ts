import { identifyReply } from '@callspec/core/identify'
import type { IdentifiedReply } from '@callspec/core/identify'
import type { ToolSpec } from '@callspec/core/qwen-agent'
import { identifyText, readReplies } from '@callspec/eval'
import type { JsonRecords, RecordedReply, RepliesOptions } from '@callspec/eval'
import type { RecordWatch } from '../score/run.ts'

/** A reply with its answer. */
export interface IdentifiedRow extends IdentifiedReply {
  readonly id: RecordedReply['id']
  readonly text: string
  readonly tools: readonly ToolSpec[]
  /** Calls that a server has read already. */
  readonly callsBeside: number
}

/** What was not a reply. */
export interface RowTally {
  failed: number
  unreadable: number
}

/** How rows are read. */
export interface IdentifyRows extends RepliesOptions, Omit<RecordWatch, 'done'> {
  readonly unit: JsonRecords['unit']
  /** The tools of replies whose rows name none. */
  readonly tools: readonly ToolSpec[]
  readonly tally: RowTally
}

/** Identifies the replies of rows, one after the other; memory does not grow with the file. */
export async function* identifyRows(
  records: AsyncIterable<string>,
  { tools, tally, onLine, onUnreadable, unit, ...options }: IdentifyRows,
): AsyncGenerator<IdentifiedRow> {
  let line = 0
  for await (const record of records) {
    line += 1
    onLine(line)
    if (record.trim() === '') continue
    const read = readReplies(record, options)
    switch (read.kind) {
      case 'replies':
        for (const reply of read.replies) yield identifyRow(reply, tools)
        break
      case 'failed':
        tally.failed += 1
        break
      case 'unreadable':
        tally.unreadable += 1
        onUnreadable(line, read.reason, unit)
        break
      case 'no-output':
        break
    }
  }
}

function identifyRow({ id, text, tools: own, callsBeside }: RecordedReply, tools: readonly ToolSpec[]): IdentifiedRow {
  const identified = own === null || own.length === 0 ? identifyReply(text, { tools }) : identifyText(text, own)
  return { id, text, tools, callsBeside, ...identified }
}
