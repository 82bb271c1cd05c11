import { GATED_NAMES } from '@callspec/eval'
import type { RegressionOptions } from '@callspec/eval'
import type { Options } from '../command.ts'
import { LIMITS } from './limits.ts'

/** Reads --gate-on and --require-detectable. */
export function regressionOptions(options: Options): RegressionOptions {
  const named = options.list('gate-on')
  return {
    gateOn: GATED_NAMES.filter((name) => named.includes(name)),
    requireDetectable: options.number('require-detectable', LIMITS['require-detectable']),
  }
}
