import { createRunReport, cutCases, DEVIATION_KINDS, distinctCases, runSuite } from '@callspec/conformance'
import type { Case, CaseResult, CutName, KnownFailures, RunReport } from '@callspec/conformance'
import type { Invocation } from '../command.ts'
import { inert, shellWord } from '../output.ts'
import type { Output } from '../output.ts'
import { workProgress } from '../work-progress.ts'
import type { Chosen } from './choose-implementation.ts'
import { cutsOf } from './select.ts'
import type { Selection } from './select.ts'

export interface CaseRun {
  readonly selection: Selection
  readonly chosen: Chosen
  readonly known: KnownFailures
  readonly invocation: Invocation
  /** Receives every result, in order. */
  onResult(result: CaseResult): void | Promise<void>
}

/** The results of a run, and what of the selection could not be used. */
export interface RunOutcome {
  readonly report: RunReport
  readonly leftOut: LeftOut
}

/** The first errors, and how many there were. */
interface LeftOut {
  readonly first: Error[]
  count: number
}

const SHOWN_LEFT_OUT = 10

/**
 * Runs the selected cases.
 *
 * @throws UsageError where there was no case
 */
export async function runCases({ selection, chosen, known, invocation, onResult }: CaseRun): Promise<RunOutcome> {
  const { options, output } = invocation
  const { implementation, jobs } = chosen
  const report = createRunReport(implementation.about, chosen.you)
  const leftOut: LeftOut = { first: [], count: 0 }
  const leaveOut = (error: Error): void => {
    leftOut.count += 1
    if (leftOut.first.length < SHOWN_LEFT_OUT) leftOut.first.push(error)
  }
  const whole = distinctCases(selection.cases(output, leaveOut), leaveOut)
  const cases = cutWhereAsked(whole, cutsOf(options), chosen)
  const kindOf = ({ id }: Case): string | null => known.entry(id)?.kind ?? null
  const settings = { jobs, knownFailure: known.reason, kindOf, strictSpace: options.flag('strict-space') }
  const progress = workProgress({ output, noun: 'case', of: await totalOf({ selection, chosen, output }) })
  let done = 0
  for await (const result of runSuite(cases, implementation, settings)) {
    report.add(result)
    await onResult(result)
    done += 1
    progress.step(done)
  }
  output.progressDone()
  if (done === 0) throw leftOut.first[0] ?? selection.nothing()
  return { report, leftOut }
}

const QUIET = { warn: () => undefined, note: () => undefined } as const

/** How many cases a program will be asked; not counted where nothing shows it, or where reading them is most of the work. */
async function totalOf({
  selection,
  chosen,
  output,
}: Pick<CaseRun, 'selection' | 'chosen'> & { readonly output: Output }): Promise<number | undefined> {
  if (chosen.driver === null || !output.showsProgress) return undefined
  let count = 0
  for await (const _ of selection.cases({ ...output, ...QUIET }, () => undefined)) count += 1
  return count
}

function cutWhereAsked(
  cases: AsyncIterable<Case>,
  cuts: readonly CutName[],
  { implementation: { about } }: Chosen,
): AsyncIterable<Case> {
  return cuts.length === 0 ? cases : cutCases(cases, { cuts, ...(about.cuts === undefined ? {} : { met: about.cuts }) })
}

/** The command line that runs one of these cases alone; `words` are those of `replayWords`. */
export function replayOf(words: string, { id, cutFrom }: Pick<Case, 'id' | 'cutFrom'>): string {
  if (cutFrom !== undefined) return `${words} --cut ${cutFrom.cut} --id ${inert(shellWord(cutFrom.id))}`
  return `${words} --id ${inert(shellWord(id))}`
}

/** A command line that runs the same cases of the same implementation, without the ids. */
export function replayWords(chosen: Chosen, cases: readonly string[]): string {
  const paths = cases.flatMap((path) => ['--cases', shellWord(path)])
  return ['callspec conformance run', ...chosen.words, ...paths].join(' ')
}

/** `3: 1 bug, 2 policy`, in the order of the kinds. */
export function kindsText(ids: readonly string[], known: KnownFailures): string {
  const parts = DEVIATION_KINDS.flatMap((kind) => {
    const times = ids.filter((id) => known.entry(id)?.kind === kind).length
    return times === 0 ? [] : [`${times} ${kind}`]
  })
  return parts.length === 0 ? '0' : `${ids.length}: ${parts.join(', ')}`
}

/** Where lines are printed, and the list of known failures they are about. */
export interface KnownList {
  readonly output: Output
  readonly known: KnownFailures
  readonly list: string
}
