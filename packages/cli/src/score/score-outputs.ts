import { FORMATS } from '@callspec/core'
import type { JsonRecords, OnRead } from '@callspec/eval'
import type {
  AnswerCounts,
  OutputReader,
  OutputScore,
  OutputShape,
  OutputsSummary,
  SpanCounts,
  Unrecognised,
} from '@callspec/eval/outputs'
import { counts, FINE_TURNS, jsonRecords, NATIVE, ratePercent, recordedNameOfAlias } from '@callspec/eval'
import {
  alternatives,
  OUTPUT_SHAPES,
  outputReader,
  recogniseShape,
  recordsOf,
  rowReader,
  scoreOutputs,
  SHAPE_TABLE,
} from '@callspec/eval/outputs'
import { plural } from '@callspec/eval/text'
import { wrapItems } from '../columns.ts'
import type { ExitCode, Invocation } from '../command.ts'
import { EXIT } from '../command.ts'
import { checkId } from '../eval/module-formats.ts'
import { chooseModule } from '../formats.ts'
import { isModulePath } from '../input-file.ts'
import type { Output } from '../output.ts'
import { inert } from '../output.ts'
import { TemplateError } from '../render/user-format.ts'
import { renderTable } from '../table.ts'
import { didYouMean, UsageError } from '../usage-error.ts'
import type { ScoreRun } from './run.ts'
import { exitOfRows, recordLocation, sourceText } from './run.ts'
import { TEMPLATE_ID } from '../template/template-reader.ts'
import { templateReader } from './template-score.ts'
import { userReader } from './user-reader.ts'

/** The formats by their names on the command line. */
export const OUTPUT_FORMATS: readonly string[] = [
  ...FORMATS.map(({ id }) => id),
  ...FORMATS.flatMap(({ aliases = [] }) => aliases),
  NATIVE,
]

/** What cannot be said of spans without tools. */
export const WITHOUT_TOOLS =
  'name no tools (gen_ai.tool.definitions): their calls are compared with no schema and no list of names.'

/** Parse success of recorded outputs. */
export async function scoreTexts(
  { options, output }: Invocation,
  run: ScoreRun & { readonly kind: OutputShape | null },
): Promise<ExitCode> {
  const given = options.text('format')
  const field = options.text('field')
  if (field === '') throw new UsageError('--field was given an empty text. Name the member that holds the text.')
  const template = options.text('response-template')
  const own = template !== null ? await templateReader(template) : given === null ? null : await readerOf(given)
  const { shape, unit, records, spans } = await openOutputs(run.path, field === null ? run.kind : 'outputs', run.onRead)
  const reader = own ?? outputReader(nativeOr(shape, run.path))
  const summary = await failing(() =>
    scoreOutputs(records, {
      reader,
      field,
      onLine: run.onLine,
      onUnreadable: (at, reason) => run.onUnreadable(at, reason, unit),
      readRow: rowReader(shape),
    }),
  )
  run.done()
  if (spans.withoutTools > 0)
    output.note(`callspec: ${run.path}: ${spans.withoutTools} of ${plural(spans.spans, 'request')} ${WITHOUT_TOOLS}`)
  printOutputs({ summary, shape, asJson: options.flag('json') }, output)
  if (summary.scored > 0)
    return exitOfRows({ rows: outputRows(summary), unreadable: summary.unreadable }, run.path, output)
  const hint =
    summary.otherFormats > 0
      ? 'Its rows name other formats.'
      : shape === 'otel'
        ? 'No reply is in it that could be scored.'
        : '--field names the member that holds the text.'
  output.note(
    `callspec: ${run.path}: no row of the format ${given ?? (template === null ? NATIVE : TEMPLATE_ID)} was found. ${hint}`,
  )
  return EXIT.usage
}

/** Calls that a server has read have one form; a text may be in any format. */
function nativeOr(shape: OutputShape, path: string): string {
  const { isNative, about } = SHAPE_TABLE[shape]
  if (isNative === true) return NATIVE
  throw new UsageError(`${path}: --format NAME is missing for ${about}. callspec identify finds the format.`)
}

async function readerOf(format: string): Promise<OutputReader> {
  if (isModulePath(format)) {
    const chosen = await chooseModule(format, null)
    if (chosen.kind === 'module') return userReader(chosen)
    checkId(chosen.format, format)
    return outputReader(chosen.format)
  }
  if (OUTPUT_FORMATS.includes(format)) return outputReader(recordedNameOfAlias(format) ?? format)
  throw new UsageError(
    `--format "${format}" is unknown.${didYouMean(format, OUTPUT_FORMATS)} callspec formats lists all; a file such as ./my-format.mjs is one, too.`,
  )
}

async function failing<T>(score: () => Promise<T>): Promise<T> {
  try {
    return await score()
  } catch (error) {
    throw error instanceof TemplateError ? new UsageError(error.message) : error
  }
}

export interface OpenOutputs extends JsonRecords {
  readonly shape: OutputShape
  /** What requests of spans lack, once they have been read. */
  readonly spans: SpanCounts
}

/**
 * Opens a file of recorded outputs.
 *
 * @param kind null: found by the first rows
 * @throws UsageError for a file that cannot be read, or of an unknown kind
 */
export async function openOutputs(path: string, kind: OutputShape | null, onRead?: OnRead): Promise<OpenOutputs> {
  const { unit, records } = await jsonRecords(sourceText(path, onRead))
  const opened = (shape: OutputShape, own: AsyncIterable<string>): OpenOutputs => {
    const spans = { spans: 0, withoutTools: 0 }
    return { unit: shape === 'otel' ? 'element' : unit, records: recordsOf(shape, own, spans), shape, spans }
  }
  if (kind !== null) return opened(kind, records)
  const found = await recogniseShape(records)
  if (found.kind === 'shape') return opened(found.shape, found.records)
  throw new UsageError(whyNot(path, unit, found))
}

function whyNot(path: string, unit: JsonRecords['unit'], { at, reason, members }: Unrecognised): string {
  if (at === null) return `${path}: ${reason}. ${LISTED_SHAPES}`
  const place = recordLocation(path, at, unit)
  if (members.length === 0) return `${place}: ${reason}. ${LISTED_SHAPES}`
  const shown = members.slice(0, 6).map((name) => JSON.stringify(name.slice(0, 40)))
  const seen = `${shown.join(', ')}${members.length > shown.length ? ', …' : ''}`
  return `${place}: ${reason}, but a row with ${seen}. ${memberAdvice(new Set(members))}`
}

const LISTED_SHAPES = 'Give JSON Lines, or a JSON array, of a kind that callspec score --help lists.'
const KNOWN_SHAPES = OUTPUT_SHAPES.map((shape) => SHAPE_TABLE[shape].about.split(',')[0]).join(', ')

function memberAdvice(members: ReadonlySet<string>): string {
  if (members.has('gen') && members.has('response'))
    return "If these are replies to Qwen's exam, give --kind qwen-exam."
  if (members.has('id') && members.has('result'))
    return 'If this is a result file of BFCL, give --kind bfcl with --questions and --answers.'
  return `Known are ${KNOWN_SHAPES}; --field names the member that holds the text, or a path to it (resps.0.0).`
}

export interface PrintedOutputs {
  readonly summary: OutputsSummary
  readonly shape: OutputShape
  readonly asJson: boolean
}

/** Prints parse success per model, what failed and why, the kind of the file, and totals. */
export function printOutputs({ summary, shape, asJson }: PrintedOutputs, output: Output): void {
  if (asJson) {
    output.line(JSON.stringify({ shape, ...summary }, null, 2))
    return
  }
  if (summary.models.length > 0) {
    output.line(
      renderTable({
        head: ['model', 'rows', 'no call', 'strict parse', 'parse'],
        rows: summary.models.map(outputCells),
        align: ['left', 'right', 'right', 'right', 'right'],
        ascii: !output.isTerminal,
        width: output.wrapAt,
      }),
    )
    output.line('strict parse, parse: of the rows with a call, without and with named repairs')
    output.line()
    const reasons = summary.models.flatMap((score) => failureLines(score, output))
    for (const line of reasons) output.line(line)
    if (reasons.length > 0) output.line()
  }
  const { scored, otherFormats, failed, unreadable } = summary
  output.line(`read as ${SHAPE_TABLE[shape].about}`)
  if (failed > 0)
    for (const line of wrapItems('failed requests, not scored: ', failuresOf(summary), output)) output.line(inert(line))
  const lost = failed === 0 ? '' : `, ${failed} failed`
  const total = unreadable === 0 ? `${scored} scored` : `${scored} of ${outputRows(summary)} rows scored`
  output.line(`${total}, ${otherFormats} of other formats${lost}, ${unreadable} unreadable`)
  const others = answersOf(summary.otherFormatsRead)
  if (others.length > 0) for (const line of wrapItems('the other formats: ', others, output)) output.line(line)
  const unread = summary.unread === null ? [] : answersOf(summary.unread)
  if (unread.length > 0) {
    const isAll = summary.models.every(({ parse }) => parse.hits === 0)
    const head = isAll ? 'nothing could be read; the rows are: ' : 'not read, in another format: '
    for (const line of wrapItems(head, unread, output)) output.line(line)
    output.line(`--format ${summary.unread?.answers[0]?.formats[0] ?? ''} reads them`)
  }
}

/** Rows per format; empty if none is in a known one. */
function answersOf({ answers, withoutCall }: AnswerCounts): readonly string[] {
  if (answers.length === 0) return []
  const none = withoutCall === 0 ? [] : [`${withoutCall} without a call in any format`]
  return [...answers.map(({ formats, rows }) => `${rows} ${alternatives(formats)}`), ...none]
}

export function outputRows({ scored, otherFormats, failed, unreadable }: OutputsSummary): number {
  return scored + otherFormats + failed + unreadable
}

function failuresOf({ failures }: OutputsSummary): readonly string[] {
  return Object.entries(failures).map(([reason, count]) => `${count} ${reason}`)
}

function outputCells(score: OutputScore): readonly string[] {
  return [
    inert(score.model),
    String(score.rows),
    String(score.withoutCall),
    ratePercent(score.strictParse),
    ratePercent(score.parse),
  ]
}

function failureLines(score: OutputScore, output: Output): readonly string[] {
  const rows = [
    ['failed strictly', counts(score.strict, FINE_TURNS)],
    ['because', counts(score.problems, [])],
    ['repaired by', counts(score.repairs, [])],
    ['still failing', counts(score.lenient, [...FINE_TURNS, 'recovered'])],
    [
      'not offered',
      score.unknownFunctions === 0
        ? ''
        : `${plural(score.unknownFunctions, 'row')} with a call of a function that the row does not offer`,
    ],
  ] as const
  const told = rows.filter(([, text]) => text !== '')
  if (told.length === 0) return []
  return [inert(score.model), ...told.flatMap(([label, text]) => wrapItems(`  ${label}: `, text.split(', '), output))]
}
