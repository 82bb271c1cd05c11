import { ARGUMENT_FAULTS } from './argument-faults.ts'
import type { Fault, FaultyReply } from './fault.ts'
import { withFormats } from './format-faults.ts'
import { HARMLESS_FAULTS } from './harmless-faults.ts'
import { JSON_FAULTS } from './json-faults.ts'
import { MARK_FAULTS, STATE_FAULTS } from './mark-faults.ts'
import { STRUCTURE_FAULTS } from './structure-faults.ts'
import type { Chance } from './draw.ts'
import { draw } from './draw.ts'
import type { EpisodeId, ModelSpec } from './model-spec.ts'
import type { PlannedCall, Reference } from './reference.ts'
import { planned } from './reference.ts'
import type { SimFormat } from './spoken-formats.ts'
import type { Part } from './speak/speaker.ts'
import { WHOLE } from './speak/speaker.ts'
import { speakerOf } from './speak/speakers.ts'

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

/** Every fault by its id, in the order of the ids: F01 to F40, and F41 to F47 for formats that ask for a number. */
export const FAULTS: ReadonlyMap<string, Fault> = new Map(ALL.map((fault) => [fault.id, fault]))

/** The fault with this id or name, or null. */
export function faultNamed(name: string): Fault | null {
  return FAULTS.get(name) ?? ALL.find((fault) => fault.name === name) ?? null
}

export interface TurnId extends EpisodeId {
  readonly spec: ModelSpec
  readonly format: SimFormat
  /** How many results the request contained. */
  readonly step: number
  readonly part: Part
}

/** The draws of a turn. The key is that of the design: seed, model, task, sample, turn, stream. */
export function chanceOf({ spec, format, reference, sample, step, part }: TurnId): Chance {
  const turn = part.kind === 'whole' ? step : `${step} ${part.kind}`
  return (stream) => draw(spec.seed, `${spec.identity} ${format}`, reference.task, sample, turn, stream)
}

export interface InjectedFault {
  readonly fault: Fault
  readonly reply: FaultyReply
  /** The draws for its parameters, by stream. */
  readonly parameters: Readonly<Record<string, number>>
}

/**
 * The turn with a fault; null if the fault does not apply to the format, affects another part or would change
 * nothing. With `noop=escalate` the next fault of its class that changes something replaces it.
 */
export function inject(fault: Fault, turn: TurnId, calls: readonly PlannedCall[]): InjectedFault | null {
  const injected = injectAsIs(fault, turn, calls)
  if (injected !== null || turn.spec.noop === 'skip') return injected
  const all = [...FAULTS.values()]
  const at = all.indexOf(fault)
  for (const other of [...all.slice(at + 1), ...all.slice(0, at)]) {
    const instead = other.kind === fault.kind ? injectAsIs(other, turn, calls) : null
    if (instead !== null) return instead
  }
  return null
}

function injectAsIs(fault: Fault, turn: TurnId, calls: readonly PlannedCall[]): InjectedFault | null {
  const { format, reference, part } = turn
  const expect = fault.expect[format]
  if (expect === undefined || (fault.affects === 'answers') !== (calls.length === 0)) return null
  const affectedKind = calls.length === 0 ? 'answer' : (expect.part ?? 'arguments')
  if (part.kind !== 'whole' && part.kind !== affectedKind) return null
  const parameters: Record<string, number> = {}
  const draws = chanceOf(turn)
  const chance: Chance = (stream) => {
    const drawn = draws(`${fault.name} ${stream}`)
    parameters[stream] = drawn
    return drawn
  }
  const reply = fault.inject({ format, reference, calls, part, chance })
  return reply === null ? null : { fault, reply, parameters }
}

/** The reply with a fault, in an episode with one fault: the first reply, or for some faults the answer. */
export function injectFirst({
  fault,
  spec,
  format,
  reference,
  sample,
}: {
  readonly fault: Fault
  readonly spec: ModelSpec
  readonly format: SimFormat
} & EpisodeId): InjectedFault | null {
  const expect = fault.expect[format]
  if (expect === undefined) return null
  const move = planned(reference, 0, speakerOf(format).width)
  const affectsAnswer = fault.affects === 'answers'
  const calls = affectsAnswer || move.kind === 'final' ? [] : move.calls
  if (!affectsAnswer && calls.length === 0) return null
  const part = affectedPart({ format, reference, part: affectsAnswer ? 'answer' : (expect.part ?? 'arguments') })
  return injectAsIs(fault, { spec, format, reference, sample, step: 0, part }, calls)
}

/** The part that the first reply of an episode must have. */
export function firstPart(format: SimFormat, reference: Reference): Part {
  return affectedPart({ format, reference, part: 'state' })
}

function affectedPart({
  format,
  reference,
  part,
}: {
  readonly format: SimFormat
  readonly reference: Reference
  readonly part: 'state' | 'arguments' | 'answer'
}): Part {
  if (!speakerOf(format).asksInParts) return WHOLE
  return part === 'state' ? { kind: 'state', states: reference.tools } : { kind: part }
}
