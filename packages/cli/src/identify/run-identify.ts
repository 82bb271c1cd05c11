import type { Format } from '@callspec/core'
import { FORMATS } from '@callspec/core'
import { identifyReply } from '@callspec/core/identify'
import type { ToolSpec } from '@callspec/core/qwen-agent'
import type { JsonRecords, OnRead } from '@callspec/eval'
import type { RepliesOptions } from '@callspec/eval/outputs'
import { jsonRecords, MAX_RECORD_UNITS } from '@callspec/eval'
import { recogniseShape, recordsOf } from '@callspec/eval/outputs'
import type { ExitCode, Invocation } from '../command.ts'
import { EXIT } from '../command.ts'
import { parsedJson } from '../data-file.ts'
import { quotedLine } from '../output.ts'
import { templateFormatOf } from '../template/template-reader.ts'
import { readSchemas } from '../request/request-file.ts'
import type { RecordWatch } from '../score/run.ts'
import { recordWatch, sourceText } from '../score/run.ts'
import { UsageError } from '../usage-error.ts'
import { countReply, identifyRows, printJson, printMany, printOne } from './print-identified.ts'

/** `callspec identify FILE`. */
export async function runIdentify(invocation: Invocation): Promise<ExitCode> {
  const { options, positionals } = invocation
  const path = positionals[0] ?? ''
  if (path === '')
    throw new UsageError('which file? Give one with replies, or - for standard input: callspec identify FILE.')
  const field = options.text('field')
  if (field === '') throw new UsageError('--field was given an empty text. Name the member that holds the text.')
  const schemas = options.text('tools')
  const tools = schemas === null ? [] : await readSchemas(schemas)
  const given = options.text('response-template')
  const formats = given === null ? FORMATS : [...FORMATS, await templateFormatOf(given)]
  const watch = recordWatch(path, invocation.output)
  const opened = await openReplies(path, field, watch.onRead)
  return opened.kind === 'text'
    ? identifyText(opened, { path, tools, formats, invocation })
    : identifyFile(opened, { path, field, tools, formats, watch, invocation })
}

interface IdentifyRequest {
  readonly path: string
  readonly tools: readonly ToolSpec[]
  readonly formats: readonly Format[]
  readonly invocation: Invocation
}

function identifyText(
  { text, members }: Extract<OpenReplies, { kind: 'text' }>,
  { path, tools, formats, invocation: { options, output } }: IdentifyRequest,
): ExitCode {
  const identified = identifyReply(text, { tools, formats })
  const isAnswer = identified.formats.length > 0 || identified.broken !== null
  if (!isAnswer && members.length > 0) throw new UsageError(`${path}: ${unknownRow(members)}`)
  if (options.flag('json')) printJson({ id: null, ...identified }, output)
  else printOne(identified, output, { text, tools })
  return EXIT.ok
}

function unknownRow(members: readonly string[]): string {
  const shown = members.slice(0, 6).map((name) => `"${quotedLine(name, 40)}"`)
  const seen = `${shown.join(', ')}${members.length > shown.length ? ', …' : ''}`
  return `no call, and no recorded reply that is known here, but a row with ${seen}. --field names the member that holds the text.`
}

interface IdentifyFileRequest extends IdentifyRequest {
  readonly field: string | null
  readonly watch: RecordWatch
}

async function identifyFile(
  { unit, records, shape }: Extract<OpenReplies, { kind: 'rows' }>,
  { path, field, tools, formats, watch, invocation }: IdentifyFileRequest,
): Promise<ExitCode> {
  const { options, output } = invocation
  const [asJson, tally] = [options.flag('json'), { failed: 0, unreadable: 0 }]
  const counts = { answers: new Map<string, number>(), total: 0, callsBeside: 0 }
  let first = null
  for await (const row of identifyRows(records, { ...watch, shape, unit, field, tools, formats, tally })) {
    if (asJson) printJson(row, output)
    first ??= row
    countReply(counts, row)
  }
  watch.done()
  if (counts.total === 0)
    throw new UsageError(`${path}: there is no reply in it. --field names the member that holds the text.`)
  if (asJson) return EXIT.ok
  if (counts.total === 1 && first !== null && tally.failed + tally.unreadable === 0) printOne(first, output, first)
  else printMany(counts, tally, output)
  return EXIT.ok
}

/** The content of a file of replies: rows, or one reply. */
type OpenReplies =
  | (JsonRecords & { readonly kind: 'rows'; readonly shape: RepliesOptions['shape'] })
  | {
      readonly kind: 'text'
      readonly text: string
      /** Of the first record, if the text could also be rows in an unknown form. */
      readonly members: readonly string[]
    }

/**
 * Opens a file of replies and finds out what it holds.
 *
 * @param field the member of a row that holds the text; null for the usual ones
 * @param onRead receives how many bytes hold the rows that were taken so far: the file is read far ahead of them
 * @throws UsageError for a file that cannot be read, is empty, is not text, or is larger than any reply
 */
async function openReplies(path: string, field: string | null, onRead: OnRead): Promise<OpenReplies> {
  const ahead = { bytes: 0, units: 0 }
  const source = onlyText(
    path,
    sourceText(path, (bytes) => void (ahead.bytes = bytes)),
  )
  const { text, rest } = await readTextHead(counted(source, (units) => void (ahead.units = units)))
  const taken = (records: AsyncIterable<string>): AsyncIterable<string> =>
    counted(records, (units) => onRead((units / ahead.units) * ahead.bytes))
  if (text.trim() === '') throw new UsageError(`${path}: there is nothing in it. Give ${ACCEPTED_SHAPES}.`)
  const { unit, records } = await jsonRecords(replayed(text, rest))
  if (field !== null) return { kind: 'rows', unit, records: taken(records), shape: 'outputs' }
  const found = await recogniseShape(records)
  if (found.kind === 'shape') {
    const { shape } = found
    const own = recordsOf(shape, taken(found.records))
    return { kind: 'rows', unit: shape === 'otel' ? 'element' : unit, records: own, shape }
  }
  if (rest !== null) throw new UsageError(`${path}: ${TOO_LONG}. Give ${ACCEPTED_SHAPES}.`)
  const again = await jsonRecords(replayed(text, null))
  if (await beginsWithText(again.records)) {
    const texts = await jsonRecords(replayed(text, null))
    return { kind: 'rows', unit: texts.unit, records: taken(texts.records), shape: 'text' }
  }
  return { kind: 'text', text, members: found.members }
}

const ACCEPTED_SHAPES = 'one reply, or rows of replies as callspec score reads them'

const TOO_LONG = `more than ${MAX_RECORD_UNITS / 1e6} million characters, and no rows of replies; no reply is that long`

interface TextHead {
  readonly text: string
  /** The rest, or null. */
  readonly rest: AsyncIterator<string> | null
}

async function readTextHead(chunks: AsyncIterable<string>): Promise<TextHead> {
  const iterator = chunks[Symbol.asyncIterator]()
  const parts: string[] = []
  for (let units = 0; units <= MAX_RECORD_UNITS;) {
    const next = await iterator.next()
    if (next.done === true) return { text: parts.join(''), rest: null }
    parts.push(next.value)
    units += next.value.length
  }
  return { text: parts.join(''), rest: iterator }
}

async function* replayed(text: string, rest: AsyncIterator<string> | null): AsyncGenerator<string> {
  try {
    yield text
    if (rest === null) return
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value
  } finally {
    // Closes the file even if the reader stops early.
    await rest?.return?.()
  }
}

/** The same texts; `onUnits` receives how many UTF-16 units they have had so far. */
async function* counted(texts: AsyncIterable<string>, onUnits: (units: number) => void): AsyncGenerator<string> {
  let units = 0
  for await (const text of texts) {
    onUnits((units += text.length))
    yield text
  }
}

/** Whether the first record is a JSON text. */
async function beginsWithText(records: AsyncIterable<string>): Promise<boolean> {
  for await (const record of records) if (record.trim() !== '') return typeof parsedJson(record) === 'string'
  return false
}

/**
 * The chunks of a text.
 *
 * @throws UsageError if the first one is not text: it has a NUL, or more invalid UTF-8 than a cut character leaves
 */
async function* onlyText(path: string, chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let isFirst = true
  for await (const chunk of chunks) {
    if (isFirst && isBinary(chunk)) throw new UsageError(`${path}: this is a binary file, no text. ${WHAT_TO_DO}`)
    isFirst = false
    yield chunk
  }
}

const WHAT_TO_DO = 'Give replies as a text or as JSON Lines; what is packed needs a name that ends in .gz.'

function isBinary(chunk: string): boolean {
  return chunk.includes('\0') || chunk.split('\ufffd').length - 1 > chunk.length * TORN
}

/** The share of a text that may be unreadable characters. */
const TORN = 0.05
