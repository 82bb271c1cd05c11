import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { PairedTest, Rate, RunFollower, RunManifest, RunProgress, TaskShares } from '@callspec/eval'
import { followRun, manifestIn, RunError, successChanges } from '@callspec/eval'
import type { RowChange, RunEntry, RunEntryRow } from '@callspec/report/evaluation'
import { objectIn } from '../data-file.ts'
import { REPORT_FILES } from '../eval/report-files.ts'
import { textOfFile } from '../input-file.ts'
import { shellWord } from '../output.ts'

/** The runs of a folder, the newest first. */
export interface ReadRuns {
  /** The same list as the last time if nothing has changed. */
  readonly runs: readonly RunEntry[]
  /** How many older ones are left out. */
  readonly older: number
}

/** Reads the runs of a folder again and again; what has not changed is not read again. */
export interface RunReader {
  read(): Promise<ReadRuns>
  /** How far a run is. @throws RunError if the folder is not a run */
  progress(name: string): RunProgress
}

/** The page lists no more. */
const MOST_RUNS = 500

/** @param reports a folder of run folders; one that does not exist has none */
export function createRunReader(reports: string): RunReader {
  const followers = new Map<string, RunFollower>()
  const known = new Map<string, { readonly stamp: string; readonly run: KnownRun }>()
  let last: { readonly known: readonly KnownRun[]; readonly runs: readonly RunEntry[] } = { known: [], runs: [] }
  const progress = (name: string): RunProgress => {
    const follower = followers.get(name) ?? followRun(join(reports, name))
    followers.set(name, follower)
    return follower.read()
  }
  const readOne = async (name: string): Promise<KnownRun> => {
    const stamp = await stampOf(join(reports, name))
    const before = known.get(name)
    if (before !== undefined && before.stamp === stamp && before.run.entry.state === 'finished') return before.run
    const run = await readRun({ reports, name, progress: () => progress(name) })
    known.set(name, { stamp, run })
    return run
  }
  return {
    progress,
    read: async () => {
      const names = await runNames(reports)
      const shown = names.slice(0, MOST_RUNS)
      const runs: KnownRun[] = []
      for (const name of shown) runs.push(await readOne(name))
      const isSame = runs.length === last.known.length && runs.every((run, at) => run === last.known[at])
      if (!isSame) last = { known: runs, runs: withChanges(runs, reports) }
      return { runs: last.runs, older: names.length - shown.length }
    },
  }
}

/** Folders with a `run.json`, the newest name first: names begin with the time of the start. Symbolic links may lead elsewhere. */
async function runNames(reports: string): Promise<readonly string[]> {
  const entries = await readdir(reports, { withFileTypes: true }).catch(() => [])
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  const isRun = await Promise.all(
    folders.map(async (name) => (await stampOfFile(join(reports, name, 'run.json'))) !== ''),
  )
  return folders
    .filter((_, at) => isRun[at] === true)
    .toSorted()
    .toReversed()
}

/** Changes with every file that an entry is made of. */
async function stampOf(folder: string): Promise<string> {
  const files = ['run.json', REPORT_FILES.json, REPORT_FILES.html]
  return (await Promise.all(files.map((file) => stampOfFile(join(folder, file))))).join(' ')
}

async function stampOfFile(path: string): Promise<string> {
  const found = await stat(path).catch(() => null)
  return found === null ? '' : `${found.mtimeMs}:${found.size}`
}

/** A run with what a later one is compared with. */
interface KnownRun {
  readonly entry: RunEntry
  readonly manifest: RunManifest | null
  /** By row: success by task. */
  readonly tasks: readonly TaskShares[]
}

interface RunSource {
  readonly reports: string
  readonly name: string
  readonly progress: () => RunProgress
}

async function readRun({ reports, name, progress }: RunSource): Promise<KnownRun> {
  const folder = join(reports, name)
  try {
    const manifest = manifestIn(folder)
    const isFinished = manifest.finishedAt !== null
    const summary = isFinished ? await readFigures(folder) : null
    const now = isFinished ? null : progress()
    const state = isFinished ? 'finished' : now?.isPlaying === true ? 'playing' : 'stopped'
    const hasPage = isFinished && (await stampOfFile(join(folder, REPORT_FILES.html))) !== ''
    const entry: RunEntry = {
      ...{ name, fault: null, startedAt: manifest.startedAt, state, api: manifest.api },
      suite: `${manifest.suite.name} ${manifest.suite.version}`,
      progress: now,
      rows: summary?.rows ?? plannedRows(manifest),
      page: hasPage ? REPORT_FILES.html : null,
      command: state === 'stopped' ? commandText(['eval', '--resume', name], reports) : null,
    }
    return { entry, manifest, tasks: summary?.tasks ?? [] }
  } catch (error) {
    if (!(error instanceof RunError)) throw error
    const fault = { ...{ name, fault: error.message, startedAt: '', state: 'finished' as const }, progress: null }
    return {
      entry: { ...fault, ...{ suite: '', api: '', rows: [], page: null, command: null } },
      manifest: null,
      tasks: [],
    }
  }
}

function plannedRows({ models, protocols }: RunManifest): readonly RunEntryRow[] {
  return models.flatMap((model) => protocols.map((protocol) => ({ model, protocol, success: null, change: null })))
}

/** `callspec compare ONE OTHER`, for runs of a folder. */
function commandText(words: readonly string[], reports: string): string {
  const own = reports === 'reports' ? [] : ['--reports', reports]
  return ['callspec', ...[...words, ...own].map(shellWord)].join(' ')
}

interface Figures {
  readonly rows: readonly RunEntryRow[]
  readonly tasks: readonly TaskShares[]
}

/** Larger summaries are not ours. */
const MOST_BYTES = 64 << 20

/** The figures of `summary.json` as they are in the file, which may be of any version or edited; null if they cannot be read. */
async function readFigures(folder: string): Promise<Figures | null> {
  const path = join(folder, REPORT_FILES.json)
  const size = (await stat(path).catch(() => null))?.size ?? 0
  const value = size > MOST_BYTES ? null : objectIn((await textOfFile(path)) ?? '')
  const [rows, grid] = [listOf(value?.['rows']), listOf(value?.['grid'])]
  const read = rows.map(rowOf)
  if (value === null || read.includes(null)) return null
  return { rows: read.filter((row) => row !== null), tasks: rows.map((_, at) => tasksOf(grid, at)) }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

type Members = Readonly<Record<string, unknown>>

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {}
}

function rowOf(value: unknown): RunEntryRow | null {
  const { model, protocol, rates } = membersOf(value)
  const success = rateOf(membersOf(rates)['task_success'])
  if (typeof model !== 'string' || typeof protocol !== 'string' || success === null) return null
  return { model, protocol, success, change: null }
}

function rateOf(value: unknown): Rate | null {
  const { hits, of, rate, interval } = membersOf(value)
  if (typeof hits !== 'number' || typeof of !== 'number') return null
  const [low, high] = listOf(interval)
  const isKnown = typeof rate === 'number' && typeof low === 'number' && typeof high === 'number'
  return { hits, of, rate: isKnown ? rate : null, interval: isKnown ? [low, high] : null }
}

function tasksOf(grid: readonly unknown[], row: number): TaskShares {
  const tasks = new Map<string, readonly [number, number]>()
  for (const line of grid) {
    const { task, cells } = membersOf(line)
    const { passed, of } = membersOf(listOf(cells)[row])
    // The file may be edited: only counts can be tested.
    if (typeof task === 'string' && isCount(passed) && isCount(of) && of > 0 && passed <= of)
      tasks.set(task, [passed, of])
  }
  return tasks
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MOST_TRIES
}

/** More tries of a task are not ours. */
const MOST_TRIES = 1e6

interface Earlier {
  readonly name: string
  readonly tasks: TaskShares
}

/** Of the newest runs, so many rows are tested: a test of many tasks takes milliseconds. */
const MOST_TESTED = 100

/** A finished run, and for each of its rows the run before; null without one. */
interface Followed {
  readonly run: KnownRun
  readonly before: readonly (Earlier | null)[]
}

/** @param runs the newest first */
function withChanges(runs: readonly KnownRun[], reports: string): readonly RunEntry[] {
  let tested = 0
  return followed(runs).map(({ run: { entry, tasks }, before }): RunEntry => {
    const compared = before.flatMap((known, row) => (known === null ? [] : [{ row, known }]))
    const tests = tested < MOST_TESTED ? testsOf(tasks, before) : []
    tested += compared.length
    const changes = new Map(
      compared.map(({ row, known }, at) => [row, changeOf(known.tasks, tasks[row] ?? NONE, tests[at] ?? null)]),
    )
    const rows = entry.rows.map((row, at): RunEntryRow => ({ ...row, change: changes.get(at) ?? null }))
    const earlier = compared.find(({ row }) => (changes.get(row) ?? null) !== null)?.known.name
    return earlier === undefined
      ? entry
      : { ...entry, rows, command: commandText(['compare', earlier, entry.name], reports) }
  })
}

const NONE: TaskShares = new Map()

/** The runs in their order, each with those that its rows are compared with. */
function followed(runs: readonly KnownRun[]): readonly Followed[] {
  const earlier = new Map<string, Earlier>()
  const ascending = runs.toReversed().map((run): Followed => {
    const { entry, manifest, tasks } = run
    if (manifest === null || entry.state !== 'finished') return { run, before: [] }
    const before = entry.rows.map((row, at) => {
      const key = comparedKey(row, manifest)
      const known = earlier.get(key) ?? null
      earlier.set(key, { name: entry.name, tasks: tasks[at] ?? NONE })
      return known
    })
    return { run, before }
  })
  return ascending.toReversed()
}

/** The tests of a run's rows with a run before, in their order. A served page asks each second: what has not changed is not tested again. */
function testsOf(tasks: readonly TaskShares[], before: readonly (Earlier | null)[]): readonly PairedTest[] {
  const earlier = before.map((known) => known?.tasks ?? null)
  const known = TESTED.get(tasks)
  const isKnown = known?.earlier.length === earlier.length && known.earlier.every((one, row) => one === earlier[row])
  if (isKnown) return known.tests
  const tests = successChanges(
    earlier.flatMap((one, row) => (one === null ? [] : [{ before: one, after: tasks[row] ?? NONE }])),
  )
  TESTED.set(tasks, { earlier, tests })
  return tests
}

/** The tests by the tasks of a run's rows, and those of the runs before that they compare with. */
const TESTED = new WeakMap<
  readonly TaskShares[],
  { readonly earlier: readonly (TaskShares | null)[]; readonly tests: readonly PairedTest[] }
>()

/** Runs with the same key are compared: the same questions to the same model, in the same way. */
function comparedKey({ model, protocol }: RunEntryRow, manifest: RunManifest): string {
  const { suite, api, stops, stream, prompt = 'maker', parameters } = manifest
  return JSON.stringify([model, protocol, suite.sha256, api, stops, stream, prompt, parameters[model] ?? {}])
}

function changeOf(before: TaskShares, after: TaskShares, test: PairedTest | null): RowChange | null {
  const differences = [...after].flatMap(([task, [passed, of]]) => {
    const other = before.get(task)
    return other === undefined ? [] : [passed / of - other[0] / other[1]]
  })
  if (differences.length === 0) return null
  return {
    difference: differences.reduce((sum, each) => sum + each, 0) / differences.length,
    tasks: differences.length,
    better: differences.filter((each) => each > 0).length,
    worse: differences.filter((each) => each < 0).length,
    test: test === null ? null : { interval: test.interval, isShown: test.isShown },
  }
}
