import type { EndLabel, TurnLabel } from '../labels.ts'
import type { FindExamples } from './examples.ts'
import { stopped } from './fault.ts'
import type { Expectation, SpoiltReply } from './fault.ts'
import type { Lot } from './lot.ts'
import { locate, planned } from './plan.ts'
import type { Move, PastStep, Position } from './plan.ts'
import { callText } from './render.ts'
import type { Situation } from './situation.ts'
import { SPEAKERS } from './speak/table.ts'
import { spoil } from './spoil.ts'
import type { TurnId } from './spoil.ts'

/** What a model says in one turn, and what it must be taken for. */
export interface Turn {
  readonly reply: SpoiltReply
  readonly expect: Expectation
  /** The fault or policy at work; null for what the plan says. */
  readonly fault: string | null
  /** The fault that was drawn, whether it changed anything or not. */
  readonly drawn: string | null
  readonly parameters: Readonly<Record<string, number>>
}

/** What a turn follows from. */
export interface TurnOptions {
  readonly situation: Situation
  readonly turn: TurnId
  readonly lot: Lot
  readonly examples: FindExamples
}

/** The model's next turn: what its policy or its fault makes of the next step of the plan. */
export function takeTurn(options: TurnOptions): Turn {
  const { situation } = options
  if (situation.part.kind !== 'answer') return decide(options).turn
  // What was said in place of a number, before the host asked for the answer.
  const part = { kind: 'state', states: situation.reference.tools } as const
  const before = decide({ ...options, situation: { ...situation, part }, turn: { ...options.turn, part } })
  return answer(options, before)
}

/** A turn with the move that it puts into words; null where the words are no move. */
interface Decision {
  readonly turn: Turn
  readonly move: Move | null
}

function decide(options: TurnOptions): Decision {
  const { situation, lot, examples } = options
  const { protocol, reference, results } = situation
  const { width } = SPEAKERS[protocol]
  const position = locate({ reference, results, width }, (past) => copiesAt(past, options))
  const next = planned(reference, position.done, width)
  if (lot.policy === null) return struck(options, position, next)
  const { policy, argument } = lot.policy
  const act = policy.act({ ...situation, position, planned: next, argument, examples })
  if (act === null || act.kind === 'as-planned') return inWords(situation, { move: next })
  if (act.kind === 'move') return inWords(situation, { ...act, fault: policy.id })
  return {
    turn: { reply: act.reply, expect: act.expect, fault: policy.id, drawn: null, parameters: {} },
    move: null,
  }
}

/** The step of the plan, with the fault that was drawn for it. */
function struck({ situation, turn, lot }: TurnOptions, position: Position, next: Move): Decision {
  const fault = lot.faultOf(turn, { position, isAnswer: next.kind === 'final' })
  const drawn = fault?.id ?? null
  const spoilt = fault === null ? null : spoil(fault, turn, next.kind === 'calls' ? next.calls : [])
  const expect = spoilt?.fault.expect[situation.protocol]
  if (spoilt === null || expect === undefined) return inWords(situation, { move: next, drawn })
  const { reply, parameters } = spoilt
  return { turn: { reply, expect, fault: spoilt.fault.id, drawn, parameters }, move: null }
}

interface PlainMove {
  readonly move: Move
  readonly label?: TurnLabel | null
  readonly end?: EndLabel | null
  readonly fault?: string
  readonly drawn?: string | null
}

/** A move as the protocol has it: a call or a part of it, or the form in which the protocol ends. */
function inWords(
  { protocol, part }: Situation,
  { move, label = null, end = null, fault, drawn = null }: PlainMove,
): Decision {
  const { calls, final, end: finalEnd } = SPEAKERS[protocol]
  const said = move.kind === 'calls' ? calls(move.calls.map(callText), part) : final(move.text, part)
  // After -1 the answer is still to come.
  const isEnd = move.kind === 'final' && part.kind !== 'state'
  const is = label ?? (move.kind === 'calls' ? 'well_formed' : 'final_answer')
  const expect = { strict: is, lenient: is, end: end ?? (isEnd ? finalEnd : null) }
  return { turn: { reply: stopped(said), expect, fault: fault ?? null, drawn, parameters: {} }, move }
}

/** The answer of a model that is asked for one: perhaps before the plan is done, because of what it said before. */
function answer(options: TurnOptions, { turn: before, move }: Decision): Turn {
  const { situation, turn, lot } = options
  const isPlanned = move?.kind === 'final' && before.fault === null
  if (isPlanned && lot.policy === null) {
    const { results, reference } = situation
    const position = locate({ results, reference, width: 'one' }, () => 0)
    return struck({ situation, turn, lot, examples: options.examples }, position, move).turn
  }
  const text = move?.kind === 'final' ? move.text : 'I do not know.'
  const said = inWords(situation, { move: { kind: 'final', text }, end: before.expect.end })
  return { ...said.turn, fault: before.fault }
}

/** How many calls more than planned a past reply held: a fault may have doubled one. */
function copiesAt({ step, position, calls }: PastStep, { turn, lot }: TurnOptions): number {
  if (calls.length === 0 || lot.policy !== null) return 0
  const past: TurnId = { ...turn, step }
  const fault = lot.faultOf(past, { position, isAnswer: false })
  const spoilt = fault === null ? null : spoil(fault, past, calls)
  return spoilt?.fault.addsCalls ?? 0
}
