import { createAssigner } from './assign.ts'
import { FAULTS } from './catalogue.ts'
import { fnv1a32 } from './draw.ts'
import type { Expectation } from './fault.ts'
import type { LedgerRow } from './ledger.ts'
import { oracle, POLICIES } from './policy.ts'
import type { Move } from './policy.ts'
import { PRESETS } from './preset.ts'
import type { Preset } from './preset.ts'
import { readSituation } from './read-request.ts'
import type { Situation, WireMessage } from './read-request.ts'
import type { Reference } from './reference.ts'
import { callText } from './render.ts'
import { SPEAKERS } from './speakers.ts'
import { countTokens } from './tokens.ts'

export interface SimRequest {
  readonly model: string
  readonly messages: readonly WireMessage[]
  readonly stop: readonly string[]
  /** The k-th repeat of a run asks with seed + k. */
  readonly seed: number
}

export interface SimReply {
  readonly kind: 'reply'
  readonly id: string
  readonly text: string
  readonly finishReason: 'stop' | 'length'
  readonly usage: { readonly prompt: number; readonly completion: number }
  readonly row: LedgerRow
}

export interface SimRefusal {
  readonly kind: 'refusal'
  readonly status: number
  readonly code: string
  readonly message: string
}

/**
 * The simulated models as one function. A reply is a function of the request alone, so order, number at a time and
 * retries change nothing.
 */
export function createSimulator(references: readonly Reference[]): (request: SimRequest) => SimReply | SimRefusal {
  const assign = createAssigner(references)
  return (request) => {
    const preset = PRESETS.get(request.model)
    if (preset === undefined) return unknownModel(request.model)
    const situation = readSituation(request.messages, references)
    if (situation === null) return UNKNOWN_TASK
    const { protocol, reference } = situation
    const assigned = assign({ preset, protocol, sample: request.seed }).get(reference.task) ?? null
    const act = actOf(situation, assigned)
    return replyOf(request, { preset, situation, act })
  }
}

interface Act {
  readonly text: string
  readonly finishReason: 'stop' | 'length'
  readonly fault: string | null
  readonly expect: Expectation
}

/** What the model does: the policy or the fault that the task was given, or the next step of the reference plan. */
function actOf(situation: Situation, assigned: string | null): Act {
  const { protocol, reference, results, part } = situation
  const policy = POLICIES.get(assigned ?? '')
  const policyMove = policy?.move(reference, results) ?? null
  if (policy !== undefined && policyMove !== null) {
    const { turn, end } = policy.expect
    return { ...inWords(situation, policyMove), fault: policy.id, expect: { strict: turn, lenient: turn, end } }
  }
  const move = oracle(reference, results, SPEAKERS[protocol].width)
  if (part.kind === 'answer') return answerAct(situation, move, assigned)
  return (
    spoiltAct(situation, move, assigned) ?? {
      ...inWords(situation, move),
      fault: null,
      expect: correct(situation, move),
    }
  )
}

/** The first turn with its fault; null where there is none. */
function spoiltAct({ protocol, results, part }: Situation, move: Move, assigned: string | null): Act | null {
  const fault = FAULTS.get(assigned ?? '')
  const expect = fault?.expect[protocol]
  if (fault === undefined || expect === undefined || results.length > 0 || move.kind !== 'calls') return null
  if (part.kind !== 'whole' && part.kind !== (expect.part ?? 'arguments')) return null
  const spoilt = fault.spoil({ protocol, calls: move.calls, part })
  return spoilt === null ? null : { ...spoilt, fault: fault.id, expect }
}

/** Asked for the answer before the plan is done: the fault that led there says how the episode ends. */
function answerAct({ protocol }: Situation, move: Move, assigned: string | null): Act {
  const spoilt = move.kind === 'calls' ? FAULTS.get(assigned ?? '')?.expect[protocol] : undefined
  const end = spoilt === undefined ? SPEAKERS[protocol].end : spoilt.end
  const text = move.kind === 'final' ? move.text : 'I do not know.'
  return { text, finishReason: 'stop', fault: null, expect: { strict: 'final_answer', lenient: 'final_answer', end } }
}

interface ReplyParts {
  readonly preset: Preset
  readonly situation: Situation
  readonly act: Act
}

function replyOf(request: SimRequest, { preset, situation, act }: ReplyParts): SimReply {
  const { protocol, reference, results } = situation
  const text = preset.honoursStop ? cutAtStop(act.text, request.stop) : act.text
  const id = completionId(request)
  const prompt = countTokens(request.messages.map((message) => message.content).join('\n'))
  return {
    kind: 'reply',
    id,
    text,
    finishReason: act.finishReason,
    usage: { prompt, completion: countTokens(text) },
    row: {
      id,
      model: preset.id,
      protocol,
      task: reference.task,
      sample: request.seed,
      step: results.length,
      fault: act.fault,
      strict: act.expect.strict,
      lenient: act.expect.lenient,
      end: act.expect.end,
    },
  }
}

function inWords({ protocol, part }: Situation, move: Move): Pick<Act, 'text' | 'finishReason'> {
  const { calls, final } = SPEAKERS[protocol]
  const text = move.kind === 'calls' ? calls(move.calls.map(callText), part) : final(move.text, part)
  return { text, finishReason: 'stop' }
}

/** A correct reply: a call or a part of it, or the form in which the protocol ends. */
function correct({ protocol, part }: Situation, move: Move): Expectation {
  if (move.kind === 'calls') return { strict: 'well_formed', lenient: 'well_formed', end: null }
  // After -1 the answer is still to come.
  const end = part.kind === 'state' ? null : SPEAKERS[protocol].end
  return { strict: 'final_answer', lenient: 'final_answer', end }
}

function cutAtStop(text: string, stop: readonly string[]): string {
  const ends = stop.map((word) => text.indexOf(word)).filter((at) => at >= 0)
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends))
}

/** Equal requests have equal ids. */
function completionId(request: SimRequest): string {
  const whole = JSON.stringify([request.model, request.seed, request.messages])
  return `chatcmpl-sim-${[whole, `${whole}.`].map((part) => fnv1a32(part).toString(16).padStart(8, '0')).join('')}`
}

function unknownModel(model: string): SimRefusal {
  const message = `The model "${model}" does not exist. Simulated models: ${[...PRESETS.keys()].join(', ')}.`
  return { kind: 'refusal', status: 404, code: 'model_not_found', message }
}

const UNKNOWN_TASK: SimRefusal = {
  kind: 'refusal',
  status: 404,
  code: 'sim_unknown_task',
  message: 'The messages hold none of the built-in tasks, so a simulated model cannot answer.',
}
