import type { Protocol } from '../protocol.ts'
import { assignFaults } from './assign.ts'
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
import { callText, renderCalls, renderFinal } from './render.ts'
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

/** The reply of a simulated model: a pure function of the request, so order, number at a time and retries change nothing. */
export function reply(request: SimRequest, references: readonly Reference[]): SimReply | SimRefusal {
  const preset = PRESETS.get(request.model)
  if (preset === undefined) {
    return refusal(
      'model_not_found',
      `The model "${request.model}" does not exist. Simulated models: ${[...PRESETS.keys()].join(', ')}.`,
    )
  }
  const situation = readSituation(request.messages, references)
  if (situation === null)
    return refusal(
      'sim_unknown_task',
      'The messages hold none of the built-in tasks, so a simulated model cannot answer.',
    )
  const sample = request.seed
  const act = actOf(situation, preset, { references, sample })
  const text = preset.honoursStop ? cutAtStop(act.text, request.stop) : act.text
  const id = completionId(request)
  const { protocol, reference, results } = situation
  return {
    kind: 'reply',
    id,
    text,
    finishReason: act.finishReason,
    usage: {
      prompt: countTokens(request.messages.map((message) => message.content).join('\n')),
      completion: countTokens(text),
    },
    row: {
      id,
      model: preset.id,
      protocol,
      task: reference.task,
      sample,
      step: results.length,
      fault: act.fault,
      ...act.expect,
    },
  }
}

interface Act {
  readonly text: string
  readonly finishReason: 'stop' | 'length'
  readonly fault: string | null
  readonly expect: Expectation
}

function actOf(
  situation: Situation,
  preset: Preset,
  { references, sample }: { readonly references: readonly Reference[]; readonly sample: number },
): Act {
  const { protocol, reference, results } = situation
  const assigned = assignFaults(references, { preset, protocol, sample }).get(reference.task)
  const policy = POLICIES.get(assigned ?? '')
  const policyMove = policy?.move(reference, results) ?? null
  if (policy !== undefined && policyMove !== null) {
    const { turn, end } = policy.expect
    return { ...inWords(protocol, policyMove), fault: policy.id, expect: { strict: turn, lenient: turn, end } }
  }
  const move = oracle(reference, results, protocol === 'react' ? 'one' : 'turn')
  const fault = situation.results.length === 0 && move.kind === 'calls' ? FAULTS.get(assigned ?? '') : undefined
  const expect = fault?.expect[protocol]
  const spoilt = move.kind === 'calls' ? fault?.spoil({ protocol, calls: move.calls }) : undefined
  if (fault !== undefined && expect !== undefined && spoilt !== undefined && spoilt !== null)
    return { ...spoilt, fault: fault.id, expect }
  return { ...inWords(protocol, move), fault: null, expect: correct(protocol, move) }
}

function inWords(protocol: Protocol, move: Move): Pick<Act, 'text' | 'finishReason'> {
  const text =
    move.kind === 'calls' ? renderCalls(protocol, move.calls.map(callText)) : renderFinal(protocol, move.text)
  return { text, finishReason: 'stop' }
}

/** A correct reply: a call, or the form in which the protocol ends. */
function correct(protocol: Protocol, move: Move): Expectation {
  if (move.kind === 'calls') return { strict: 'well_formed', lenient: 'well_formed', end: null }
  return {
    strict: 'final_answer',
    lenient: 'final_answer',
    end: protocol === 'react' ? 'final_answer' : 'no_tool_stop',
  }
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

function refusal(code: string, message: string): SimRefusal {
  return { kind: 'refusal', status: 404, code, message }
}
