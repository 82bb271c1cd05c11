import type { Culprit, EndLabel, ForgedTruth, TurnLabel } from '@callspec/labels'
import type { FindExamples } from './policy.ts'
import type { Expectation, FaultyReply } from './fault.ts'
import { culpritOf, labelsOf, stopped } from './fault.ts'
import type { EpisodeDraw } from './episode-draw.ts'
import type { Move, PastStep, Position } from './reference.ts'
import { locate, planned } from './reference.ts'
import { callText } from './render.ts'
import type { Situation } from './situation.ts'
import type { Part } from './speak/speaker.ts'
import { speakerOf } from './speak/speakers.ts'
import type { TurnId } from './inject.ts'
import { inject } from './inject.ts'

/** A model's output in one turn, and the outcome that a scorer must report. */
export interface SimTurn {
  readonly reply: FaultyReply
  readonly expect: Expectation
  /** The fault or policy that is applied; null if the turn follows the plan. */
  readonly fault: string | null
  /** The fault that was drawn, whether it changed anything or not. */
  readonly drawn: string | null
  readonly parameters: Readonly<Record<string, number>>
  /** Whether it is the correct answer to the task. */
  readonly isRight: boolean
  /** How many calls it makes, and how many of the plan had been made before. */
  readonly calls: number
  readonly done: number
  /** The culprit of the end, if this is the last turn and its labels do not name one. */
  readonly blamesEnd?: Culprit
  /** What the episode did with its forged text, if this is the last turn and success does not say it. */
  readonly forged?: ForgedTruth
}

export interface TurnOptions {
  readonly situation: Situation
  readonly turn: TurnId
  readonly episodeDraw: EpisodeDraw
  readonly examples: FindExamples
}

/** The model's next turn: the next step of the plan, changed by its policy or fault. */
export function takeTurn(options: TurnOptions): SimTurn {
  const { situation } = options
  if (situation.part.kind !== 'answer') return decide(options).turn
  // The text in place of a number, before the host requested the answer.
  const part = { kind: 'state', states: situation.reference.tools } as const
  const before = decide({ ...options, situation: { ...situation, part }, turn: { ...options.turn, part } })
  return answer(options, before)
}

/** A turn with the move that its text expresses; null if the text is not a move. */
interface Decision {
  readonly turn: SimTurn
  readonly move: Move | null
}

function decide(options: TurnOptions): Decision {
  const { situation, episodeDraw, examples } = options
  const { format, reference, results } = situation
  const { width } = speakerOf(format)
  const position = locate({ reference, results, width }, (past) => copiesAt(past, options))
  const next = planned(reference, position.done, width)
  if (episodeDraw.policy === null) return withFault(options, position, next)
  const { policy, argument } = episodeDraw.policy
  const act = policy.act({ ...situation, position, planned: next, argument, examples })
  const { done } = position
  if (act === null || act.kind === 'as-planned') return inWords(situation, { move: next, done })
  if (act.kind === 'move') return inWords(situation, { ...act, done, fault: policy.id })
  const { reply, expect, forged } = act
  const said = { ...spoken({ reply, expect, done }), ...(forged === undefined ? {} : { forged }) }
  return { turn: { ...said, fault: policy.id, drawn: null, parameters: {} }, move: null }
}

/** The step of the plan, with the fault that was drawn for it. */
function withFault({ situation, turn, episodeDraw }: TurnOptions, position: Position, next: Move): Decision {
  const fault = episodeDraw.faultOf(turn, { position, isAnswer: next.kind === 'final' })
  const drawn = fault?.id ?? null
  const injected = fault === null ? null : inject(fault, turn, next.kind === 'calls' ? next.calls : [])
  const expect = injected?.fault.expect[situation.format]
  const { done } = position
  if (injected === null || expect === undefined) return inWords(situation, { move: next, done, drawn })
  const { reply, parameters } = injected
  return { turn: { ...spoken({ reply, expect, done }), fault: injected.fault.id, drawn, parameters }, move: null }
}

/** Text that is not a move: it answers nothing, and its labels name the culprit. */
function spoken(words: Pick<SimTurn, 'reply' | 'expect' | 'done'>): Omit<SimTurn, 'fault' | 'drawn' | 'parameters'> {
  return { ...words, isRight: false, calls: 0 }
}

interface PlainMove {
  readonly move: Move
  /** How many calls of the plan have been made. */
  readonly done: number
  readonly isRight?: boolean
  readonly blames?: Culprit
  readonly forged?: ForgedTruth
  readonly label?: TurnLabel | null
  readonly end?: EndLabel | null
  readonly fault?: string
  readonly drawn?: string | null
}

/** A move as the format has it: a call or a part of it, or the form in which the format ends. */
function inWords(
  { format, part, reference }: Situation,
  { move, done, label = null, end = null, fault, drawn = null, ...truth }: PlainMove,
): Decision {
  const { calls, final, end: finalEnd } = speakerOf(format)
  const said = move.kind === 'calls' ? calls(move.calls.map(callText), part) : final(move.text, part)
  // After -1 the answer is still to come.
  const isEnd = move.kind === 'final' && part.kind !== 'state'
  const is = label ?? (move.kind === 'calls' ? 'well_formed' : 'final_answer')
  const expect = { strict: is, lenient: is, end: end ?? (isEnd ? finalEnd : null) }
  const made = move.kind === 'calls' && part.kind !== 'state' ? move.calls.length : 0
  const isRight = move.kind === 'final' && (truth.isRight ?? move.text === reference.final)
  const blamesEnd = {
    ...(truth.blames === undefined ? {} : { blamesEnd: truth.blames }),
    ...(truth.forged === undefined ? {} : { forged: truth.forged }),
  }
  const turn = { reply: stopped(said), expect, fault: fault ?? null, drawn, parameters: {} }
  return { turn: { ...turn, ...{ isRight, calls: made, done }, ...blamesEnd }, move }
}

/** The requested answer of a model, possibly before the plan is done because of an earlier fault. */
function answer(options: TurnOptions, { turn: before, move }: Decision): SimTurn {
  const { situation, turn, episodeDraw } = options
  const isPlanned = move?.kind === 'final' && before.fault === null
  if (isPlanned && episodeDraw.policy === null) {
    const { results, reference } = situation
    const position = locate({ results, reference, width: 'one' }, () => 0)
    return withFault({ situation, turn, episodeDraw, examples: options.examples }, position, move).turn
  }
  const text = move?.kind === 'final' ? move.text : 'I do not know.'
  const { done, expect } = before
  const said = inWords(situation, { move: { kind: 'final', text }, done, end: expect.end })
  const blamed = before.blamesEnd ?? culpritOf(labelsOf(expect, { variant: before.reply.variant, ...UNCUT }))
  return {
    ...{ ...said.turn, fault: before.fault, isRight: move?.kind === 'final' && before.isRight },
    ...(blamed === null ? {} : { blamesEnd: blamed }),
  }
}

const UNCUT = { isCut: false, isApart: false } as const

/** The faulty turns before, in their order; a turn in parts may be faulty twice. None where a policy is at work. */
export function pastFaults({
  situation,
  turn,
  episodeDraw,
}: Pick<TurnOptions, 'situation' | 'turn' | 'episodeDraw'>): readonly Pick<SimTurn, 'reply' | 'expect'>[] {
  if (episodeDraw.policy !== null) return []
  const { format, reference, results } = situation
  const { width, asksInParts } = speakerOf(format)
  const parts = asksInParts ? PARTS.map((part) => part(reference.tools)) : [turn.part]
  const found: Pick<SimTurn, 'reply' | 'expect'>[] = []
  const look = (past: PastStep): number => {
    for (const part of past.calls.length === 0 ? [] : parts) {
      const id: TurnId = { ...turn, step: past.step, part }
      const fault = episodeDraw.faultOf(id, { position: past.position, isAnswer: false })
      const injected = fault === null ? null : inject(fault, id, past.calls)
      const expect = injected?.fault.expect[format]
      if (injected !== null && expect !== undefined) found.push({ reply: injected.reply, expect })
    }
    return copiesAt(past, { turn, episodeDraw })
  }
  locate({ reference, results, width }, look)
  return found
}

const PARTS: readonly ((states: readonly string[]) => Part)[] = [
  (states) => ({ kind: 'state', states }),
  () => ({ kind: 'arguments' }),
]

/** How many more calls than planned a past reply contained: a fault may have doubled one. */
function copiesAt(
  { step, position, calls }: PastStep,
  { turn, episodeDraw }: Pick<TurnOptions, 'turn' | 'episodeDraw'>,
): number {
  if (calls.length === 0 || episodeDraw.policy !== null) return 0
  const past: TurnId = { ...turn, step }
  const fault = episodeDraw.faultOf(past, { position, isAnswer: false })
  const injected = fault === null ? null : inject(fault, past, calls)
  return injected?.fault.addsCalls ?? 0
}
