import { basename, extname } from 'node:path'
import type { OnRead } from '@callspec/eval'
import type { SpanCounts } from '@callspec/eval/outputs'
import { readLines } from '@callspec/eval'
import { genAiRecords } from '@callspec/eval/outputs'
import type { RecordedExchange } from '@callspec/proxy'
import { objectIn } from '../data-file.ts'
import { WITHOUT_TOOLS } from '../score/score-outputs.ts'

/** What spans of a file do not contain. */
export interface MissingContent extends SpanCounts {
  /** Requests whose reply is not in the file, and why. */
  notRecorded: number
  reason: string
}

/** Whether a file is one of spans: its first line that is not empty is a batch of them. */
export async function holdsSpans(path: string): Promise<boolean> {
  if (!['.json', '.jsonl', '.ndjson'].includes(extname(path).toLowerCase())) return false
  for await (const line of readLines(path)) {
    if (line.trim() === '') continue
    const row = objectIn(line)
    return row !== null && (Object.hasOwn(row, 'resourceSpans') || Object.hasOwn(row, 'resourceLogs'))
  }
  return false
}

/** The requests of a file of spans as exchanges of the chat API, each a whole reply. Those without a reply are counted in `missing`. */
export async function* readSpans(
  path: string,
  missing: MissingContent,
  onRead?: OnRead,
): AsyncGenerator<RecordedExchange> {
  let count = 0
  for await (const record of genAiRecords(readLines(path, onRead), missing)) {
    count += 1
    const { request, not_recorded: reason, ...body } = objectIn(record) ?? {}
    if (typeof reason === 'string') {
      missing.notRecorded += 1
      missing.reason = reason
      continue
    }
    yield {
      name: `${basename(path)}#${count}`,
      ...{ method: 'POST', path: '/v1/chat/completions', lacks: null, isRedacted: false, how: 'complete' },
      request: request === undefined ? null : Buffer.from(JSON.stringify(request)),
      status: Object.hasOwn(body, 'error') ? 500 : 200,
      headers: { 'content-type': 'application/json' },
      chunks: [{ at: 0, bytes: Buffer.from(JSON.stringify(body)) }],
    }
  }
}

/** What a check of spans cannot see, in a sentence each. */
export function spanNotes({ spans, withoutTools, notRecorded, reason }: MissingContent): readonly string[] {
  if (spans === 0) return []
  return [
    'spans contain replies as an instrumentation understood them: no streams, no bytes, and arguments that it has parsed.',
    ...(notRecorded === 0 ? [] : [`in ${notRecorded} of ${spans} requests ${reason}.`]),
    ...(withoutTools === 0 ? [] : [`${withoutTools} of ${spans} requests ${WITHOUT_TOOLS}`]),
  ]
}
