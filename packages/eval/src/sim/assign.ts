import type { Protocol } from '../protocol.ts'
import { FAULTS } from './catalogue.ts'
import { draw } from './draw.ts'
import type { Expectation } from './fault.ts'
import { POLICIES } from './policy.ts'
import type { Preset } from './preset.ts'
import type { Reference } from './reference.ts'
import { SPEAKERS, WHOLE } from './speakers.ts'
import type { Part } from './speakers.ts'

export interface AssignmentKey {
  readonly preset: Preset
  readonly protocol: Protocol
  /** Which pass over the suite. */
  readonly sample: number
}

/**
 * Which task gets which fault or policy. The tasks are ranked by a hash, and every quota takes the first free ones that
 * it fits, so each count is exact in every pass over the whole suite, whatever else is asked in between.
 */
export function assignFaults(
  references: readonly Reference[],
  { preset, protocol, sample }: AssignmentKey,
): ReadonlyMap<string, string> {
  const free = references
    .map((reference) => ({ reference, rank: draw(preset.id, protocol, sample, reference.task, 'rank') }))
    .sort((left, right) => left.rank - right.rank)
    .map(({ reference }) => reference)
  const assigned = new Map<string, string>()
  for (const { id, count } of preset.quotas[protocol]) {
    for (let taken = 0; taken < count; taken += 1) {
      const at = free.findIndex((reference) => fits(id, reference, protocol))
      const [reference] = at < 0 ? [] : free.splice(at, 1)
      if (reference !== undefined) assigned.set(reference.task, id)
    }
  }
  return assigned
}

/** `assignFaults` that remembers: a server asks it for every reply. */
export function createAssigner(references: readonly Reference[]): (key: AssignmentKey) => ReadonlyMap<string, string> {
  const known = new Map<string, ReadonlyMap<string, string>>()
  return (key) => {
    const name = JSON.stringify([key.preset.id, key.protocol, key.sample])
    const assigned = known.get(name) ?? assignFaults(references, key)
    known.set(name, assigned)
    return assigned
  }
}

/** Faults strike the first turn; where they would change nothing they are not assigned. */
function fits(id: string, reference: Reference, protocol: Protocol): boolean {
  const first = reference.plan[0]
  if (first === undefined || Object.keys(first[0]?.args ?? {}).length === 0) return false
  const policy = POLICIES.get(id)
  if (policy !== undefined) return policy.move(reference, []) !== null
  const fault = FAULTS.get(id)
  const calls = SPEAKERS[protocol].width === 'one' ? first.slice(0, 1) : first
  const expect = fault?.expect[protocol]
  if (fault === undefined || expect === undefined) return false
  return fault.spoil({ protocol, calls, part: spoiltPart(protocol, expect, reference) }) !== null
}

/** What the reply will be asked for that gets a fault. */
export function spoiltPart(protocol: Protocol, { part = 'arguments' }: Expectation, { tools }: Reference): Part {
  if (SPEAKERS[protocol].part === undefined) return WHOLE
  return part === 'state' ? { kind: 'state', states: tools } : { kind: 'arguments' }
}
