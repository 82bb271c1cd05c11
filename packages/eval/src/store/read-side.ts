import { readFileSync, statSync, closeSync, existsSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { cannotRead, fileLines, refusePipe } from './file-lines.ts'
import type { OpenOptions } from './open-run.ts'
import { checkLength, noRun, readManifestIn, RESULT_FILES, RUN_FILES } from './open-run.ts'
import { RunError } from '../trace/run-error.ts'
import { rescore } from './run-report.ts'
import type { PlayedEpisode, EpisodeScore } from '../score/scores.ts'
import type { EvalSummary } from '../summary/eval-summary.ts'
import { SUMMARY_SCHEMA } from '../summary/eval-summary.ts'
import { withParts } from '../summary/summarizer.ts'
import { NO_CHECK_SUMS } from '../summary/warnings.ts'
import type { RunFacts, ResultSums } from '../trace/run-manifest.ts'
import type { Baseline } from '../compare/baseline.ts'
import { BASELINE_SCHEMA, sideOfBaseline, renewSummary } from '../compare/baseline.ts'
import type { RunSide } from '../compare/compare-runs.ts'
import type { EpisodeOutcome } from '../metrics/outcome.ts'
import { episodeOutcome } from '../metrics/outcome.ts'
import type { JsonRecord } from '../text/json.ts'
import { objectIn, isRecord } from '../text/json.ts'
import { createHash } from 'node:crypto'
import type { Edits } from './check-sums.ts'
import { createLineCheck, createEdits, firstSeal } from './check-sums.ts'
import { isTorn } from './journal-index.ts'

/** A side of a comparison, with the file or folder from which it was read. */
export interface StoredSide extends RunSide {
  readonly path: string
  readonly kind: 'run' | 'baseline'
  readonly summary: EvalSummary
}

/**
 * Reads a run folder or a baseline file for a comparison.
 *
 * @throws RunError for a run that has not ended or was changed by hand, for any other file, and for an unknown version
 */
export function readSide(path: string, options: OpenOptions = {}): StoredSide {
  if (isFolder(path)) {
    const { summary, marks, outcomes } = readResults(path, options)
    const run = { ...summary.run, ...marks }
    return { path, kind: 'run', summary, run, scorer: summary.scorer, outcomes: outcomes() }
  }
  const value = parsedFile(readText(path), path)
  if (value['kind'] !== 'baseline') throw new RunError(`${path} is neither a run folder nor a baseline. ${BLESS}`)
  checkFileVersion(value, { path, known: BASELINE_SCHEMA, hint: BLESS })
  const fault = baselineFault(value)
  if (fault !== null) throw new RunError(`${path} is not as it was written: ${fault}. ${BLESS}`)
  const baseline = { ...value, summary: withParts(value['summary'] as JsonRecord) } as unknown as Baseline
  const side = sideOfBaseline(baseline)
  return { path, kind: 'baseline', summary: renewSummary(baseline.summary, () => side.outcomes), ...side }
}

/** The facts of a run, with what its check sums add. */
interface Results {
  readonly summary: EvalSummary
  readonly marks: Pick<RunFacts, 'edited' | 'isUnsealed'>
  readonly outcomes: () => readonly EpisodeOutcome[]
}

/** The figures of `summary.json`. They are only as reliable as the files from which they were made. */
function readResults(folder: string, options: OpenOptions): Results {
  const { edited = [], isUnsealed = false, isInterrupted = false } = verifyRun(folder, options) ?? {}
  const marks = { ...(edited.length === 0 ? {} : { edited }), ...(isUnsealed ? { isUnsealed } : {}) }
  if (!isInterrupted)
    return { summary: withNote(storedSummary(folder), isUnsealed), marks, outcomes: () => readOutcomes(folder) }
  // A process was killed between the two files: both are made again in memory.
  const outcomes: EpisodeOutcome[] = []
  const onEpisode = ({ score }: PlayedEpisode): void => void outcomes.push(episodeOutcome(score))
  return { summary: rescore(folder, { ...options, write: false, onEpisode }), marks, outcomes: () => outcomes }
}

/** A summary that was scored before its folder had check sums has the note already. */
function withNote(summary: EvalSummary, isUnsealed: boolean): EvalSummary {
  const { warnings } = summary
  if (!isUnsealed || !Array.isArray(warnings)) return summary
  const isNoted = warnings.some((warning: unknown) => isRecord(warning) && warning['code'] === NO_CHECK_SUMS.code)
  return isNoted ? summary : { ...summary, warnings: [NO_CHECK_SUMS, ...summary.warnings] }
}

const BLESS = 'callspec baseline writes one from a run folder.'
const RESCORE = 'callspec rescore writes it again.'

/**
 * Reads `summary.json` of an unchanged run folder. Conclusions of an earlier version are drawn again; if a process was killed while it
 * wrote the file, the whole summary is made from `turns.jsonl`.
 *
 * @throws RunError when it is missing or not of this version, or a file of the folder was changed by hand
 */
export function readSummary(folder: string, options: OpenOptions = {}): EvalSummary {
  return readResults(folder, options).summary
}

function storedSummary(folder: string): EvalSummary {
  const path = join(folder, 'summary.json')
  const isRun = existsSync(join(folder, RUN_FILES.manifest))
  const text = readText(
    path,
    isRun
      ? `${folder} has no summary.json: the run has not ended. Go on with --resume, or ${RESCORE}`
      : noRun(folder).message,
  )
  const written = parsedFile(text, path)
  const value = withParts(written)
  checkFileVersion(value, { path, known: SUMMARY_SCHEMA, hint: RESCORE })
  if (!isRecord(value['run']) || !Array.isArray(value['rows']))
    throw new RunError(`${path} is not as it was written: it has no "run" or no "rows". ${RESCORE}`)
  return renewSummary(value as unknown as EvalSummary, () => readOutcomes(folder))
}

/**
 * Reads what a comparison needs from `episodes.jsonl`, line by line. The folder must have been checked by `readSummary` or its writer.
 *
 * @throws RunError naming the line
 */
export function readOutcomes(folder: string): readonly EpisodeOutcome[] {
  const path = join(folder, 'episodes.jsonl')
  const outcomes: EpisodeOutcome[] = []
  for (const { text, number } of fileLines(path)) {
    if (text.trim() === '') continue
    const value = parsedFile(text, `${path}:${number}`)
    if (!isScore(value)) throw new RunError(`${path}:${number} is no episode of this version. ${RESCORE}`)
    outcomes.push(episodeOutcome(value))
  }
  return outcomes
}

/** Whether it has every member that `episodeOutcome` uses. */
function isScore(value: JsonRecord): value is JsonRecord & EpisodeScore {
  const { key, end, success, cleanStop, calls, tokens, turns } = value
  return (
    isRecord(key) &&
    ['model', 'protocol', 'task'].every((name) => typeof key[name] === 'string') &&
    typeof key['sample'] === 'number' &&
    typeof end === 'string' &&
    typeof success === 'boolean' &&
    typeof cleanStop === 'boolean' &&
    typeof calls === 'number' &&
    (tokens === null || isRecord(tokens)) &&
    Array.isArray(turns) &&
    turns.every((turn) => isRecord(turn) && typeof turn['strict'] === 'string' && typeof turn['lenient'] === 'string')
  )
}

function baselineFault({ summary, outcomes }: JsonRecord): string | null {
  if (!isRecord(summary) || !isRecord(summary['run']) || typeof summary['scorer'] !== 'string')
    return '"summary" is no summary'
  if (!Array.isArray(outcomes)) return '"outcomes" is no list'
  for (const [index, row] of outcomes.entries()) {
    const fields: JsonRecord = isRecord(row) ? row : {}
    const episodes = fields['episodes']
    if (typeof fields['model'] !== 'string' || typeof fields['protocol'] !== 'string' || !Array.isArray(episodes))
      return `outcomes[${index}] has no model, protocol or episodes`
    const broken = episodes.findIndex((episode) => !isEpisode(episode))
    if (broken >= 0) return `outcomes[${index}].episodes[${broken}] is no episode`
  }
  return null
}

function isEpisode(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 9) return false
  const [task, sample, end, calls, turns, tokens, ...counts] = value as readonly unknown[]
  return (
    typeof task === 'string' &&
    ['ok', 'stopped', 'failed', 'infra'].includes(String(end)) &&
    (tokens === null || isCount(tokens)) &&
    [sample, calls, turns, ...counts].every(isCount)
  )
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function parsedFile(text: string, path: string): JsonRecord {
  const value = objectIn(text)
  if (value !== null) return value
  throw new RunError(`${path} is no JSON object. Was it cut off or changed by hand?`)
}

function checkFileVersion(
  value: JsonRecord,
  { path, known, hint }: { readonly path: string; readonly known: number; readonly hint: string },
): void {
  const version = value['schema'] ?? value['version']
  if (value['schema'] === known) return
  const said = version === undefined ? 'names no version' : `is of version ${JSON.stringify(version)}`
  throw new RunError(`${path} ${said}; this program reads version ${known}. ${hint}`)
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch (error) {
    throw cannotRead(path, error)
  }
}

function readText(path: string, missing?: string): string {
  refusePipe(path)
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (missing !== undefined && error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new RunError(missing)
    throw cannotRead(path, error)
  }
}

/** The result of comparing a run folder with its check sums. */
export interface Verified {
  /** The accepted changes by hand. */
  readonly edited: readonly string[]
  /** Whether some files have no check sums, as in older runs. */
  readonly isUnsealed: boolean
  /** Whether a process was killed while it wrote `episodes.jsonl` and `summary.json`: only `turns.jsonl` counts. */
  readonly isInterrupted: boolean
}

/**
 * Compares the files of a run folder with their check sums, without interpreting them. Missing files are left to the caller; null if the
 * folder has no `run.json`.
 *
 * @throws RunError naming file and line of a change that was not accepted
 */
export function verifyRun(folder: string, { acceptEdited = false }: OpenOptions = {}): Verified | null {
  if (!existsSync(join(folder, RUN_FILES.manifest))) return null
  const { manifest, isAsWritten } = readManifestIn(folder)
  const { sums, results } = manifest
  const edits = createEdits(folder, { marked: manifest.edited ?? [], acceptsAll: acceptEdited })
  if (!isAsWritten) edits.found(`${RUN_FILES.manifest} is not as it was written`)
  const isInterrupted = results === null && existsSync(join(folder, RESULT_FILES.episodes))
  if (sums === undefined) return { edited: edits.accepted(), isUnsealed: true, isInterrupted }
  const path = join(folder, RUN_FILES.journal)
  if (existsSync(path)) {
    const lines = createLineCheck(RUN_FILES.journal, firstSeal(manifest.config), edits)
    // The last line may be in flight or torn; a missing line in the middle shows by the number of the next one.
    for (const line of fileLines(path)) if (!isTorn(line)) lines.open(line.text, line.number)
    checkLength(manifest, lines.seal().line, edits)
  }
  if (results !== undefined && results !== null) checkResults(folder, results, edits)
  return { edited: edits.accepted(), isUnsealed: results === undefined, isInterrupted }
}

function checkResults(folder: string, results: ResultSums, edits: Edits): void {
  for (const [name, file] of [
    ['episodes', RESULT_FILES.episodes],
    ['summary', RESULT_FILES.summary],
  ] as const) {
    const path = join(folder, file)
    if (existsSync(path) && fileSha256(path) !== results[name]) edits.found(`${file} is not as it was written`, RESTORE)
  }
}

const RESTORE = `Put back what was there, or write it again from ${RUN_FILES.journal}: callspec rescore RUN.`

const CHUNK = 1 << 16

/** Memory does not grow with the file. */
function fileSha256(path: string): string {
  refusePipe(path, 'Remove it')
  const [hash, bytes] = [createHash('sha256'), Buffer.allocUnsafe(CHUNK)]
  try {
    const file = openSync(path, 'r')
    try {
      for (let read = readSync(file, bytes); read > 0; read = readSync(file, bytes))
        hash.update(bytes.subarray(0, read))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    throw cannotRead(path, error)
  }
  return hash.digest('hex')
}
