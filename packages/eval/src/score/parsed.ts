import type { CallLine } from '../trace/trace.ts'
import type { LabelledTurn } from './label-turn.ts'
import { hasCalls } from './view-turn.ts'

/** How the calls of a turn could be read: as the format prescribes, with repairs, or not at all (null). */
export type Parsed = 'strict' | 'lenient' | null

/**
 * A good call, and one that the host read and made although more stands in the reply than should: what goes on behind a
 * stop word does not undo the call before it.
 */
export function parsedAs({ score, views }: LabelledTurn, calls: readonly CallLine[]): Parsed {
  if (score.strict === 'well_formed') return 'strict'
  if (score.lenient === 'recovered') return 'lenient'
  const readable = views.lenient.reading.calls?.length ?? 0
  if (!score.salvageable || readable === 0 || !wasMade(calls, readable)) return null
  return score.strict !== 'leaked_marker' && hasCalls(views.strict.reading) ? 'strict' : 'lenient'
}

/** Whether the host made as many calls as can be read, and their arguments could be read too. */
export function wasMade(calls: readonly CallLine[], readable: number): boolean {
  return calls.length >= readable && calls.every(({ result }) => !UNREADABLE.test(result))
}

/** How tools answer to arguments that are no JSON. */
const UNREADABLE = /"code":"bad_arguments","message":"Parameters must be formatted as a valid JSON/
