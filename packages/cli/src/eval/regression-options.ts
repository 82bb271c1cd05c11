import { GATED_NAMES } from '@callspec/eval'
import type { RegressionOptions } from '@callspec/eval'
import type { EvalOptions } from './eval-options.ts'

/** Which rates can regress, and how small a drop a run has to show. */
export function regressionOptions(options: EvalOptions): RegressionOptions {
  const named = options['gate-on']
  return {
    gateOn: GATED_NAMES.filter((name) => named.includes(name)),
    requireDetectable: options['require-detectable'],
  }
}
