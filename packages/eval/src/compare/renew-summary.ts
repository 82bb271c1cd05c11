import type { EvalSummary, LedgerAgreement } from '../summary/eval-summary.ts'
import { INTERVALS_OF_TRIES } from '../summary/warnings.ts'
import type { Warning } from '../summary/warnings.ts'
import { compareRows } from '../paired/compare-rows.ts'
import { rowsOf } from './match-rows.ts'
import type { EpisodeOutcome } from '../paired/outcome.ts'
import { isRecord } from '../text/json.ts'

/**
 * A stored summary as this version would have written it. Comparisons of earlier versions tested pairs of episodes, which finds
 * differences where there are none, or called fewer calls better, and did not compare models; fewer facts were compared with the
 * ledger. Rates and figures stay as they were scored.
 *
 * @param outcomes asked for only where something has to be made anew
 */
export function renewSummary(summary: EvalSummary, outcomes: () => readonly EpisodeOutcome[]): EvalSummary {
  // A file may have been written by anybody; whoever shows it finds out.
  if (![summary.comparisons, summary.rows].every(Array.isArray)) return summary
  const renewed = isRecord(summary.ledger) ? { ...summary, ledger: { ...UNCOUNTED, ...summary.ledger } } : summary
  return renewComparisons(withIntervalNote(renewed), outcomes)
}

/** Their intervals are those of tries, and their warnings said so in other words. */
function withIntervalNote(summary: EvalSummary): EvalSummary {
  const isOld = summary.rows.some((row) => isRecord(row) && row.tries === undefined)
  if (!isOld || !Array.isArray(summary.warnings)) return summary
  // A file may hold anything in their place.
  const isKept = (warning: unknown): boolean => !isRecord(warning) || !REPLACED.has(String(warning['code']))
  const warnings: readonly Warning[] = summary.warnings
  return { ...summary, warnings: [...warnings.filter(isKept), INTERVALS_OF_TRIES] }
}

const REPLACED: ReadonlySet<string> = new Set(['small-sample', 'tries-per-task'])

/** What earlier versions did not hold against the ledger, and leave out. */
const UNCOUNTED: Pick<LedgerAgreement, 'turnBlamesAgreeing' | 'successAgreeing' | 'blamesAgreeing' | 'callsAgreeing'> =
  {
    ...{ turnBlamesAgreeing: null, successAgreeing: null, blamesAgreeing: null, callsAgreeing: null },
  }

function renewComparisons(summary: EvalSummary, outcomes: () => readonly EpisodeOutcome[]): EvalSummary {
  if (Array.isArray(summary.modelComparisons) && summary.comparisons.every(isOfThisVersion)) return summary
  const rows = rowsOf(outcomes())
  const inOrder = summary.rows.map(({ model, protocol, alike }) => {
    const row = rows.find((each) => each.model === model && each.protocol === protocol)
    return { model, protocol, outcomes: () => row?.outcomes ?? [], isAlike: alike === true }
  })
  return { ...summary, ...compareRows(inOrder) }
}

function isOfThisVersion({ tests }: EvalSummary['comparisons'][number]): boolean {
  return Array.isArray(tests) && tests.every(({ method }) => method === 'sign-flip')
}
