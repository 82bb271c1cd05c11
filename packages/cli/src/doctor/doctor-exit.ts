import type { Invocation } from '../command.ts'
import { exitCodeOf } from '../eval/exit-code.ts'
import { EXIT } from '../exit-codes.ts'
import type { ExitCode } from '../exit-codes.ts'

/** What an examination has come to. */
export interface Examination {
  /** Whether anything could be asked. */
  readonly isAsked: boolean
  readonly isHealthy: boolean
}

/**
 * 0 nothing fails, 1 something does, 2 nothing could be asked: an address where nobody answers, a key or a model that the server
 * does not take, are the caller's to mend, and say nothing of how the server does its work.
 */
export function doctorExit({ isAsked, isHealthy }: Examination, environment: Invocation['environment']): ExitCode {
  return isAsked ? exitCodeOf({ failed: !isHealthy, inconclusive: false }, environment) : EXIT.usage
}
