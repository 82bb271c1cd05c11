import type { Culprit, EndLabel, TurnFlag, TurnLabel } from '@callspec/labels'
import type { Chance } from './draw.ts'
import type { Manner, SimFormat } from './spoken-formats.ts'
import { SPOKEN, SPOKEN_FORMATS } from './spoken-formats.ts'
import type { PlannedCall, Reference } from './reference.ts'
import type { CallText } from './render.ts'
import { callText } from './render.ts'
import type { Part, Said } from './speak/speaker.ts'
import { plain } from './speak/speaker.ts'
import { speakerOf } from './speak/speakers.ts'

/** The reply that a fault is injected into. The last of several calls is changed, so that the others count as done. */
export interface FaultyTurn {
  readonly format: SimFormat
  readonly reference: Reference
  /** Empty if the reply is the answer. */
  readonly calls: readonly PlannedCall[]
  /** The faulty part of the turn. */
  readonly part: Part
  /** For the parameters of the fault: where to cut, which argument. Each has a stream of its own. */
  readonly chance: Chance
}

/** The model's text instead. */
export interface FaultyReply extends Said {
  readonly finishReason: 'stop' | 'length'
  /** The fault's variant, if variants have different labels. */
  readonly variant?: string
}

/** The labels of a turn, and how the episode ends if this turn is its last; null when the host goes on. */
export interface Labels {
  readonly strict: TurnLabel
  readonly lenient: TurnLabel
  readonly end: EndLabel | null
  /** The culprit other than the model: a server that lost the call, or a host that cannot read a readable one. */
  readonly blames?: Culprit
}

/** The labels that a fault must receive. They are written by hand; no code in this folder computes them. */
export interface Expectation extends Labels {
  /** The faulty reply if a call is requested in parts. Default: the arguments. */
  readonly part?: 'state' | 'arguments'
  /** The labels of variants that differ from these. */
  readonly variants?: Readonly<Record<string, Partial<Labels>>>
  /** The labels when the server cuts the text at a stop word. */
  readonly cut?: Partial<Labels>
  /** The labels when the server sends the thought apart from the text. */
  readonly apart?: Partial<Labels>
  /** Flags that the turn must have; it may have others. */
  readonly flags?: readonly TurnFlag[]
  /** Whether a good call is left when the text is cut at the fault. Absent if it does not matter. */
  readonly salvageable?: boolean
}

/** The class of a fault: if one changes nothing, another of its class may replace it. */
export type FaultKind = 'syntax' | 'arguments' | 'structure' | 'harmless' | 'state'

/** One row of the catalogue. */
export interface Fault {
  readonly id: string
  readonly name: string
  readonly kind: FaultKind
  /** What the text looks like, in a few words. */
  readonly looks: string
  /** The replies that it can affect. Default: those with calls. */
  readonly affects?: 'answers'
  /** How many more calls than planned the reply contains; the host answers them too. */
  readonly addsCalls?: 1
  readonly expect: Readonly<Partial<Record<SimFormat, Expectation>>>
  /** Null if the fault would change nothing, such as a missing argument of a tool without any. */
  inject(turn: FaultyTurn): FaultyReply | null
}

export const TEXT_FORMATS: readonly SimFormat[] = SPOKEN_FORMATS.filter((format) => format !== SPOKEN.native)

export function spokenIn(...manners: readonly Manner[]): readonly SimFormat[] {
  return manners.map((manner) => SPOKEN[manner])
}

/** The same expectation in each of the given formats. */
export function expecting(formats: readonly SimFormat[], expectation: Expectation): Fault['expect'] {
  return Object.fromEntries(formats.map((format) => [format, expectation]))
}

/**
 * The same labels in every format whose calls are text. If arguments are requested separately, they are the faulty
 * part.
 */
export function inText(strict: TurnLabel, lenient: TurnLabel, blames: Culprit = 'model'): Fault['expect'] {
  return expecting(TEXT_FORMATS, { strict, lenient, end: null, blames })
}

/** The same labels in every format. */
export function everywhere(strict: TurnLabel, lenient: TurnLabel, blames: Culprit = 'model'): Fault['expect'] {
  return expecting(SPOKEN_FORMATS, { strict, lenient, end: null, blames })
}

/** The reply with its last call changed; null when `change` has nothing to change. */
export function withLastCall(turn: FaultyTurn, change: (call: PlannedCall) => CallText | null): FaultyReply | null {
  const last = turn.calls.at(-1)
  const changed = last === undefined ? null : change(last)
  if (changed === null) return null
  return stopped(speakerOf(turn.format).calls([...turn.calls.slice(0, -1).map(callText), changed], turn.part))
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

/** The model's text without the fault. */
export function sound({ format, calls, part }: FaultyTurn): Said {
  return speakerOf(format).calls(calls.map(callText), part)
}

export function stopped(said: Said): FaultyReply {
  return { ...said, finishReason: 'stop' }
}

/** A complete reply of text only. */
export function stoppedText(text: string): FaultyReply {
  return stopped(plain(text))
}

/** The labels of a reply with this fault. */
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

/** Labels of replies without a fault. */
const FINE_LABELS: ReadonlySet<string> = new Set(['well_formed', 'final_answer'])

/** The culprit of a turn: the one that its labels name, else the model; null for a turn without a fault. */
export function culpritOf({ strict, lenient, blames }: Labels): Culprit | null {
  if (FINE_LABELS.has(strict)) return null
  if (strict === 'no_tool_text' && (lenient === 'no_tool_text' || lenient === 'final_answer')) return null
  return blames ?? 'model'
}
