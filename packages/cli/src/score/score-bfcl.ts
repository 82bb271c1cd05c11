import { basename, dirname } from 'node:path'
import type { BfclScore, BfclSummary, ExamFigures, ExamItem } from '@callspec/bfcl'
import { BFCL_HANDLERS, createExam, readById, scoreBfcl } from '@callspec/bfcl'
import { formats } from '@callspec/core/qwen-agent'
import { NATIVE, ratePercent } from '@callspec/eval'
import { wrapHanging, wrapItems } from '../columns.ts'
import type { ExitCode, Invocation } from '../command.ts'
import { EXIT } from '../command.ts'
import { objectIn } from '../data-file.ts'
import { loadQwenTokenizer } from '@callspec/tokenizer-qwen'
import type { Output } from '../output.ts'
import { inert } from '../output.ts'
import { renderTable } from '../table.ts'
import { didYouMean, UsageError } from '../usage-error.ts'
import type { ScoreRun } from './run.ts'
import { exitOfRows, sourceLines } from './run.ts'

/** Values of --handler. */
export const BFCL_HANDLER_NAMES: readonly string[] = Object.keys(BFCL_HANDLERS).toSorted()

/** Values of --format: handlers that belong to no model. */
const BFCL_FORMATS: readonly string[] = ['python', 'hermes', ...Object.keys(formats), NATIVE]

/** BFCL's verdicts on a result file. */
export async function scoreBfclFile({ options, output }: Invocation, run: ScoreRun): Promise<ExitCode> {
  const format = options.text('format') ?? 'python'
  if (!BFCL_FORMATS.includes(format))
    throw new UsageError(
      `--format "${format}" is unknown with --kind bfcl.${didYouMean(format, BFCL_FORMATS)} Known: ${BFCL_FORMATS.join(', ')}.`,
    )
  const [questions, answers] = [options.text('questions'), options.text('answers')]
  const summary = await scoreBfcl(sourceLines(run.path, run.onRead), {
    sources: {
      questions: questions === null ? new Map() : await readById(sourceLines(questions)),
      answers: answers === null ? new Map() : await readById(sourceLines(answers)),
    },
    handler: options.text('handler'),
    format,
    model: options.text('model') ?? folderOf(run.path),
    onLine: run.onLine,
    onUnreadable: run.onUnreadable,
  })
  run.done()
  if (options.flag('json')) output.line(JSON.stringify(summary, null, 2))
  else printBfcl(summary, output)
  if (summary.scored > 0)
    return exitOfRows({ rows: bfclRows(summary), unreadable: summary.unreadable }, run.path, output)
  output.note(`callspec: ${run.path}: no row could be judged. --handler selects how outputs are decoded.`)
  return EXIT.usage
}

/** A result file is in a folder with the model's name. */
function folderOf(path: string): string {
  return path === '-' ? '(no model)' : basename(dirname(path)) || '(no model)'
}

const MEANINGS =
  "strict: BFCL's own handler and verdict. lenient: calls are read with named repairs, and an abstention counts only when no call was meant"

function printBfcl(summary: BfclSummary, output: Output): void {
  if (summary.scores.length > 0) {
    output.line(
      renderTable({
        head: ['model', 'category', 'handler', 'rows', 'strict', 'lenient'],
        rows: summary.scores.map(bfclCells),
        align: ['left', 'left', 'left', 'right', 'right', 'right'],
        ascii: !output.isTerminal,
        width: output.wrapAt,
      }),
    )
    for (const line of wrapHanging(MEANINGS, 0, output)) output.line(line)
    for (const line of summary.scores.flatMap((score) => bfclReasons(score, output))) output.line(line)
    output.line()
  }
  const others = Object.entries(summary.otherFormats).map(([name, count]) => `${count} of the format ${inert(name)}`)
  const total =
    summary.unreadable === 0 ? `${summary.scored} judged` : `${summary.scored} of ${bfclRows(summary)} rows judged`
  const parts = [total, ...others, `${summary.unreadable} unreadable`]
  for (const line of wrapItems('', parts, output)) output.line(line)
}

function bfclRows({ scored, otherFormats, unreadable }: BfclSummary): number {
  return Object.values(otherFormats).reduce<number>((sum, count) => sum + count, scored + unreadable)
}

function bfclCells({ model, category, handler, rows, strict, lenient }: BfclScore): readonly string[] {
  return [inert(model), inert(category), handler, String(rows), ratePercent(strict), ratePercent(lenient)]
}

function bfclReasons({ model, category, errors, creditedAbstentions }: BfclScore, output: Output): readonly string[] {
  const named = Object.entries(errors).map(([error, count]) => `${error} ${count}`)
  const lines = named.length === 0 ? [] : wrapItems('  wrong: ', named, output)
  const credited =
    creditedAbstentions === 0
      ? []
      : [`  ${creditedAbstentions} strictly count as abstentions although a call was meant`]
  return lines.length + credited.length === 0 ? [] : [`${inert(model)} ${inert(category)}`, ...lines, ...credited]
}

/** Qwen's three figures for replies to its exam. */
export async function scoreExam({ options, output }: Invocation, run: ScoreRun): Promise<ExitCode> {
  const exam = createExam(loadQwenTokenizer())
  let [line, scored, unreadable] = [0, 0, 0]
  for await (const text of sourceLines(run.path, run.onRead)) {
    line += 1
    run.onLine(line)
    if (text.trim() === '') continue
    const item = itemOf(text)
    if (typeof item === 'string') {
      unreadable += 1
      run.onUnreadable(line, item)
    } else {
      exam.add(item)
      scored += 1
    }
  }
  run.done()
  const figures = exam.figures()
  if (options.flag('json')) output.line(JSON.stringify({ scored, unreadable, ...figures }, null, 2))
  else printExam(figures, { scored, unreadable }, output)
  if (scored > 0) return exitOfRows({ rows: scored + unreadable, unreadable }, run.path, output)
  output.note(`callspec: ${run.path}: no row of the exam was found. A row has "prompt", "response" and "gen".`)
  return EXIT.usage
}

/** A row of the exam's cache: `response` is the expected answer, `gen` the model's. */
function itemOf(line: string): ExamItem | string {
  const row = objectIn(line)
  if (row === null) return 'this is not a JSON object'
  const expected = row['response']
  if (typeof expected !== 'string') return '"response", the expected answer, is missing or not a string'
  const given: unknown = Array.isArray(row['gen']) ? row['gen'][0] : (row['gen'] ?? row['output'])
  if (typeof given !== 'string') return '"gen", what the model wrote, is missing or not a string'
  const kind = row['kind']
  const needsTool = kind === 'positive' || (kind !== 'negative' && /(?:^|\n)Action: /.test(expected))
  return { expected, reply: given, needsTool }
}

interface ExamRows {
  readonly scored: number
  readonly unreadable: number
}

function printExam(
  { toolSelection, inputRougeL, falsePositive }: ExamFigures,
  { scored, unreadable }: ExamRows,
  output: Output,
): void {
  const rouge = inputRougeL === null ? '—' : inputRougeL.toFixed(3)
  output.line(`tool selection       ${ratePercent(toolSelection)}   ${toolSelection.hits} of ${toolSelection.of}`)
  output.line(`input Rouge-L        ${rouge}   mean over the same ${toolSelection.of}`)
  output.line(
    `false positive error ${ratePercent(falsePositive)}   ${falsePositive.hits} of ${falsePositive.of}, lower is better`,
  )
  output.line()
  output.line(
    unreadable === 0 ? `${scored} scored` : `${scored} of ${scored + unreadable} rows scored, ${unreadable} unreadable`,
  )
}
