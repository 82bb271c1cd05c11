import type { Format } from '@callspec/core'
import { formatNamed } from '@callspec/core'
import type { IdentifiedReply, RankedFormat } from '@callspec/core/identify'
import { identifyReply } from '@callspec/core/identify'
import type { ToolSpec } from '@callspec/core/qwen-agent'
import type { JsonRecords } from '@callspec/eval'
import type { RecordedReply, RepliesOptions } from '@callspec/eval/outputs'
import { identifyText, readReplies } from '@callspec/eval/outputs'
import { plural } from '@callspec/eval/text'
import { wrapHanging } from '../columns.ts'
import type { Output } from '../output.ts'
import { escapeLoneSurrogates, quotedLine } from '../output.ts'
import { otherReadingLines } from '../parse/parse-text.ts'
import type { RecordWatch } from '../score/run.ts'
import { renderTable } from '../table.ts'

const NO_FORMAT_FINDS_CALL = 'no call in any of them'

/** Prints an answer as one line of JSON. */
export function printJson(
  { id, formats, broken, stray, ranking }: Omit<IdentifiedRow, 'callsBeside' | 'text' | 'tools'>,
  output: Output,
): void {
  output.line(escapeLoneSurrogates(JSON.stringify({ id, formats, broken, stray, ranking })))
}

function answerLine({ formats, broken, stray }: IdentifiedReply, output: Output): string {
  if (formats.length > 0) return output.paint('bold', formats.join(', '))
  if (broken !== null)
    return `${output.paint('bold', broken.formats.join(', '))}, but the call is broken: ${broken.why}`
  if (stray === null) return NO_FORMAT_FINDS_CALL
  const markers = stray.markers.slice(0, MOST_MARKERS).map((marker) => `"${quotedLine(marker, 40)}"`)
  return `${NO_FORMAT_FINDS_CALL}, but markers of ${stray.formats.join(', ')}: ${markers.join(', ')}`
}

const MOST_MARKERS = 4

/** Prints the answer for one reply, the version that read it, and the formats that find something in it. */
export function printOne(
  identified: IdentifiedReply,
  output: Output,
  given: { readonly text: string; readonly tools: readonly ToolSpec[] } | null = null,
): void {
  const { formats, broken, ranking } = identified
  const answer = formats.length > 0 ? formats : (broken?.formats ?? [])
  for (const line of wrapHanging(answerLine(identified, output), 0, output)) output.line(line)
  for (const { format: id, version } of ranking.filter((each) => answer.includes(each.format))) {
    const format = given === null ? null : formatNamed(id)
    const others =
      given === null || format === null ? [] : otherReadingLines(format, given.text, { tools: given.tools, version })
    for (const line of [`${id}: read by ${version}`, ...others].flatMap((each) => wrapHanging(each, 2, output)))
      output.line(line)
  }
  const told = ranking.filter(({ score, why }) => score > 0 || why !== ranking.at(-1)?.why)
  const width = Math.max(0, ...told.map(({ format }) => format.length))
  if (told.length > 0) output.line()
  for (const each of told) for (const line of rankedLines(each, width, output)) output.line(line)
  const others = ranking.length - told.length
  if (others > 0)
    output.line(
      told.length === 0
        ? `${plural(others, 'format was', 'formats were')} asked`
        : `  ${plural(others, 'other finds', 'others find')} no call`,
    )
}

export function printMany(replies: ReplyCounts, { failed, unreadable }: RowTally, output: Output): void {
  const { answers, total, callsBeside } = replies
  const rows = [...answers].toSorted(([, a], [, b]) => b - a).map(([answer, count]) => [answer, String(count)])
  if (rows.length > 0)
    output.line(
      renderTable({
        head: ['format', 'replies'],
        rows,
        align: ['left', 'right'],
        ascii: !output.isTerminal,
        width: output.wrapAt,
      }),
    )
  if (callsBeside > 0)
    output.line(
      `in ${plural(callsBeside, 'reply', 'replies')} a server has read calls already; they are not in the text`,
    )
  const lost = [...(failed > 0 ? [`${failed} failed`] : []), ...(unreadable > 0 ? [`${unreadable} unreadable`] : [])]
  output.line([plural(total, 'reply', 'replies'), ...lost].join(', '))
  if (total > 0) output.line('--json says of each reply how every format reads it')
}

/** Number of replies per answer. */
export interface ReplyCounts {
  readonly answers: Map<string, number>
  total: number
  callsBeside: number
}

export function countReply(counts: ReplyCounts, { formats, broken, callsBeside }: IdentifiedRow): void {
  const meant = broken === null ? NO_FORMAT_FINDS_CALL : `${broken.formats.join(', ')}, broken`
  const answer = formats.length === 0 ? meant : formats.join(', ')
  counts.answers.set(answer, (counts.answers.get(answer) ?? 0) + 1)
  counts.total += 1
  if (callsBeside > 0) counts.callsBeside += 1
}

function rankedLines({ format, score, why }: RankedFormat, width: number, output: Output): readonly string[] {
  const head = `  ${format.padEnd(width)}  ${score.toFixed(2)}  `
  const lines = wrapHanging(why, head.length, output)
  return lines.map((line, index) => (index === 0 ? head + line.slice(head.length) : line))
}

export interface IdentifiedRow extends IdentifiedReply {
  readonly id: RecordedReply['id']
  readonly text: string
  readonly tools: readonly ToolSpec[]
  /** Calls that a server already parsed. */
  readonly callsBeside: number
}

/** Rows that are not replies. */
export interface RowTally {
  failed: number
  unreadable: number
}

export interface IdentifyRows extends RepliesOptions, Omit<RecordWatch, 'done'> {
  readonly unit: JsonRecords['unit']
  /** Tools for replies whose rows name none. */
  readonly tools: readonly ToolSpec[]
  readonly formats: readonly Format[]
  readonly tally: RowTally
}

/** Identifies the replies of rows in turn. Memory does not grow with the file. */
export async function* identifyRows(
  records: AsyncIterable<string>,
  { tools, formats, tally, onLine, onUnreadable, unit, ...options }: IdentifyRows,
): AsyncGenerator<IdentifiedRow> {
  let line = 0
  for await (const record of records) {
    line += 1
    onLine(line)
    if (record.trim() === '') continue
    const read = readReplies(record, options)
    switch (read.kind) {
      case 'replies':
        for (const reply of read.replies) yield identifyRow(reply, { tools, formats })
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

function identifyRow(
  { id, text, tools: own, callsBeside }: RecordedReply,
  { tools, formats }: Pick<IdentifyRows, 'tools' | 'formats'>,
): IdentifiedRow {
  const isWithout = own === null || own.length === 0
  const identified = isWithout ? identifyReply(text, { tools, formats }) : identifyText(text, own, formats)
  return { id, text, tools, callsBeside, ...identified }
}
