import { createCountWatch, sha256, swallowedIn } from '@callspec/eval/replies'
import type { RecordedExchange } from '../read/read-exchanges.ts'
import { checkExchange } from './check-exchange.ts'
import type { TrafficCheck, TrafficFinding } from './check-exchange.ts'
import { createPrefixWatch } from './prefixes.ts'
import type { PrefixReport } from './prefixes.ts'
import { readQuestion } from './question.ts'
import type { Question } from './question.ts'
import { createUnreadCounts, readExchangeReply } from './read-exchange.ts'
import type { ReadReply, UnreadCount } from './read-exchange.ts'

/** An exchange with a finding. */
export interface TrafficExample {
  /** File and number. */
  readonly exchange: string
  readonly finding: TrafficFinding
  readonly reply: ReadReply
  /** The request; null if it was not recorded. */
  readonly question: Question | null
  /** The other reply, if a stream and a whole reply differ. */
  readonly other: ReadReply | null
}

/** The findings of one check, and the worst examples. */
export interface CheckCount {
  readonly check: TrafficCheck
  /** `odd` if it broke no exchange. */
  readonly weight: TrafficFinding['weight']
  readonly exchanges: number
  readonly times: number
  /** The worst first. */
  readonly examples: readonly TrafficExample[]
}

/** The findings in recorded traffic. */
export interface TrafficReport {
  readonly exchanges: number
  /** How many of them were streamed, had an error status, or contain no readable reply. */
  readonly streamed: number
  readonly refused: number
  readonly unreadable: number
  /** How many are cut because their recording is, and the first of them; null without one. */
  readonly torn: { readonly exchanges: number; readonly first: string } | null
  /** Why these cannot be read. */
  readonly unread: readonly UnreadCount[]
  /** How many requests at temperature 0 were answered both whole and streamed. */
  readonly compared: number
  readonly checks: readonly CheckCount[]
  /** The formats of calls that were left in texts, with their numbers; `unknown` if no format reads the call. */
  readonly formats: ReadonlyMap<string, number>
  /** How much of the prompts of conversations stayed the same. */
  readonly prefixes: PrefixReport
}

/**
 * Collects the findings of exchanges.
 *
 * @param examples how many of each check are kept
 */
export interface TrafficChecker {
  add(exchange: RecordedExchange): void
  end(): TrafficReport
}

/** @param examples how many of each check are kept */
export function createTrafficChecker(examples: number): TrafficChecker {
  const counts = { exchanges: 0, streamed: 0, refused: 0, unreadable: 0 }
  const unread = createUnreadCounts()
  let torn: TrafficReport['torn'] = null
  const findings = createFindings(examples)
  const pairs = createPairs()
  const prefixes = createPrefixWatch()
  return {
    add: (exchange) => {
      counts.exchanges += 1
      if (exchange.how === null) torn = { first: exchange.name, ...torn, exchanges: (torn?.exchanges ?? 0) + 1 }
      if (exchange.status !== null && exchange.status >= 400) {
        counts.refused += 1
        return
      }
      const reply = readExchangeReply(exchange)
      if (typeof reply === 'string') {
        counts.unreadable += 1
        unread.add(reply, exchange.name)
        return
      }
      if (reply.isStream) counts.streamed += 1
      const question = readQuestion(exchange.request, reply.api)
      if (question !== null) prefixes.add(exchange.name, question, reply)
      const seen = { exchange: exchange.name, reply, question }
      findings.look(reply)
      for (const finding of onceEach(checkExchange(exchange, reply, question)))
        findings.note({ ...seen, finding, other: null })
      const differs = pairs.add(exchange, reply, question)
      if (differs !== null) findings.note({ ...seen, ...differs })
    },
    end: () => ({
      ...counts,
      torn,
      unread: unread.end(),
      compared: pairs.compared(),
      ...findings.end(),
      prefixes: prefixes.end(),
    }),
  }
}

/** Counts findings by check. Whether a count of tokens proves anything is known only after all replies. */
function createFindings(examples: number): {
  look(reply: ReadReply): void
  note(example: TrafficExample): void
  end(): Pick<TrafficReport, 'checks' | 'formats'>
} {
  const [found, byCount] = [new Map<TrafficCheck, TrafficCount>(), new Map<TrafficCheck, TrafficCount>()]
  const formats = new Map<string, number>()
  const watch = createCountWatch()
  const addTo = (counts: Map<TrafficCheck, TrafficCount>, check: TrafficCheck, more: TrafficCount): void => {
    const known = counts.get(check)
    counts.set(check, known === undefined ? more : added(known, more, examples))
  }
  return {
    look: ({ said }) => watch.add(said, said.toolCalls.length > 0),
    note: (example) => {
      const { check, weight, times, formats: names } = example.finding
      addTo(isByCount(example) ? byCount : found, check, { weight, exchanges: 1, times, examples: [example] })
      if (!check.startsWith('call-in-')) return
      const format = names.length === 0 ? 'unknown' : names.join(' or ')
      formats.set(format, (formats.get(format) ?? 0) + 1)
    },
    end: () => {
      const all = new Map(found)
      if (!watch.provesNothing()) for (const [check, count] of byCount) addTo(all, check, count)
      return { checks: [...all].map(([check, count]) => ({ check, ...count })).toSorted(mostFirst), formats }
    },
  }
}

/** Whether a finding rests only on a count of tokens: a part of the text arrived. */
function isByCount({ finding: { check }, reply: { said } }: TrafficExample): boolean {
  return check === 'reply-swallowed' && swallowedIn(said)?.arrived !== 0
}

type TrafficCount = Omit<CheckCount, 'check'>

function added(one: TrafficCount, other: TrafficCount, examples: number): TrafficCount {
  return {
    weight: [one, other].some(({ weight }) => weight === 'broken') ? 'broken' : 'odd',
    exchanges: one.exchanges + other.exchanges,
    times: one.times + other.times,
    examples: [...one.examples, ...other.examples].toSorted(worstFirst).slice(0, examples),
  }
}

/** One finding for each check, with the sum of the times. */
function onceEach(findings: readonly TrafficFinding[]): readonly TrafficFinding[] {
  const first = new Map<TrafficCheck, TrafficFinding>()
  for (const finding of findings) {
    const known = first.get(finding.check)
    first.set(finding.check, known === undefined ? finding : { ...known, times: known.times + finding.times })
  }
  return [...first.values()]
}

/** Broken before odd, frequent before rare, short before long. */
function worstFirst(one: TrafficExample, other: TrafficExample): number {
  const broken = Number(other.finding.weight === 'broken') - Number(one.finding.weight === 'broken')
  return (
    broken || other.finding.times - one.finding.times || one.finding.evidence.length - other.finding.evidence.length
  )
}

function mostFirst(one: CheckCount, other: CheckCount): number {
  return Number(other.weight === 'broken') - Number(one.weight === 'broken') || other.exchanges - one.exchanges
}

/** Compares whole and streamed replies to the same request. */
interface Pairs {
  /** Null if there is nothing to compare with, or no difference. */
  add(exchange: RecordedExchange, reply: ReadReply, question: Question | null): ReplyDifference | null
  /** How many requests were answered both ways. */
  compared(): number
}

/** A stream and a whole reply to the same request that differ. */
interface ReplyDifference {
  readonly finding: TrafficFinding
  /** The earlier reply; null if there was no room to keep it. */
  readonly other: ReadReply | null
}

/** Further requests are not kept. */
const MOST_REQUESTS = 100_000
/** In bytes of replies; a reply that was read takes several times as much memory. */
const MOST_KEPT_BYTES = 16_000_000

interface Sides {
  /** The first reply to the request. */
  readonly first: ReadReply | null

  readonly whole: Set<string>
  readonly streamed: Set<string>
  isTold: boolean
}

/** A request whose whole replies differ from each other, or whose streams do, proves nothing. */
function createPairs(): Pairs {
  const asked = new Map<string, Sides>()
  let keptBytes = 0
  return {
    add: (exchange, reply, question) => {
      const { isStream, said, error } = reply
      const key = question?.key ?? null
      if (key === null || exchange.how !== 'complete' || exchange.lacks !== null || error !== null) return null
      const known = asked.get(key)
      const size = exchange.chunks.reduce((sum, { bytes }) => sum + bytes.length, 0)
      const first = keptBytes + size > MOST_KEPT_BYTES ? null : reply
      const sides = known ?? { first, whole: new Set(), streamed: new Set(), isTold: false }
      if (known === undefined && asked.size < MOST_REQUESTS) {
        asked.set(key, sides)
        if (first !== null) keptBytes += size
      }
      const calls = said.toolCalls.map(({ name, arguments: args }) => [name, args])
      sides[isStream ? 'streamed' : 'whole'].add(sha256(JSON.stringify([said.text, said.reasoning, calls])))
      const [[one], [other]] = [[...sides.whole], [...sides.streamed]]
      const isClear = sides.whole.size === 1 && sides.streamed.size === 1 && one !== other
      if (!isClear || sides.isTold) return null
      sides.isTold = true
      const evidence = `this ${isStream ? 'stream' : 'whole reply'} says ${JSON.stringify(said.text.slice(0, 80))} and makes ${calls.length} calls`
      const kept = sides.first?.isStream === isStream ? null : sides.first
      return { finding: { check: 'stream-differs', weight: 'broken', evidence, times: 1, formats: [] }, other: kept }
    },
    compared: () => [...asked.values()].filter(({ whole, streamed }) => whole.size > 0 && streamed.size > 0).length,
  }
}
