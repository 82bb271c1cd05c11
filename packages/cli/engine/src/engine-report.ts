import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { AskedCases, CaseLists } from '@callspec/conformance'
import { askedIds, askedText, caseSetVersion, currentId, sameCases } from '@callspec/conformance'
import type { EngineOperation, EnginePair, EngineRow } from './engine-file.ts'
import { pairsOf, versionOf } from './engine-file.ts'
import { callspec, saidBy } from './program.ts'

/** A pair that could not be asked; the message is one line. */
export class AskError extends Error {}

/** The counts of one parser, format and operation, by verdict; a verdict that no case has is absent. */
export interface EngineCounts extends Pair {
  readonly op: EngineOperation
  /** Names the list of the cases that were asked: `reports/engines/asked/FORMAT.OP.KEY.txt`. */
  readonly asked: string
  readonly verdicts: Readonly<Record<string, number>>
}

interface Pair {
  readonly parser: string
  readonly format: string
}

/** A case that has not passed. */
export interface Deviation extends Pair {
  readonly id: string
  readonly verdict: string
  /** What the engine gave, or why it gave nothing: the first 400 characters. */
  readonly gave: string
}

/** What a row answers to the cases of its pairs: a file of `reports/engines`. */
export interface EngineReport {
  readonly engineReport: 1
  readonly engine: string
  readonly title: string
  readonly what: string
  readonly version: string
  readonly commit: string | null
  /** YYYY-MM-DD; `dated` says of what. */
  readonly date: string
  readonly dated: string
  /** The day of the run; where only new cases were asked, of the last one. */
  readonly ran: string
  readonly casesVersion: string
  /** The first digits of a hash of the adapter's files; absent in older reports. */
  readonly adapter?: string
  readonly stubs: readonly string[]
  readonly notAsked: EngineRow['engine']['notAsked']
  readonly counts: readonly EngineCounts[]
  readonly deviations: readonly Deviation[]
}

const LONGEST_ANSWER = 400

/** Milliseconds for one case: a busy machine must not make a verdict. A stream of 100 kB has 20 000 deltas. */
const TIME_LIMIT = '300000'

/** Where a run puts its files, which cases there are, and what it prints as it goes on. */
export interface RunContext {
  readonly scratch: string
  readonly day: string
  readonly print: (line: string) => void
  readonly lists: CaseLists
  /** What is known already: then only cases that are not in its lists are asked, unless the adapter has changed since. */
  readonly before: KnownReport | null
}

/** A report with the lists that it names. */
export interface KnownReport {
  readonly report: EngineReport
  readonly listOf: (counts: EngineCounts) => AskedCases
}

/** What one parser answers to the cases of a format in one operation. */
interface Answered {
  readonly counts: EngineCounts
  readonly deviations: readonly Deviation[]
  readonly file: readonly [name: string, text: string]
}

/**
 * Asks every pair of a row: the report, and the lists that it names, by the names of their files.
 *
 * @throws AskError when one of them cannot be asked: then there is no report
 */
export async function askEngine(
  row: EngineRow,
  context: RunContext,
): Promise<{ readonly report: EngineReport; readonly files: ReadonlyMap<string, string> }> {
  const { engine, version } = row
  const adapter = hashOfAdapter(row.adapter)
  const isSame = context.before?.report.adapter === adapter
  const used = { ...context, before: isSame ? context.before : null }
  const answered: Answered[] = []
  for (const pair of pairsOf(row)) {
    const { parser, format } = pair
    answered.push(...(await answersOf(row, pair, used)))
    context.print(`${engine.name}@${version.version}: ${parser} with ${format}: asked`)
  }
  const report: EngineReport = {
    ...{ engineReport: 1, engine: engine.name, title: engine.title, what: engine.what },
    ...{ version: version.version, commit: version.commit ?? null, date: version.date, dated: engine.dated },
    ...{ ran: context.day, casesVersion: caseSetVersion(), adapter, stubs: engine.stubs, notAsked: engine.notAsked },
    counts: answered.map(({ counts }) => counts),
    deviations: answered.flatMap(({ deviations }) => deviations),
  }
  return { report, files: new Map(answered.map(({ file }) => file)) }
}

/** What is to be asked of one operation: the ids that are known, and those that are not, without cuts. */
interface Question {
  readonly op: EngineOperation
  readonly list: AskedCases
  readonly kept: ReadonlySet<string>
  readonly fresh: ReadonlySet<string>
}

/** Engines start slowly: all operations but `cut` are asked in one run. */
async function answersOf(row: EngineRow, pair: EnginePair, context: RunContext): Promise<readonly Answered[]> {
  const questions: Question[] = []
  for (const op of pair.operations) questions.push(await questionOf(row, { ...pair, op }, context))
  const lines: ResultLine[] = []
  for (const group of [questions.filter(({ op }) => op !== 'cut'), questions.filter(({ op }) => op === 'cut')]) {
    const open = group.filter(({ fresh }) => fresh.size > 0)
    const isWhole = open.every(({ kept }) => kept.size === 0)
    const ids = isWhole ? [] : open.flatMap(({ fresh }) => [...fresh])
    const ops = open.map(({ op }) => op)
    if (open.length > 0) lines.push(...(await runPair(row, pair, { ops, scratch: context.scratch, ids })))
  }
  const byId = new Map(lines.map((line) => [line.id, line]))
  return questions.map((question) => answerOf(row, pair, { question, byId, before: context.before?.report }))
}

async function questionOf(
  row: EngineRow,
  { parser, format, op }: EnginePair & { readonly op: EngineOperation },
  { lists, before }: RunContext,
): Promise<Question> {
  const list = await lists.of(format, op, op === 'cut' ? (row.engine.cuts ?? []) : [])
  const isOf = (each: EngineCounts): boolean => each.parser === parser && each.format === format && each.op === op
  const known = before?.report.counts.find(isOf)
  const kept = before === null || known === undefined ? new Set<string>() : sameCases(list, before.listOf(known))
  return { op, list, kept, fresh: new Set([...list.hashes.keys()].filter((id) => !kept.has(id))) }
}

function answerOf(
  row: EngineRow,
  pair: EnginePair,
  parts: {
    readonly question: Question
    readonly byId: ReadonlyMap<string, ResultLine>
    readonly before: EngineReport | undefined
  },
): Answered {
  const { parser, format } = pair
  const { op, list, kept, fresh } = parts.question
  const [wanted, keptIds] = [askedIds(list, fresh), new Set(askedIds(list, kept))]
  // A pattern may select other cases, too; so may the text of a case that came first.
  const lines = wanted.flatMap((id) => parts.byId.get(id) ?? [])
  if (lines.length !== wanted.length)
    throw new AskError(
      `${parser} with ${format}, ${op}: asked ${lines.length} of ${wanted.length} cases. Build the clone again.`,
    )
  const deviations = [
    ...keptOf(parts.before?.deviations ?? [], parser, keptIds),
    ...lines.filter(({ grade }) => grade !== 'passed').map((line) => deviation(line, pair, row)),
  ]
  const verdicts = countVerdicts(deviations, wanted.length + keptIds.size)
  const { key, text } = askedText(list)
  return {
    counts: { parser, format, op, asked: key, verdicts },
    deviations: inOrder(deviations, askedIds(list)),
    file: [askedFile({ format, op, asked: key }), text],
  }
}

function keptOf(all: readonly Deviation[], parser: string, ids: ReadonlySet<string>): readonly Deviation[] {
  const renamed = all.map((each) => (each.parser === parser ? { ...each, id: currentId(each.id) } : each))
  return renamed.filter((each) => each.parser === parser && ids.has(each.id))
}

/** The name of a list. */
export function askedFile({ format, op, asked }: Pick<EngineCounts, 'format' | 'op' | 'asked'>): string {
  return `${format}.${op}.${asked}.txt`
}

/** As a run of all cases would have them. */
function inOrder(deviations: readonly Deviation[], ids: readonly string[]): readonly Deviation[] {
  const places = new Map(ids.map((id, at) => [id, at]))
  return deviations.toSorted((one, other) => (places.get(one.id) ?? 0) - (places.get(other.id) ?? 0))
}

/**
 * A report says by which adapter the engine was asked: what it depends on is in the folder, or shared by engines of Python. Neither the
 * list of pairs nor the page about it changes an answer.
 */
export function hashOfAdapter(folder: string): string {
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
  const hash = createHash('sha256')
  for (const name of names.map((entry) => entry.name).toSorted())
    if (name !== 'engine.json' && name !== 'README.md') hash.update(name).update(readFileSync(join(folder, name)))
  return hash.digest('hex').slice(0, 12)
}

interface ResultLine {
  readonly id: string
  readonly verdict: string
  /** The verdict in full. */
  readonly grade: string
  readonly actual?: unknown
  readonly error?: { readonly type: string; readonly message: string }
  readonly reason?: string
}

/** What a row answers today to the case of a deviation; null where its pair or its case is gone. @throws AskError as `askEngine` */
export async function askAgain(
  row: EngineRow,
  { parser, format, id }: Deviation,
  scratch: string,
): Promise<Deviation | null> {
  const pair = pairsOf(row).find((each) => each.parser === parser && each.format === format)
  const isCut = / ~[a-z]+(?:-\d)?$/.test(id)
  const op = pair?.operations.find((each) => (isCut ? each === 'cut' : each === id.split('/')[1]))
  if (pair === undefined || op === undefined) return null
  const lines = await runPair(row, pair, { ops: [op], scratch, ids: [id.replace(/ ~[^~]*$/, '')] })
  const line = lines.find((each) => each.id === id)
  return line === undefined ? null : deviation(line, pair, row)
}

async function runPair(
  row: EngineRow,
  pair: EnginePair,
  {
    ops,
    scratch,
    ids,
  }: { readonly ops: readonly EngineOperation[]; readonly scratch: string; readonly ids: readonly string[] },
): Promise<readonly ResultLine[]> {
  const file = join(scratch, 'results.jsonl')
  const [first = 'parse', ...others] = ops
  const more = others.flatMap((op) => ['--op', op])
  const words = [...wordsOf(row, pair, first), ...more, ...ids.flatMap((id) => ['--id', id]), '--json', file]
  rmSync(file, { force: true })
  const { code, stdout, stderr } = await callspec(words, row.folder, { ...pythonPath(row) })
  // Of a few cases all may be skipped: a use without sense elsewhere, an answer here.
  const isSkipped = code === 2 && ids.length > 0 && existsSync(file)
  if (code !== 0 && code !== 1 && !isSkipped) {
    const place = `${row.engine.name}@${row.version.version}: ${pair.parser} with ${pair.format}, ${ops.join(', ')}`
    throw new AskError(`${place}: ${saidBy({ code, stdout, stderr })}`)
  }
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ResultLine)
}

/** The words after `callspec` that ask a pair. */
export function wordsOf(row: EngineRow, pair: EnginePair, op: EngineOperation): readonly string[] {
  const cuts = op === 'cut' ? (row.engine.cuts ?? []).flatMap((name) => ['--cut', name]) : ['--op', op]
  const { id, version } = versionOf(pair)
  return [
    ...['conformance', 'run', '--impl', adapterCommand(row, pair), '--format', id, '--profile', version],
    ...['--time-limit', TIME_LIMIT, ...cuts],
  ]
}

/** Members of the environment that the adapter of a row needs. */
export function pythonPath({ engine, folder }: EngineRow): Readonly<Record<string, string>> {
  return engine.needs === 'python3' ? { PYTHONPATH: folder } : {}
}

/** `--profile ling-3` names the version of a format to an adapter: it has other special tokens. */
function adapterCommand({ engine, version, adapter, folder }: EngineRow, pair: EnginePair): string {
  const format = versionOf(pair)
  const values: Readonly<Record<string, string>> = {
    ...{ adapter, row: folder, version: version.version },
    ...{ parser: pair.parser, format: format.id },
  }
  const command = engine.command.replace(/\{(adapter|row|version|parser|format)\}/g, (_, name: string) =>
    shellQuoted(values[name] ?? ''),
  )
  return format.version === 'strict' ? command : `${command} --profile ${shellQuoted(format.version)}`
}

function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

function countVerdicts(deviations: readonly Deviation[], all: number): Readonly<Record<string, number>> {
  const counts = new Map<string, number>()
  for (const { verdict } of deviations) counts.set(verdict, (counts.get(verdict) ?? 0) + 1)
  if (deviations.length < all) counts.set('passed', all - deviations.length)
  return Object.fromEntries([...counts].toSorted(([one], [other]) => rankOf(one) - rankOf(other)))
}

/** In the order of tables. */
const VERDICTS = [
  ...['passed', 'whitespace', 'id', 'number', 'cut', 'refused'],
  ...['failed', 'contested', 'errored', 'synthetic', 'skipped'],
]

function rankOf(verdict: string): number {
  const at = VERDICTS.indexOf(verdict)
  return at < 0 ? VERDICTS.length : at
}

function deviation(line: ResultLine, { parser, format }: Pair, row: EngineRow): Deviation {
  const { id, actual, error, reason } = line
  const gave =
    actual !== undefined
      ? JSON.stringify(withoutEmptyDeltas(actual))
      : error !== undefined
        ? `${error.type}: ${error.message}`
        : reason
  return { parser, format, id, verdict: line.grade, gave: withoutPaths(gave ?? '', row).slice(0, LONGEST_ANSWER) }
}

/** Pieces of a stream after which nothing was given say nothing. */
function withoutEmptyDeltas(actual: unknown): unknown {
  const deltas = (actual as { deltas?: unknown } | null)?.deltas
  if (!Array.isArray(deltas)) return actual
  return { deltas: deltas.filter((each) => JSON.stringify(each) !== '{"delta":{}}') }
}

/** An error of an engine may quote where it is installed. */
function withoutPaths(text: string, { adapter, folder }: EngineRow): string {
  return text.replaceAll(folder, '{row}').replaceAll(adapter, '{adapter}').replaceAll(homedir(), '~')
}

/** The text of a report: a line per count and per deviation, so that a difference shows what has changed. */
export function reportText({ notAsked, counts, deviations, ...head }: EngineReport): string {
  const lists = Object.entries({ notAsked, counts, deviations }).map(([name, items]) => {
    const lines = items.map((item) => `    ${JSON.stringify(item)}`)
    return lines.length === 0 ? `  "${name}": []` : `  "${name}": [\n${lines.join(',\n')}\n  ]`
  })
  const members = Object.entries(head).map(([key, value]) => `  "${key}": ${JSON.stringify(value)}`)
  return `{\n${[...members, ...lists].join(',\n')}\n}\n`
}
