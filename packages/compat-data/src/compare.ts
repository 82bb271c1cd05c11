import type { CompatData } from './read.ts'
import type { CompatResult, CompatRow, CompatVerdict } from './types.ts'

/** Whether the verdict says that the engine reads the case wrong. Near misses, policy and contested cases are apart. */
export function isWrong(verdict: CompatVerdict): boolean {
  return verdict === 'refused' || verdict === 'failed' || verdict === 'errored'
}

/** Counts of a result in the groups that are never added up. */
export interface CompatTally {
  /** Without `synthetic` and `skipped`. */
  readonly asked: number
  /** `passed`, and right but for white space. */
  readonly right: number
  /** Right but for ids of calls, or for the spelling of a number. */
  readonly near: number
  readonly cut: number
  readonly contested: number
  readonly wrong: number
}

/** Sums the counts of results by group. */
export function tallyOf(results: readonly Pick<CompatResult, 'counts'>[]): CompatTally {
  const sum = (...verdicts: readonly CompatVerdict[]): number =>
    results.reduce((total, { counts }) => total + verdicts.reduce((all, verdict) => all + (counts[verdict] ?? 0), 0), 0)
  const [right, near, cut] = [sum('passed', 'whitespace'), sum('id', 'number'), sum('cut')]
  const [contested, wrong] = [sum('contested'), sum('refused', 'failed', 'errored')]
  return { asked: right + near + cut + contested + wrong, right, near, cut, contested, wrong }
}

/** The verdict of every case that was asked, by id. */
export function verdictsOf(
  result: CompatResult,
  asked: ReturnType<CompatData['asked']>,
): ReadonlyMap<string, CompatVerdict> {
  const passed = (asked[result.asked] ?? []).map((id) => [id, 'passed'] as const)
  const others = Object.entries(result.cases).map(([id, [verdict]]) => [id, verdict] as const)
  return new Map<string, CompatVerdict>([...passed, ...others])
}

/** A case that two versions of an engine read differently. */
export interface CompatChange {
  readonly parser: string
  readonly format: string
  readonly operation: CompatResult['operation']
  readonly id: string
  readonly before: CompatVerdict
  readonly after: CompatVerdict
}

/** What has changed from one version to another. */
export interface CompatChanges {
  /** Read wrong now, and not before. */
  readonly fresh: readonly CompatChange[]
  /** Read wrong before, and right now, or but for a near miss. */
  readonly gone: readonly CompatChange[]
  /** Parser and format pairs that only the later version was asked. */
  readonly firstAsked: readonly { readonly parser: string; readonly format: string }[]
}

const UNKNOWN: ReadonlySet<CompatVerdict> = new Set(['synthetic', 'skipped', 'contested'])

/** Compares two rows of one engine, by parser, format, operation and case. A case that one of them was not asked is left out. */
export function changesBetween(
  before: CompatRow,
  after: CompatRow,
  asked: ReturnType<CompatData['asked']>,
): CompatChanges {
  const changes = after.results.flatMap((result) => {
    const { parser, format, operation } = result
    const old = before.results.find((each) => isSamePair(each, result) && each.operation === operation)
    if (old === undefined) return []
    const [then, now] = [verdictsOf(old, asked), verdictsOf(result, asked)]
    return [...now].flatMap(([id, verdict]) => {
      const was = then.get(id)
      if (was === undefined || UNKNOWN.has(was) || UNKNOWN.has(verdict) || isWrong(was) === isWrong(verdict)) return []
      return [{ parser, format, operation, id, before: was, after: verdict }]
    })
  })
  const pairs = after.results.filter((result) => !before.results.some((old) => isSamePair(old, result)))
  const firstAsked = new Map(pairs.map(({ parser, format }) => [`${parser} ${format}`, { parser, format }]))
  return {
    fresh: changes.filter(({ after: verdict }) => isWrong(verdict)),
    gone: changes.filter(({ before: verdict }) => isWrong(verdict)),
    firstAsked: [...firstAsked.values()],
  }
}

function isSamePair(one: CompatResult, other: CompatResult): boolean {
  return one.parser === other.parser && one.format === other.format
}
