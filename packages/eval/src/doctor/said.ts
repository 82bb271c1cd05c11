import type { Completion } from '../trace/completion.ts'
import { finishOf } from '../trace/completion.ts'
import { finding } from './finding.ts'
import type { Check, Finding } from './finding.ts'
import type { Modes, Probe } from './prober.ts'

/** A reply with a prefix for messages: empty for a whole one. */
export interface ModeReply {
  readonly where: '' | 'in streams: '
  readonly reply: Completion
}

/** The replies among the two, the whole one first. */
export function repliesOf({ whole, streamed }: Modes): readonly ModeReply[] {
  const one: readonly ModeReply[] = whole.kind === 'reply' ? [{ where: '', reply: whole.reply }] : []
  return streamed.kind === 'reply' ? [...one, { where: 'in streams: ', reply: streamed.reply }] : one
}

/** The content of a reply as one text, for comparisons; without ids, which always differ. */
export function saidIn({ text, reasoning, toolCalls }: Completion): string {
  return JSON.stringify([reasoning, text, toolCalls.map(({ name, arguments: args }) => [name, args])])
}

/** Whether two replies have the same content; null if one is missing. */
export function saySame(first: Probe, second: Probe): boolean | null {
  if (first.kind !== 'reply' || second.kind !== 'reply') return null
  return saidIn(first.reply) === saidIn(second.reply)
}

/** Whether a reply was cut at the token limit: then a missing call proves nothing. */
export function isCut({ finishReason }: Completion): boolean {
  return finishOf(finishReason) === 'length'
}

/** The finding for a request without a reply. */
export function withoutReply(
  check: Check,
  probe: Exclude<Probe, { kind: 'reply' }>,
  { verdict = 'fail', whatToChange }: { readonly verdict?: Finding['verdict']; readonly whatToChange: string },
): Finding {
  return probe.kind === 'late' ? late(check) : finding(check, verdict, probe.failure.message, whatToChange)
}

/** The finding for a request that was not sent. */
export function late(check: Check): Finding {
  return finding(check, 'unknown', 'not examined: no time was left, or there was nothing to examine')
}
