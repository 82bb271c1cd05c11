import { STREAM_LAWS } from '@callspec/eval/reply-parts'
import { checkExchange } from './check-exchange.ts'
import type { TrafficCheck } from './check-exchange.ts'
import type { TrafficExample } from './check-traffic.ts'
import { replyOf } from './read-reply.ts'
import type { ReadReply } from './read-reply.ts'

/** Characters of events that are looked at in all tries together. */
const MOST_CHARACTERS = 100_000_000

/**
 * The reply with as few events as show the same: a law that is broken again, anywhere; of everything else the same words as
 * evidence and nothing new beside it, because less of a reply would show what the server has not done. Null where the events alone do not show
 * it, as that a server broke off.
 */
export function shrinkReply(check: TrafficCheck, { reply, question, finding }: TrafficExample): ReadReply | null {
  const isLaw = check in STREAM_LAWS
  const all = new Set(checkExchange(WHOLE, reply, question).map((each) => each.check))
  const shows = (events: readonly unknown[]): ReadReply | null => {
    const read = replyOf(events, reply.isStream)
    if (read === null) return null
    const found = checkExchange(WHOLE, read, question)
    const isThere = found.some((each) => each.check === check && (isLaw || each.evidence === finding.evidence))
    return isThere && (isLaw || found.every((each) => all.has(each.check))) ? read : null
  }
  let smallest = shows(reply.events)
  if (smallest === null || !reply.isStream) return smallest
  const cost = reply.events.reduce<number>((sum, event) => sum + (JSON.stringify(event)?.length ?? 0), 1)
  let tries = Math.floor(MOST_CHARACTERS / cost)
  for (let size = reply.events.length >> 1; size >= 1; size >>= 1) {
    for (let at = 0; at < smallest.events.length && tries > 0; tries -= 1) {
      const fewer = shows(smallest.events.toSpliced(at, size))
      if (fewer === null) at += size
      else smallest = fewer
    }
  }
  return smallest
}

const WHOLE = { how: 'complete', lacks: null, chunks: [] } as const
