import { ATTEMPTS } from './episode-rules.ts'
import type { TurnScore } from './label-turn.ts'

/** Whether a call was meant, under either reading. An answer that a server left an end mark behind is none. */
export function meantCall({
  strict,
  lenient,
  endMarkKept,
}: Pick<TurnScore, 'strict' | 'lenient' | 'endMarkKept'>): boolean {
  return !endMarkKept && (ATTEMPTS.has(strict) || ATTEMPTS.has(lenient))
}
