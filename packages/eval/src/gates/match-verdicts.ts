import { rowName } from '../trace/format-names.ts'
import type { ComparedRow, LoneRow, RunComparison, OneSided } from '../compare/compare-runs.ts'
import type { GateVerdict } from './judge.ts'

/** What is to be said of what could not be paired. */
export interface Matching {
  /** `void` where most of the runs has no partner; `inconclusive` where most of a row has none. */
  readonly verdicts: readonly GateVerdict[]
  /** The rows that say nothing for that reason. */
  readonly unmatched: ReadonlySet<ComparedRow>
}

/** Finds out whether two runs share enough to be compared. A gate that is green over nothing would be worse than none. */
export function matchVerdicts(comparison: RunComparison, wanted: number): Matching {
  const { rows, onlyBefore, onlyAfter } = comparison
  const verdict = (scope: string, status: GateVerdict['status'], text: string): GateVerdict => ({
    ...{ gate: 'no regression', scope, status, measured: null, wanted, text },
  })
  const sizes = rows.map(sizeOf)
  const lone = [...onlyBefore, ...onlyAfter].reduce((sum, { episodes }) => sum + episodes, 0)
  const all = sizes.reduce((sum, { episodes }) => sum + episodes, lone)
  const paired = sizes.reduce((sum, each) => sum + each.paired, 0)
  if (rows.length === 0) {
    const text = `the two runs share no model and format: ${namesText(comparison)}`
    return { verdicts: [verdict('run', 'void', text)], unmatched: new Set() }
  }
  if (2 * paired < all || paired === 0) {
    const text = `${unpairedText(paired, all)}: ${reasonsOf(comparison).join('; ')}`
    return { verdicts: [verdict('run', 'void', text)], unmatched: new Set() }
  }
  const unmatched = rows.filter((_, at) => isMostlyAlone(sizes[at]))
  const verdicts = unmatched.map((row) => {
    const size = sizeOf(row)
    const text = `${unpairedText(size.paired, size.episodes)}: ${unpairedReasons(row).join('; ')}`
    return verdict(rowName(row.after), 'inconclusive', text)
  })
  return { verdicts, unmatched: new Set(unmatched) }
}

interface Size {
  readonly episodes: number
  readonly paired: number
}

/** Of both sides together. */
function sizeOf({ figures, broken, unpaired }: ComparedRow): Size {
  const paired = 2 * Math.max(0, ...figures.map(({ pairs }) => pairs))
  return { episodes: paired + 2 * broken + unpaired, paired }
}

/** Why two runs share nothing that could be compared; null where they do. */
export function nothingToCompare(comparison: RunComparison): string | null {
  if (comparison.rows.some(hasPairs)) return null
  return matchVerdicts(comparison, 0).verdicts[0]?.text ?? 'the two runs have no episodes'
}

/** Whether anything of a row can be compared. */
export function hasPairs(row: ComparedRow): boolean {
  return sizeOf(row).paired > 0
}

function isMostlyAlone(size: Size | undefined): boolean {
  return size === undefined || size.paired === 0 || 2 * size.paired < size.episodes
}

function unpairedText(paired: number, all: number): string {
  return `${all - paired} of ${all} episodes have no partner`
}

function namesText({ onlyBefore, onlyAfter }: RunComparison): string {
  return `before ${listText(onlyBefore.map(rowName))}, after ${listText(onlyAfter.map(rowName))}`
}

/** The reasons, row by row; a reason that all rows share is printed once. */
function reasonsOf({ rows, onlyBefore, onlyAfter }: RunComparison): readonly string[] {
  const only = (where: string, lone: readonly LoneRow[]): readonly string[] =>
    lone.length === 0 ? [] : [`only ${where}: ${listText(lone.map(rowName))}`]
  return [...only('before', onlyBefore), ...only('after', onlyAfter), ...new Set(rows.flatMap(unpairedReasons))]
}

/** Why episodes of a row have no partner, such as `seeds only before: 0, 1, 2`; empty where all have one. */
export function unpairedReasons({ missing, broken, unpaired }: ComparedRow): readonly string[] {
  const named = [...sideReasons('before', missing.before), ...sideReasons('after', missing.after)]
  return [
    ...named,
    ...(broken === 0 ? [] : [`${broken} pairs failed on the way to the server`]),
    ...(named.length === 0 && unpaired > 0 ? ['tasks were tried with other seeds than before'] : []),
  ]
}

function sideReasons(where: string, { tasks, seeds }: OneSided): readonly string[] {
  return [
    ...(seeds.length === 0 ? [] : [`seeds only ${where}: ${listText(seeds.map(String))}`]),
    ...(tasks.length === 0 ? [] : [`tasks only ${where}: ${listText(tasks)}`]),
  ]
}

/** So many are named. */
const NAMED = 8

function listText(names: readonly string[]): string {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : ''
  return `${names.slice(0, NAMED).join(', ')}${more}`
}
