import type { EndLabel, TurnLabel } from '../labels.ts'
import type { Protocol } from '../protocol.ts'
import type { PlannedCall } from './reference.ts'
import { callText } from './render.ts'
import type { CallText } from './render.ts'
import { SPEAKERS } from './speakers.ts'
import type { Part } from './speakers.ts'

/** The reply that a fault spoils: the calls of one turn. The last one is hit, so that the others count as done. */
export interface FaultyTurn {
  readonly protocol: Protocol
  readonly calls: readonly PlannedCall[]
  /** Which part of the turn is spoilt. */
  readonly part: Part
}

/** What reaches the wire. */
export interface SpoiltReply {
  readonly text: string
  readonly finishReason: 'stop' | 'length'
}

/** The labels a fault must get. They are written down here by hand: nothing in this folder can compute one. */
export interface Expectation {
  readonly strict: TurnLabel
  readonly lenient: TurnLabel
  /** How the episode ends if the host sees no call in this turn; null when the host goes on. */
  readonly end: EndLabel | null
  /** Which reply is spoilt where a call is asked for in parts. Default: the arguments. */
  readonly part?: 'state' | 'arguments'
}

/** One row of the catalogue. */
export interface Fault {
  readonly id: string
  readonly name: string
  /** What the text looks like, in a few words. */
  readonly looks: string
  readonly expect: Readonly<Partial<Record<Protocol, Expectation>>>
  /** Null where the fault would change nothing, such as a missing argument of a tool without any. */
  spoil(turn: FaultyTurn): SpoiltReply | null
}

/** The reply with the text of its last call changed; null when `change` has nothing to change. */
export function withLastCall(turn: FaultyTurn, change: (call: PlannedCall) => CallText | null): SpoiltReply | null {
  const last = turn.calls.at(-1)
  const changed = last === undefined ? null : change(last)
  if (changed === null) return null
  return stopped(SPEAKERS[turn.protocol].calls([...turn.calls.slice(0, -1).map(callText), changed], turn.part))
}

/** The reply with its whole text changed. */
export function withText(turn: FaultyTurn, change: (text: string) => string): SpoiltReply {
  return stopped(change(SPEAKERS[turn.protocol].calls(turn.calls.map(callText), turn.part)))
}

/** The same expectation in every protocol; it is the arguments that are spoilt where they are asked for by themselves. */
export function everywhere(strict: TurnLabel, lenient: TurnLabel): Fault['expect'] {
  const expectation: Expectation = { strict, lenient, end: null }
  return { 'fncall-qwen': expectation, 'fncall-nous': expectation, react: expectation, 'role-react': expectation }
}

function stopped(text: string): SpoiltReply {
  return { text, finishReason: 'stop' }
}
