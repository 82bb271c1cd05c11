import { FAULTS } from './catalogue.ts'
import { draw } from './draw.ts'
import type { Chance } from './draw.ts'
import type { Fault, SpoiltReply } from './fault.ts'
import type { ModelSpec } from './model-spec.ts'
import type { EpisodeId } from './passes.ts'
import { planned } from './plan.ts'
import type { SimProtocol } from './protocol.ts'
import type { PlannedCall, Reference } from './reference.ts'
import { WHOLE } from './speak/speaker.ts'
import type { Part } from './speak/speaker.ts'
import { speakerOf } from './speak/table.ts'

/** One reply of one episode. */
export interface TurnId extends EpisodeId {
  readonly spec: ModelSpec
  readonly protocol: SimProtocol
  /** How many results the request held. */
  readonly step: number
  readonly part: Part
}

/** The draws of a turn. The key is that of the design: seed, model, task, sample, turn, stream. */
export function chanceOf({ spec, protocol, reference, sample, step, part }: TurnId): Chance {
  const turn = part.kind === 'whole' ? step : `${step} ${part.kind}`
  return (stream) => draw(spec.seed, `${spec.identity} ${protocol}`, reference.task, sample, turn, stream)
}

/** A fault at work. */
export interface Spoilt {
  readonly fault: Fault
  readonly reply: SpoiltReply
  /** What was drawn for its parameters, by stream. */
  readonly parameters: Readonly<Record<string, number>>
}

/**
 * The turn with a fault; null where the fault does not know the protocol, strikes another part or would change nothing.
 * With `noop=escalate` the next fault of its class that changes something takes its place.
 */
export function spoil(fault: Fault, turn: TurnId, calls: readonly PlannedCall[]): Spoilt | null {
  const spoilt = spoilAsIs(fault, turn, calls)
  if (spoilt !== null || turn.spec.noop === 'skip') return spoilt
  const all = [...FAULTS.values()]
  const at = all.indexOf(fault)
  for (const other of [...all.slice(at + 1), ...all.slice(0, at)]) {
    const instead = other.kind === fault.kind ? spoilAsIs(other, turn, calls) : null
    if (instead !== null) return instead
  }
  return null
}

function spoilAsIs(fault: Fault, turn: TurnId, calls: readonly PlannedCall[]): Spoilt | null {
  const { protocol, reference, part } = turn
  const expect = fault.expect[protocol]
  if (expect === undefined || (fault.strikes === 'answers') !== (calls.length === 0)) return null
  const struckKind = calls.length === 0 ? 'answer' : (expect.part ?? 'arguments')
  if (part.kind !== 'whole' && part.kind !== struckKind) return null
  const parameters: Record<string, number> = {}
  const draws = chanceOf(turn)
  const chance: Chance = (stream) => {
    const drawn = draws(`${fault.name} ${stream}`)
    parameters[stream] = drawn
    return drawn
  }
  const reply = fault.spoil({ protocol, reference, calls, part, chance })
  return reply === null ? null : { fault, reply, parameters }
}

/** What a fault makes of the reply that it strikes in an episode with one fault: the first, or for some the answer. */
export function spoilFirst({
  fault,
  spec,
  protocol,
  reference,
  sample,
}: { readonly fault: Fault; readonly spec: ModelSpec; readonly protocol: SimProtocol } & EpisodeId): Spoilt | null {
  const expect = fault.expect[protocol]
  if (expect === undefined) return null
  const move = planned(reference, 0, speakerOf(protocol).width)
  const strikesAnswer = fault.strikes === 'answers'
  const calls = strikesAnswer || move.kind === 'final' ? [] : move.calls
  if (!strikesAnswer && calls.length === 0) return null
  const part = struckPart({ protocol, reference, part: strikesAnswer ? 'answer' : (expect.part ?? 'arguments') })
  return spoilAsIs(fault, { spec, protocol, reference, sample, step: 0, part }, calls)
}

/** What the first reply of an episode is asked for. */
export function firstPart(protocol: SimProtocol, reference: Reference): Part {
  return struckPart({ protocol, reference, part: 'state' })
}

function struckPart({
  protocol,
  reference,
  part,
}: {
  readonly protocol: SimProtocol
  readonly reference: Reference
  readonly part: 'state' | 'arguments' | 'answer'
}): Part {
  if (!speakerOf(protocol).asksInParts) return WHOLE
  return part === 'state' ? { kind: 'state', states: reference.tools } : { kind: part }
}
