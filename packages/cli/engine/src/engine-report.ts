import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { EngineOperation, EnginePair, EngineRow } from './engine-file.ts'
import { pairsOf } from './engine-file.ts'
import { callspec, saidBy } from './program.ts'

/** A pair that could not be asked; the message is one line. */
export class AskError extends Error {}

/** The counts of one parser, format and operation, by verdict; a verdict that no case has is absent. */
export interface EngineCounts extends Pair {
  readonly op: EngineOperation
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
  /** The day of the run. */
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

/** Where a run puts its files, and what it prints as it goes on. */
export interface RunContext {
  readonly scratch: string
  readonly day: string
  readonly print: (line: string) => void
}

/** Asks every pair of a row. @throws AskError when one of them cannot be asked: then there is no report */
export async function askEngine(row: EngineRow, { scratch, day, print }: RunContext): Promise<EngineReport> {
  const { engine, version } = row
  const counts: EngineCounts[] = []
  const deviations: Deviation[] = []
  let casesVersion = ''
  for (const pair of pairsOf(row)) {
    const { parser, format } = pair
    for (const op of pair.operations) {
      const lines = await runPair(row, pair, { op, scratch })
      casesVersion = lines[0]?.cases ?? casesVersion
      counts.push({ parser, format, op, verdicts: countVerdicts(lines) })
      deviations.push(...lines.filter((line) => line.grade !== 'passed').map((line) => deviation(line, pair, row)))
    }
    print(`${engine.name}@${version.version}: ${parser} with ${format}: asked`)
  }
  return {
    ...{ engineReport: 1, engine: engine.name, title: engine.title, what: engine.what },
    ...{ version: version.version, commit: version.commit ?? null, date: version.date, dated: engine.dated, ran: day },
    ...{ casesVersion, adapter: hashOfFolder(row.adapter) },
    ...{ stubs: engine.stubs, notAsked: engine.notAsked, counts, deviations },
  }
}

/** A report says by which adapter the engine was asked: what it depends on is in the folder, or shared by engines of Python. */
function hashOfFolder(folder: string): string {
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
  const hash = createHash('sha256')
  for (const name of names.map((entry) => entry.name).toSorted())
    hash.update(name).update(readFileSync(join(folder, name)))
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
  readonly cases?: string
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
  const lines = await runPair(row, pair, { op, scratch, id: id.replace(/ ~[^~]*$/, '') })
  const line = lines.find((each) => each.id === id)
  return line === undefined ? null : deviation(line, pair, row)
}

async function runPair(
  row: EngineRow,
  pair: EnginePair,
  { op, scratch, id }: { readonly op: EngineOperation; readonly scratch: string; readonly id?: string },
): Promise<readonly ResultLine[]> {
  const file = join(scratch, 'results.jsonl')
  const words = [...wordsOf(row, pair, op), ...(id === undefined ? [] : ['--id', id]), '--json', file]
  const { code, stdout, stderr } = await callspec(words, row.folder, { ...pythonPath(row) })
  if (code !== 0 && code !== 1) {
    const place = `${row.engine.name}@${row.version.version}: ${pair.parser} with ${pair.format}, ${op}`
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
  return [
    ...['conformance', 'run', '--impl', adapterCommand(row, pair), '--format', pair.format, '--profile', 'strict'],
    ...['--time-limit', TIME_LIMIT, ...cuts],
  ]
}

/** Members of the environment that the adapter of a row needs. */
export function pythonPath({ engine, folder }: EngineRow): Readonly<Record<string, string>> {
  return engine.needs === 'python3' ? { PYTHONPATH: folder } : {}
}

function adapterCommand({ engine, version, adapter, folder }: EngineRow, { parser, format }: EnginePair): string {
  const values: Readonly<Record<string, string>> = { adapter, row: folder, version: version.version, parser, format }
  return engine.command.replace(/\{(adapter|row|version|parser|format)\}/g, (_, name: string) =>
    shellQuoted(values[name] ?? ''),
  )
}

function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

function countVerdicts(lines: readonly ResultLine[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>()
  for (const line of lines) counts.set(line.grade, (counts.get(line.grade) ?? 0) + 1)
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
