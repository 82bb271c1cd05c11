import { ARGUMENT_FAULTS } from './argument-faults.ts'
import type { Fault } from './fault.ts'
import { withFormats } from './format-faults.ts'
import { HARMLESS_FAULTS } from './harmless-faults.ts'
import { JSON_FAULTS } from './json-faults.ts'
import { MARK_FAULTS } from './mark-faults.ts'
import { STATE_FAULTS } from './state-faults.ts'
import { STRUCTURE_FAULTS } from './structure-faults.ts'

const ALL = [
  ...MARK_FAULTS,
  ...JSON_FAULTS,
  ...ARGUMENT_FAULTS,
  ...HARMLESS_FAULTS,
  ...STRUCTURE_FAULTS,
  ...STATE_FAULTS,
]
  .map(withFormats)
  .sort((left, right) => (left.id < right.id ? -1 : 1))

/** Every fault by its id, in the order of the ids: F01 to F40, and F41 to F47 for protocols that ask for a number. */
export const FAULTS: ReadonlyMap<string, Fault> = new Map(ALL.map((fault) => [fault.id, fault]))

/** The fault with this id or name, or null. */
export function faultNamed(name: string): Fault | null {
  return FAULTS.get(name) ?? ALL.find((fault) => fault.name === name) ?? null
}
