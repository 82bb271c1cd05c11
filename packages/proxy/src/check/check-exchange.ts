import { API_LAWS } from '@callspec/apis'
import type { ApiLaw } from '@callspec/apis'
import {
  announced,
  countedTokens,
  identifiedFrom,
  leftCallIn,
  mostTokens,
  swallowedIn,
  swallowedText,
} from '@callspec/eval/replies'
import type { RecordedExchange } from '../read/read-exchanges.ts'
import type { Question } from './question.ts'
import type { ReadReply } from './read-exchange.ts'

/** The checks of recorded traffic, in addition to the laws of the APIs. */
export const TRAFFIC_CHECKS = {
  'call-in-text': 'a call was left in the text and not read',
  'call-in-thought': 'a call was left in the reasoning, and the reply is otherwise empty',
  'call-not-there': 'the finish reason announces a call that is missing',
  'reply-swallowed': 'more tokens were counted than the reply contains: text, a call or hidden reasoning was lost',
  'arguments-swallowed': 'the arguments are empty, although the tool needs some and tokens were counted',
  'arguments-not-json': 'the arguments of a call are not a JSON object',
  'stream-differs': 'the stream differs from the whole reply to the same request at temperature 0',
  'error-in-stream': 'the server reported an error after its status 200',
  'broke-off': 'the server broke off in the middle of its reply',
} as const

/** One of `TRAFFIC_CHECKS`, or a law of chat, messages or responses. */
export type TrafficCheck = keyof typeof TRAFFIC_CHECKS | ApiLaw

/** The message of each check. */
export const CHECK_TEXTS: Readonly<Record<TrafficCheck, string>> = { ...API_LAWS, ...TRAFFIC_CHECKS }

export interface TrafficFinding {
  readonly check: TrafficCheck
  /** `odd`: the clients in use tolerate it. */
  readonly weight: 'odd' | 'broken'
  /** In one line. */
  readonly evidence: string
  /** How often in this exchange. */
  readonly times: number
  /** The formats in which the unread call may be; empty if it is not known. */
  readonly formats: readonly string[]
}

export function checkExchange(
  exchange: Pick<RecordedExchange, 'how' | 'lacks' | 'chunks'>,
  reply: ReadReply,
  question: Question | null,
): readonly TrafficFinding[] {
  const { said, breaches, error } = reply
  // A reply that a client cancelled or that is not complete has no end.
  const isPart = exchange.how !== 'complete' || exchange.lacks !== null || error !== null
  const found: TrafficFinding[] = breaches
    .filter(({ law, event }) => !isPart || event > 0 || IDS.has(law))
    .map(({ law, weight, event, evidence, times }) => ({
      ...{ check: law, weight, times, formats: [] },
      evidence: event === 0 ? evidence : `event ${event}: ${evidence}`,
    }))
  const add = (check: TrafficCheck, evidence: string, formats: readonly string[] = []): void =>
    void found.push({ check, weight: 'broken', evidence, times: 1, formats })
  const left = leftCallIn(said.text)
  if (left?.isWhole === true) add('call-in-text', said.text.slice(left.start), identifiedFrom(said.text, left.start))
  const thought = said.text.trim() === '' && said.toolCalls.length === 0 ? leftCallIn(said.reasoning) : null
  if (thought?.isWhole === true)
    add('call-in-thought', said.reasoning.slice(thought.start), identifiedFrom(said.reasoning, thought.start))
  const absent = announced({ where: '', reply: { ...said, ms: 0, cached: false } })
  if (absent !== null) add('call-not-there', absent)
  const lost = said.toolCalls.length > 0 ? null : swallowedIn(said)
  if (lost !== null) {
    // What a truncated text lacks is unknown, unless a call was required.
    const isProved = lost.arrived === 0 || question?.forcesCall === true
    const evidence = `${swallowedText(lost)}${question?.forcesCall === true ? '; tool_choice asks for a call' : ''}`
    found.push({ check: 'reply-swallowed', weight: isProved ? 'broken' : 'odd', evidence, times: 1, formats: [] })
  }
  for (const call of said.toolCalls) {
    const args = objectIn(call.arguments)
    const isCut = said.finishReason === 'length' || exchange.how !== 'complete'
    if (args === null && !isCut) add('arguments-not-json', `${call.name}(${call.arguments})`)
    const needed = question?.required.get(call.name) ?? []
    const counted = countedTokens(said)
    if (args !== null && Object.keys(args).length === 0 && needed.length > 0 && counted > mostTokens(said))
      add('arguments-swallowed', `${call.name} needs ${needed.join(', ')}; ${counted} tokens were counted`)
  }
  if (error !== null) add('error-in-stream', error)
  if (exchange.how === 'upstream-gone') add('broke-off', `after ${exchange.chunks.length} chunks`)
  return found.filter(({ check }) => !isPart || !END_CHECKS.has(check))
}

/** They apply only to the end of a reply. */
const END_CHECKS: ReadonlySet<TrafficCheck> = new Set(['call-not-there', 'reply-swallowed'])

/** They are known before the end of a reply. */
const IDS: ReadonlySet<TrafficCheck> = new Set(['C15', 'M16'])

function objectIn(text: string): object | null {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
