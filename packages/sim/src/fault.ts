import type { Culprit, EndLabel, TurnFlag, TurnLabel } from '@callspec/labels'
import type { Chance } from './draw.ts'
import { SPOKEN, SPOKEN_PROTOCOLS } from './protocol.ts'
import type { Manner, SimProtocol } from './protocol.ts'
import type { PlannedCall, Reference } from './reference.ts'
import { callText } from './render.ts'
import type { CallText } from './render.ts'
import { plain } from './speak/speaker.ts'
import type { Part, Said } from './speak/speaker.ts'
import { speakerOf } from './speak/speakers.ts'

/** The reply that a fault is injected into. Of several calls the last one is changed, so that the others count as done. */
export interface FaultyTurn {
  readonly protocol: SimProtocol
  readonly reference: Reference
  /** Empty where the reply is the answer. */
  readonly calls: readonly PlannedCall[]
  /** Which part of the turn is faulty. */
  readonly part: Part
  /** For the parameters of the fault: where to cut, which argument. Each has a stream of its own. */
  readonly chance: Chance
}

/** What the model says instead. */
export interface FaultyReply extends Said {
  readonly finishReason: 'stop' | 'length'
  /** Which of the fault's variants it is, where they differ in their labels. */
  readonly variant?: string
}

/** The labels of a turn, and how the episode ends if this turn is its last; null when the host goes on. */
export interface Labels {
  readonly strict: TurnLabel
  readonly lenient: TurnLabel
  readonly end: EndLabel | null
  /** Whose fault it is, where it is not that of the model: whoever lost it, or cannot read what is easy to read. */
  readonly blames?: Culprit
}

/** The labels a fault must get. They are written down here by hand: nothing in this folder can compute one. */
export interface Expectation extends Labels {
  /** Which reply is faulty where a call is asked for in parts. Default: the arguments. */
  readonly part?: 'state' | 'arguments'
  /** The labels of variants that get others. */
  readonly variants?: Readonly<Record<string, Partial<Labels>>>
  /** The labels when the server cuts the text at a stop word. */
  readonly cut?: Partial<Labels>
  /** The labels when the server sends the thought apart from the text. */
  readonly apart?: Partial<Labels>
  /** Flags that the turn must have; others may come with them. */
  readonly flags?: readonly TurnFlag[]
  /** Whether a good call is left when the text is cut where it goes wrong. Absent: nobody asks. */
  readonly salvageable?: boolean
}

/** The class of a fault: where one changes nothing, another of its class may take its place. */
export type FaultKind = 'syntax' | 'arguments' | 'structure' | 'harmless' | 'state'

/** One row of the catalogue. */
export interface Fault {
  readonly id: string
  readonly name: string
  readonly kind: FaultKind
  /** What the text looks like, in a few words. */
  readonly looks: string
  /** Which replies it can affect. Default: those that ask for calls. */
  readonly affects?: 'answers'
  /** How many calls more than planned the reply holds; the host answers them too. */
  readonly addsCalls?: 1
  readonly expect: Readonly<Partial<Record<SimProtocol, Expectation>>>
  /** Null where the fault would change nothing, such as a missing argument of a tool without any. */
  inject(turn: FaultyTurn): FaultyReply | null
}

/** The protocols in which calls are text. */
export const TEXT_PROTOCOLS: readonly SimProtocol[] = SPOKEN_PROTOCOLS.filter((protocol) => protocol !== SPOKEN.native)

/** The protocols of these manners. */
export function spokenIn(...manners: readonly Manner[]): readonly SimProtocol[] {
  return manners.map((manner) => SPOKEN[manner])
}

/** The same expectation in each of the given protocols. */
export function expecting(protocols: readonly SimProtocol[], expectation: Expectation): Fault['expect'] {
  return Object.fromEntries(protocols.map((protocol) => [protocol, expectation]))
}

/** The same labels in every protocol whose calls are text. It is the arguments that are faulty where they are asked for by themselves. */
export function inText(strict: TurnLabel, lenient: TurnLabel, blames: Culprit = 'model'): Fault['expect'] {
  return expecting(TEXT_PROTOCOLS, { strict, lenient, end: null, blames })
}

/** The same labels in every protocol. */
export function everywhere(strict: TurnLabel, lenient: TurnLabel, blames: Culprit = 'model'): Fault['expect'] {
  return expecting(SPOKEN_PROTOCOLS, { strict, lenient, end: null, blames })
}

/** The reply with its last call changed; null when `change` has nothing to change. */
export function withLastCall(turn: FaultyTurn, change: (call: PlannedCall) => CallText | null): FaultyReply | null {
  const last = turn.calls.at(-1)
  const changed = last === undefined ? null : change(last)
  if (changed === null) return null
  return stopped(speakerOf(turn.protocol).calls([...turn.calls.slice(0, -1).map(callText), changed], turn.part))
}

/** The reply with its whole text changed; null when `change` has nothing to change. */
export function withText(
  turn: FaultyTurn,
  change: (text: string) => string | null,
  variantOf?: (text: string) => string,
): FaultyReply | null {
  const said = sound(turn)
  const text = change(said.text)
  if (text === null || text === said.text) return null
  return { ...stopped({ ...said, text }), ...(variantOf === undefined ? {} : { variant: variantOf(text) }) }
}

/** What the model would say without the fault. */
export function sound({ protocol, calls, part }: FaultyTurn): Said {
  return speakerOf(protocol).calls(calls.map(callText), part)
}

/** A reply that comes to its end. */
export function stopped(said: Said): FaultyReply {
  return { ...said, finishReason: 'stop' }
}

/** A reply that is text and comes to its end. */
export function stoppedText(text: string): FaultyReply {
  return stopped(plain(text))
}

/** The labels that a reply with this fault gets. */
export function labelsOf(
  expectation: Expectation,
  {
    variant,
    isCut,
    isApart,
  }: { readonly variant: string | undefined; readonly isCut: boolean; readonly isApart: boolean },
): Labels {
  const { strict, lenient, end, blames } = expectation
  return {
    ...{ strict, lenient, end },
    ...(blames === undefined ? {} : { blames }),
    ...(variant === undefined ? {} : expectation.variants?.[variant]),
    ...(isApart ? expectation.apart : {}),
    ...(isCut ? expectation.cut : {}),
  }
}
