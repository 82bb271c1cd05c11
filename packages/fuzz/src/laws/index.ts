import { InputError } from '@callspec/core'
import { LAW_IDS } from '../law-id.ts'
import type { LawId } from '../law-id.ts'

import type { Law } from '../law.ts'
import { agreement } from './agreement.ts'
import { contentConservation } from './content-conservation.ts'
import { deterministic } from './deterministic.ts'
import { emptyArguments } from './empty-arguments.ts'
import { indexIdentity } from './index-identity.ts'
import { jsonClosure } from './json-closure.ts'
import { linearWork } from './linear-work.ts'
import { modeParity } from './mode-parity.ts'
import { noMarkerLeak } from './no-marker-leak.ts'
import { roundTrip } from './round-trip.ts'
import { schemaTyping } from './schema-typing.ts'
import { splitInvariance } from './split-invariance.ts'
import { stopResidue } from './stop-residue.ts'
import { thinkIsolation } from './think-isolation.ts'
import { totality } from './totality.ts'
import { truncationHonesty } from './truncation-honesty.ts'
import { utfIntegrity } from './utf-integrity.ts'
import { valueTyping } from './value-typing.ts'

/** All laws, in the order in which they are checked: the first that is broken explains the others best. */
export const LAWS: readonly Law[] = [
  totality,
  deterministic,
  modeParity,
  splitInvariance,
  contentConservation,
  noMarkerLeak,
  thinkIsolation,
  truncationHonesty,
  jsonClosure,
  indexIdentity,
  emptyArguments,
  valueTyping,
  schemaTyping,
  utfIntegrity,
  stopResidue,
  roundTrip,
  agreement,
  linearWork,
]

/**
 * Laws by their names; all of them where none is named.
 *
 * @throws InputError for a name that no law has
 */
export function lawsNamed(names: readonly string[]): readonly Law[] {
  if (names.length === 0) return LAWS
  return names.map((name) => {
    const law = LAWS.find(({ id }) => id === name)
    if (law === undefined) throw new InputError('law', `Unknown law "${name}". Known laws: ${LAW_IDS.join(', ')}.`)
    return law
  })
}

/** Whether a text is the name of a law. */
export function isLawId(name: string): name is LawId {
  return LAW_IDS.some((id) => id === name)
}
