import { ARGUMENT_FAULTS } from './argument-faults.ts'
import type { Fault } from './fault.ts'
import { STATE_FAULTS } from './state-faults.ts'
import { STRUCTURE_FAULTS } from './structure-faults.ts'
import { SYNTAX_FAULTS } from './syntax-faults.ts'

/** Every fault by its id. */
export const FAULTS: ReadonlyMap<string, Fault> = new Map(
  [...SYNTAX_FAULTS, ...ARGUMENT_FAULTS, ...STRUCTURE_FAULTS, ...STATE_FAULTS].map((fault) => [fault.id, fault]),
)
