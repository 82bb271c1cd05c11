import { finishOf } from '../trace/finish-reason.ts'
import type { Failure } from '../trace/failure.ts'
import { quoted } from '../text/excerpt.ts'
import { finding } from './finding.ts'
import type { Finding } from './finding.ts'
import type { Modes, Probe } from './probe.ts'
import { asksForKey, HANGS, hangs, NEEDS_KEY, redirectAdvice } from './refuses-all.ts'
import { saidIn, withoutReply } from './said.ts'

/** Whether a plain chat request is answered. */
export function judgeChat(probe: Probe): Finding {
  if (probe.kind !== 'reply') {
    return withoutReply('chat', probe, { whatToChange: probe.kind === 'failure' ? adviceFor(probe.failure) : '' })
  }
  const { reply } = probe
  const said = `${reply.text}${reply.reasoning}`
  if (said.trim() === '') return finding('chat', 'warn', 'the reply is empty', 'Try another prompt by hand.')
  const oddities = reply.warnings.length === 0 ? '' : `; odd: ${reply.warnings.join(', ')}`
  const evidence = `answered in ${Math.round(reply.ms)} ms: ${quoted(said)}${oddities}`
  if (finishOf(reply.finishReason) === 'unknown')
    return finding('chat', 'warn', `${evidence}; the finish reason is ${JSON.stringify(reply.finishReason)}`, NO_REASON)
  return finding('chat', 'ok', evidence)
}

function adviceFor(failure: Failure): string {
  const { status } = failure
  if (asksForKey(status)) return NEEDS_KEY
  if (hangs(failure)) return HANGS
  return redirectAdvice(status) ?? (status === 404 ? IS_NAME_RIGHT : 'Look at the log of the server.')
}

const IS_NAME_RIGHT = 'Is the name of the model right, and does the address end in /v1?'
const NO_REASON = 'Replies that were cut at the token limit will not be told from others. Is the server up to date?'

/** Whether tokens are counted, in whole replies and in streams. */
export function judgeUsage({ whole, streamed }: Modes): Finding {
  const [one, other] = [usageIn(whole), usageIn(streamed)]
  if (one === undefined && other === undefined) return finding('usage', 'unknown', 'there is no reply to look at')
  if (one === null && other !== null && other !== undefined)
    return finding('usage', 'warn', 'only streams tell it', 'Evaluate with streaming, which is the default.')
  if (one === null) return finding('usage', 'warn', 'the server tells no usage', 'Tokens and cost will be unknown.')
  if (other === null)
    return finding(
      'usage',
      'warn',
      'streams do not tell it (stream_options.include_usage)',
      'Evaluate with --no-stream.',
    )
  return finding('usage', 'ok', one ?? other ?? '')
}

/** What is known about a stream beside its reply. */
export interface StreamFacts {
  /** How many events it came in. */
  readonly events: number
  /** Whether whole replies say the same twice; null if unknown. */
  readonly isRepeatable: boolean | null
}

/** Whether a stream says what a whole reply says. */
export function judgeStream({ whole, streamed }: Modes, { events, isRepeatable }: StreamFacts): Finding {
  if (streamed.kind !== 'reply') return withoutReply('stream', streamed, { whatToChange: 'Evaluate with --no-stream.' })
  if (whole.kind !== 'reply') return finding('stream', 'unknown', 'there is no whole reply to compare with')
  if (streamed.reply.warnings.includes('not-streamed'))
    return finding(
      'stream',
      'warn',
      'the reply came whole',
      'Nothing, unless you want to know when the first token came.',
    )
  const [one, other] = [saidIn(whole.reply), saidIn(streamed.reply)]
  if (one === other)
    return finding('stream', 'ok', `equal to the whole reply, in ${events === 1 ? 'one event' : `${events} events`}`)
  const evidence = `differs from the whole reply at character ${firstDifference(one, other)}`
  return isRepeatable === true
    ? finding('stream', 'fail', evidence, 'Evaluate with --no-stream: the server reads its own stream otherwise.')
    : finding('stream', 'unknown', `${evidence}, but whole replies differ among themselves too`)
}

function usageIn(probe: Probe): string | null | undefined {
  if (probe.kind !== 'reply') return undefined
  const { usage } = probe.reply
  return usage === null ? null : `${usage.prompt} tokens in the prompt, ${usage.completion} in the reply`
}

function firstDifference(one: string, other: string): number {
  let at = 0
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1
  return at
}
