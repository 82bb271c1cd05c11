import type { Culprit } from '@callspec/labels'
import type { Labels } from './fault.ts'

/** Labels of replies without a fault. */
const FINE: ReadonlySet<string> = new Set(['well_formed', 'final_answer'])

/** The culprit of a turn: the one that its labels name, else the model; null for a turn without a fault. */
export function culpritOf({ strict, lenient, blames }: Labels): Culprit | null {
  if (FINE.has(strict)) return null
  if (strict === 'no_tool_text' && (lenient === 'no_tool_text' || lenient === 'final_answer')) return null
  return blames ?? 'model'
}
