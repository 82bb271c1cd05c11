import { rowName } from '../trace/format-names.ts'
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import type { RunFolder } from './run-folder.ts'
import { createRunFolder } from './run-folder.ts'
import type { EvalSummary } from '../summary/eval-summary.ts'
import { cannotWrite } from './write-files.ts'
import { planDifferences, mergeManifests, planOf } from './manifest.ts'
import type { OpenOptions, StoredRun } from './open-run.ts'
import { manifestIn, openRun } from './open-run.ts'
import type { Plan } from '../trace/plan.ts'
import { rescore } from './run-report.ts'
import type { PlayedEpisode } from '../score/scores.ts'
import { RunError } from '../trace/run-error.ts'
import type { RunManifest } from '../trace/run-manifest.ts'
import type { EndLine, EpisodeKey, EpisodeTrace, TraceLine } from '../trace/trace.ts'

/** The result of a merge. */
export interface MergedRun {
  readonly summary: EvalSummary
  /** How many episodes the plan has, and how many of them have ended. */
  readonly episodes: number
  readonly ended: number
}

export interface MergeOptions extends OpenOptions {
  /** Whether the umask decides who may read the result. Default: only its owner may. */
  readonly isShared?: boolean
  /** Called for every episode that has ended, while it is scored; `of`: how many these are. */
  readonly onEpisode?: (episode: PlayedEpisode, of: number) => void
}

/**
 * Merges parts of one plan into a run folder, scored like any other. The result does not depend on the order of the parts, or on how
 * often one is given, alone or within an earlier result.
 *
 * Of two versions of an episode, one that ended well is preferred to one that failed on the way to the server, and that to an
 * interrupted one.
 *
 * @param into a new folder, or that of an earlier merge
 * @throws RunError when they are not parts of one plan, or hold different replies for the same episode
 */
export function mergeRuns(folders: readonly string[], into: string, options: MergeOptions = {}): MergedRun {
  const { isShared = false, ownFormats, onEpisode } = options
  const runs = openAll(folders, options)
  const building = `${into}.merging`
  try {
    const manifest = mergeManifests(runs)
    checkTarget(into, manifest)
    const [{ suite, suiteFile }] = runs
    const plan = planOf(manifest, suite)
    const chosen = choose(runs, plan)
    rmSync(building, { recursive: true, force: true })
    const isComplete = chosen.ended === plan.length
    const began = { ...manifest, finishedAt: null }
    const folder = createRunFolder({ at: building, manifest: began, suite: suiteFile, isShared })
    copy(runs, { chosen, folder, plan })
    if (isComplete) folder.writeManifest({ finishedAt: manifest.finishedAt })
    folder.close()
    const summary = rescore(building, {
      ...(ownFormats === undefined ? {} : { ownFormats }),
      onEpisode: (episode) => onEpisode?.(episode, chosen.ended),
    })
    replace(into, building)
    return { summary, episodes: plan.length, ended: chosen.ended }
  } finally {
    for (const run of runs) run.close()
    rmSync(building, { recursive: true, force: true })
  }
}

type Runs = readonly [StoredRun, ...StoredRun[]]

function openAll(folders: readonly string[], options: OpenOptions): Runs {
  const runs: StoredRun[] = []
  try {
    // Sorted, so that the order of the parts does not decide which of two equal versions is taken.
    for (const folder of [...new Set(folders)].sort()) runs.push(openRun(folder, options))
  } catch (error) {
    for (const run of runs) run.close()
    throw error
  }
  const [first, ...others] = runs
  if (first === undefined) throw new RunError('there is nothing to merge: name at least one run folder')
  return [first, ...others]
}

/** For each episode of the plan the number of the run that has it, and -1 if no run has it. */
interface Chosen {
  readonly runs: Int32Array
  readonly ended: number
}

interface Candidate {
  readonly run: number
  /** 3: ended well; 2: failed; 1: interrupted. */
  readonly rank: number
  readonly lines: readonly TraceLine[]
}

function choose(runs: Runs, plan: Plan): Chosen {
  const chosen = new Int32Array(plan.length).fill(-1)
  const conflicts: string[] = []
  let [at, ended] = [0, 0]
  for (const { key } of plan.jobs()) {
    const best = bestOf(runs, key, conflicts)
    if (best !== null) {
      chosen[at] = best.run
      if (best.rank > 1) ended += 1
    }
    at += 1
  }
  if (conflicts.length > 0)
    throw new RunError(`${conflicts[0] ?? ''}${more(conflicts.length - 1)}. Leave out one of the two.`)
  return { runs: chosen, ended }
}

function bestOf(runs: Runs, key: EpisodeKey, conflicts: string[]): Candidate | null {
  let best: Candidate | null = null
  for (const [index, run] of runs.entries()) {
    const next = candidate(run, key, index)
    if (next === null) continue
    if (best !== null && best.rank === 3 && next.rank === 3 && candidateText(best) !== candidateText(next)) {
      const names = `${runs[best.run]?.folder ?? ''} and ${run.folder}`
      conflicts.push(`${rowName(key)} ${key.task} seed ${key.sample} has other replies in ${names}`)
    }
    if (best === null || isBetter(next, best)) best = next
  }
  return best
}

function candidate(run: StoredRun, key: EpisodeKey, index: number): Candidate | null {
  const known = run.episode(key)
  if (known.kind === 'missing') return null
  if (known.kind === 'begun') return { run: index, rank: 1, lines: linesOf(known.start) }
  return { run: index, rank: known.isOutage ? 2 : 3, lines: linesOf(known.trace()) }
}

/** Of two that failed or were interrupted the longer one; of two equally long ones always the same. */
function isBetter(next: Candidate, best: Candidate): boolean {
  if (next.rank !== best.rank) return next.rank > best.rank
  if (next.rank === 3) return false
  if (next.lines.length !== best.lines.length) return next.lines.length > best.lines.length
  return candidateText(next) < candidateText(best)
}

/** In the order in which they were written. */
function linesOf({ turns, calls, end = null }: Recorded): readonly TraceLine[] {
  const played = turns.flatMap((turn) => [turn, ...calls.filter((call) => call.turn === turn.turn)])
  return end === null ? played : [...played, end]
}

type Recorded = Pick<EpisodeTrace, 'turns' | 'calls'> & { readonly end?: EndLine | null }

function candidateText({ lines }: Candidate): string {
  return lines.map((line) => JSON.stringify(line)).join('\n')
}

function copy(runs: Runs, { chosen, folder, plan }: Copy): void {
  let at = 0
  for (const { key } of plan.jobs()) {
    const run = runs[chosen.runs[at] ?? -1]
    at += 1
    const found = run === undefined ? null : candidate(run, key, 0)
    for (const line of found?.lines ?? []) folder.append(line)
  }
}

interface Copy {
  readonly chosen: Chosen
  readonly folder: RunFolder
  readonly plan: Plan
}

/** Another run in this folder must not be lost. */
function checkTarget(into: string, manifest: RunManifest): void {
  if (!existsSync(into) || readdirSync(into).length === 0) return
  const there = manifestIn(into)
  if (planDifferences(there, manifest).length > 0)
    throw new RunError(`${into} holds another run. Name a new folder for the result.`)
}

function replace(into: string, building: string): void {
  try {
    rmSync(`${into}.old`, { recursive: true, force: true })
    if (existsSync(into)) renameSync(into, `${into}.old`)
    renameSync(building, into)
    rmSync(`${into}.old`, { recursive: true, force: true })
  } catch (error) {
    throw cannotWrite(into, error)
  }
}

function more(count: number): string {
  return count === 0 ? '' : ` (and ${count} more)`
}
