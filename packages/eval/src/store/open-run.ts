import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Format } from '@callspec/core'
import { formatsWith } from '../formats/table.ts'
import type { FormatTable } from '../formats/eval-format.ts'
import type { Edits } from './check-sums.ts'
import { createEdits, firstSeal } from './check-sums.ts'
import { cannotRead, openFile, refusePipe } from './file-lines.ts'
import type { EpisodeVersion, JournalIndex, RecordedStart } from './journal-index.ts'
import { indexJournal } from './journal-index.ts'
import type { ReadManifest } from './manifest.ts'
import { planOf, readManifest } from './manifest.ts'
import type { Plan } from '../trace/plan.ts'
import { partOf } from '../trace/plan.ts'
import { RunError, systemCodeOf } from '../trace/run-error.ts'
import type { RunManifest } from '../trace/run-manifest.ts'
import type { StoredSuite } from './stored-suite.ts'
import { readStoredSuite } from './stored-suite.ts'
import type { EpisodeKey, EpisodeTrace } from '../trace/trace.ts'
import { keyText } from '../trace/trace.ts'

export const RUN_FILES = { manifest: 'run.json', suite: 'suite.json', journal: 'turns.jsonl' } as const

/** The files that are made from the journal, in the order in which they are written. */
export const RESULT_FILES = { episodes: 'episodes.jsonl', summary: 'summary.json' } as const

/** The state of an episode in a run folder. */
export type StoredEpisode =
  | { readonly kind: 'missing' }
  /** Interrupted: it continues here. */
  | { readonly kind: 'begun'; readonly start: RecordedStart }
  | { readonly kind: 'ended'; readonly isOutage: boolean; readonly trace: () => EpisodeTrace }

/** A run folder that was read. Traces are read from the disk on demand. */
export interface StoredRun {
  readonly folder: string
  readonly manifest: RunManifest
  readonly suite: StoredSuite
  readonly formats: FormatTable
  /** The content of `suite.json`. */
  readonly suiteFile: string
  readonly plan: Plan
  /** How many episodes of the plan have ended, and how many of those failed on the way to the server. */
  readonly ended: number
  readonly outages: number
  readonly journal: Pick<JournalIndex, 'size' | 'needsLineFeed' | 'isTorn' | 'seal'>
  /** Whether changes have been accepted that the manifest on the disk does not name yet. */
  readonly isNewlyEdited: boolean
  /** The episodes that have ended, in the order of the plan. */
  traces(): Iterable<EpisodeTrace>
  episode(key: EpisodeKey): StoredEpisode
  /** The start of a failed episode that is repeated: before its failed turn, or where a repetition was interrupted. */
  retryStart(key: EpisodeKey): { readonly start: RecordedStart; readonly isBegun: boolean }
  close(): void
}

export interface OpenOptions {
  /** Accepts changes by hand, which are refused otherwise; the manifest then names them. */
  readonly acceptEdited?: boolean
  /** The user's formats with which the run was played. */
  readonly ownFormats?: readonly Format[]
}

/**
 * Reads a run folder. Memory grows by some bytes per line of its journal.
 *
 * @throws RunError naming file and line for what is missing, of another version, or was changed by hand
 */
export function openRun(folder: string, { acceptEdited = false, ownFormats = [] }: OpenOptions = {}): StoredRun {
  const { manifest: written, isAsWritten } = readManifestIn(folder)
  const edits = createEdits(folder, { marked: written.edited ?? [], acceptsAll: acceptEdited })
  if (!isAsWritten) edits.found(`${RUN_FILES.manifest} is not as it was written`)
  const suitePath = join(folder, RUN_FILES.suite)
  const suiteFile = readText(suitePath)
  const suite = readStoredSuite(suiteFile, { path: suitePath, expected: written.suite.stored })
  const plan = planOf(written, suite)
  const journalPath = join(folder, RUN_FILES.journal)
  const begin = written.sums === undefined ? null : firstSeal(written.config)
  const index = indexJournal(journalPath, { plan, check: checkAgainst(written), begin, edits })
  const { size, needsLineFeed, isTorn, seal, ended, outages } = index
  checkLength(written, seal?.line ?? null, edits)
  const edited = edits.accepted()
  const manifest = edited.length === 0 ? written : { ...written, edited }
  const file = openFile(journalPath)
  const traceOf = (key: EpisodeKey): EpisodeTrace => {
    const { turns, calls, end } = index.read(key, 'ended', file) ?? NOTHING
    if (end === null) throw new Error(`callspec: the episode ${keyText(key)} has no end`)
    return { key, turns, calls, end }
  }
  return {
    formats: formatsWith(ownFormats),
    ...{ folder, manifest, suite, suiteFile, plan, ended, outages, journal: { size, needsLineFeed, isTorn, seal } },
    isNewlyEdited: edited.length > (written.edited ?? []).length || (!isAsWritten && acceptEdited),
    traces: function* () {
      for (const { key } of plan.jobs()) if (index.endOf(key) !== null) yield traceOf(key)
    },
    episode: (key) => {
      const end = index.endOf(key)
      if (end !== null) return { kind: 'ended', isOutage: end.isOutage, trace: () => traceOf(key) }
      const start = index.read(key, 'begun', file)
      return start === null ? { kind: 'missing' } : { kind: 'begun', start }
    },
    retryStart: (key) => {
      const begun = index.read(key, 'begun', file)
      if (begun !== null) return { start: begun, isBegun: true }
      return { start: withoutLastTurn(index.read(key, 'ended', file) ?? NOTHING), isBegun: false }
    },
    close: () => file.close(),
  }
}

/** @throws RunError when it is missing, or not of this version */
export function manifestIn(folder: string): RunManifest {
  return readManifestIn(folder).manifest
}

export function readManifestIn(folder: string): ReadManifest {
  const path = join(folder, RUN_FILES.manifest)
  return readManifest(
    readText(path, () => noRun(folder)),
    path,
  )
}

/** Lines that were removed at the end leave no gap. An unfinished run may have stopped there. */
export function checkLength({ lines }: RunManifest, last: number | null, edits: Edits): void {
  if (lines === undefined || last === null || last >= lines) return
  const missing = lines - last
  edits.found(`${RUN_FILES.journal} lacks its last ${missing === 1 ? 'line' : `${missing} lines`}`)
}

const NOTHING: EpisodeVersion = { turns: [], calls: [], end: null }

function withoutLastTurn({ turns, calls }: RecordedStart): RecordedStart {
  const last = turns.length - 1
  return { turns: turns.slice(0, last), calls: calls.filter((call) => call.turn < last) }
}

/** Where an episode differs from the plan; null if the plan contains it. */
function checkAgainst(manifest: RunManifest): (key: EpisodeKey) => string | null {
  const { models, protocols, tasks, seed, repeat, shard } = manifest
  const known = { model: new Set(models), protocol: new Set<string>(protocols), task: new Set(tasks) }
  return (key) => {
    for (const name of ['model', 'protocol', 'task'] as const)
      if (!known[name].has(key[name])) return `${name} ${JSON.stringify(key[name])} is not in run.json`
    if (key.sample < seed || key.sample >= seed + repeat) return `seed ${key.sample} is not in run.json`
    if (shard !== null && !shard.parts.includes(partOf(key, shard.of))) return 'the episode is of another shard'
    return null
  }
}

function readText(path: string, missing: () => RunError = () => incomplete(path)): string {
  refusePipe(path)
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = systemCodeOf(error)
    throw code === 'ENOENT' || code === 'ENOTDIR' ? missing() : cannotRead(path, error)
  }
}

/** What is wrong with a folder without a manifest. */
export function noRun(folder: string): RunError {
  return new RunError(`${folder} is no run folder: it holds no ${RUN_FILES.manifest}. Run folders are in reports/.`)
}

function incomplete(path: string): RunError {
  return new RunError(`${path} is missing: the run folder is incomplete. Put ${basename(path)} back.`)
}
