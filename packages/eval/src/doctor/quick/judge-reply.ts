import { finishOf } from '../../trace/finish-reason.ts'
import { quoted } from '../../text/excerpt.ts'
import { swallowedIn, swallowedText } from '../../reading/swallowed.ts'
import { announced, leftInText } from '../judge-native.ts'
import { adviseParser, ANY_PARSER, LOST_TEXT, NO_FORCED_CALL } from '../parser-advice.ts'
import { leftCallIn } from '../raw-call.ts'
import { isCut } from '../said.ts'
import { callsText, judgeBrokenCalls, judgeOddCalls } from './judge-calls.ts'
import { found } from './seen.ts'
import type { Judge, ScriptFinding, Seen } from './seen.ts'

/** What the reply to one script shows. The first that finds something counts: defects of the server stand before oddities. */
export function judgeReply(seen: Seen): ScriptFinding {
  for (const judge of JUDGES) {
    const finding = judge(seen)
    if (finding !== null) return finding
  }
  const { toolCalls, text } = seen.reply
  return found('ok', toolCalls.length > 0 ? callsText(toolCalls) : quoted(text))
}

/** Deltas that clients cannot add up. */
const judgeBrokenStream: Judge = ({ breaches }) => {
  const broken = breaches.find(({ weight }) => weight === 'broken')
  return broken === undefined ? null : found('fail', `${broken.law}: ${broken.evidence}${place(broken.event)}`, UPDATE)
}

const UPDATE =
  'Update the server: clients that add up deltas lose or mix up something. Until then ask for whole replies.'

/** Calls that the server has not read, or not handed on. */
const judgeLostCalls: Judge = ({ script, reply }) => {
  const left = leftInText({ where: '', reply: { ...reply, toolCalls: [] } })
  if (left !== null) return found('fail', left.evidence, left.whatToChange)
  const swallowed = swallowedIn(reply)
  const lost = announced({ where: '', reply }) ?? (swallowed?.arrived === 0 ? swallowedText(swallowed) : null)
  if (lost !== null) return found('fail', lost, ANY_PARSER)
  if (reply.toolCalls.length > 0 || script.calls.length === 0) return null
  const inThought = leftCallIn(reply.reasoning)
  if (inThought === null || !inThought.isWhole || reply.text.trim() !== '') return null
  const { whatToChange } = adviseParser(reply.reasoning, inThought.start)
  return found(
    'fail',
    `the call was left in the thought: ${quoted(reply.reasoning.slice(inThought.start))}`,
    whatToChange,
  )
}

/** No call where one was asked for. */
const judgeNoCall: Judge = ({ script, reply, others }) => {
  if (script.calls.length === 0 || reply.toolCalls.length > 0) return null
  const said = quoted(reply.text)
  if (isCut(reply)) return found('unknown', `cut off before a call: ${said}`)
  const swallowed = others?.countsProve === true ? swallowedIn(reply) : null
  const lost = swallowed === null ? '' : `; ${swallowedText(swallowed)}`
  if (script.choice !== undefined)
    return found('fail', `no call, although tool_choice asks for one: ${said}${lost}`, NO_FORCED_CALL)
  const isIgnored = others?.isForceIgnored === true
  if (swallowed !== null && isIgnored)
    return found(
      'fail',
      `the server drops the call of the model: ${said}${lost}; no forced call arrives either`,
      NO_FORCED_CALL,
    )
  if (swallowed !== null) return found('warn', `text was lost, a call or a hidden thought: ${said}${lost}`, LOST_TEXT)
  return found('unknown', `the model made no call: ${said}`, isIgnored ? NO_FORCED_CALL : 'Try another model.')
}

const judgeText: Judge = ({ script, reply: { text, toolCalls, ...reply } }) => {
  if (/<\/?think(?:ing)?>/.test(text))
    return found(
      'warn',
      `the thought stands in the text: ${quoted(text)}`,
      'Give the server a reasoning parser (--reasoning-parser).',
    )
  if (script.calls.length > 0 || toolCalls.length > 0) return null
  if (text.trim() === '')
    return isCut({ text, toolCalls, ...reply })
      ? found('unknown', 'cut off before a text')
      : found('warn', 'the reply is empty')
  if (script.mentions === undefined || text.includes(script.mentions)) return null
  return found(
    'warn',
    `the result is not in the answer: ${quoted(text)}`,
    'Does the chat template show results of tools?',
  )
}

const judgeEnd: Judge = ({ script, reply: { finishReason, toolCalls }, breaches }) => {
  if (finishReason === null) return found('warn', 'nothing says why the reply ended (finish_reason)')
  // OpenAI itself says "stop" where the tool was named.
  const mayStop = typeof script.choice === 'object'
  if (toolCalls.length > 0 && finishOf(finishReason) === 'stop' && !mayStop)
    return found(
      'warn',
      `the finish reason is ${quoted(finishReason)}, not "tool_calls"`,
      'Agents that go by it stop here.',
    )
  const odd = breaches.find(({ law }) => law !== 'finish-names-calls')
  return odd === undefined ? null : found('warn', `${odd.law}: ${odd.evidence}${place(odd.event)}`)
}

const JUDGES: readonly Judge[] = [
  ...[judgeBrokenStream, judgeLostCalls, judgeBrokenCalls, judgeNoCall],
  ...[judgeText, judgeOddCalls, judgeEnd],
]

function place(event: number): string {
  return event === 0 ? '' : `, in event ${event}`
}
