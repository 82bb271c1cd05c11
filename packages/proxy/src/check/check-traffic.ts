import { createCountWatch, swallowedIn } from '@callspec/eval/reply-parts'
import type { RecordedExchange } from '../read/recorded-exchange.ts'
import { checkExchange } from './check-exchange.ts'
import type { TrafficCheck, TrafficFinding } from './check-exchange.ts'
import { createPairs } from './create-pairs.ts'
import { readQuestion } from './read-question.ts'
import type { Question } from './read-question.ts'
import { readReply } from './read-reply.ts'
import type { ReadReply } from './read-reply.ts'
import { createUnreadCounts } from './unread.ts'
import type { UnreadCount } from './unread.ts'

/** An exchange in which something was found. */
export interface TrafficExample {
  /** File and number. */
  readonly exchange: string
  readonly finding: TrafficFinding
  readonly reply: ReadReply
  /** What is known of the request; null where it was not recorded. */
  readonly question: Question | null
  /** Where stream and whole reply differ, the other one. */
  readonly other: ReadReply | null
}

/** How often a check has found something, and where it is worst. */
export interface CheckCount {
  readonly check: TrafficCheck
  /** `odd` where no exchange was broken by it. */
  readonly weight: TrafficFinding['weight']
  /** In how many exchanges. */
  readonly exchanges: number
  readonly times: number
  /** The worst first. */
  readonly examples: readonly TrafficExample[]
}

/** What was found in recorded traffic. */
export interface TrafficReport {
  readonly exchanges: number
  /** How many of them were streamed, answered with an error status, or hold no reply that can be read. */
  readonly streamed: number
  readonly refused: number
  readonly unreadable: number
  /** How many break off because their recording does, and the first of them; null for none. */
  readonly torn: { readonly exchanges: number; readonly first: string } | null
  /** Why these cannot be read. */
  readonly unread: readonly UnreadCount[]
  /** How many requests at temperature 0 were answered both whole and streamed. */
  readonly compared: number
  readonly checks: readonly CheckCount[]
  /** In which formats calls were left in texts, and how often; `unknown` where no format reads it. */
  readonly formats: ReadonlyMap<string, number>
}

/** Collects what is found in one exchange after the other. */
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
  return {
    add: (exchange) => {
      counts.exchanges += 1
      if (exchange.how === null) torn = { first: exchange.name, ...torn, exchanges: (torn?.exchanges ?? 0) + 1 }
      if (exchange.status !== null && exchange.status >= 400) {
        counts.refused += 1
        return
      }
      const reply = readReply(exchange)
      if (typeof reply === 'string') {
        counts.unreadable += 1
        unread.add(reply, exchange.name)
        return
      }
      if (reply.isStream) counts.streamed += 1
      const question = readQuestion(exchange.request)
      const seen = { exchange: exchange.name, reply, question }
      findings.look(reply)
      for (const finding of onceEach(checkExchange(exchange, reply, question)))
        findings.note({ ...seen, finding, other: null })
      const differs = pairs.add(exchange, reply, question)
      if (differs !== null) findings.note({ ...seen, ...differs })
    },
    end: () => ({ ...counts, torn, unread: unread.end(), compared: pairs.compared(), ...findings.end() }),
  }
}

/** Counts findings by check. Whether a count of tokens proves anything is known when all replies were looked at. */
function createFindings(examples: number): {
  look(reply: ReadReply): void
  note(example: TrafficExample): void
  end(): Pick<TrafficReport, 'checks' | 'formats'>
} {
  const [found, byCount] = [new Map<TrafficCheck, Count>(), new Map<TrafficCheck, Count>()]
  const formats = new Map<string, number>()
  const watch = createCountWatch()
  const addTo = (counts: Map<TrafficCheck, Count>, check: TrafficCheck, more: Count): void => {
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

/** Whether a finding rests on a count of tokens alone: a part of the text came. */
function isByCount({ finding: { check }, reply: { said } }: TrafficExample): boolean {
  return check === 'reply-swallowed' && swallowedIn(said)?.arrived !== 0
}

type Count = Omit<CheckCount, 'check'>

function added(one: Count, other: Count, examples: number): Count {
  return {
    weight: [one, other].some(({ weight }) => weight === 'broken') ? 'broken' : 'odd',
    exchanges: one.exchanges + other.exchanges,
    times: one.times + other.times,
    examples: [...one.examples, ...other.examples].toSorted(worstFirst).slice(0, examples),
  }
}

/** One of each check: the times are added up. */
function onceEach(findings: readonly TrafficFinding[]): readonly TrafficFinding[] {
  const first = new Map<TrafficCheck, TrafficFinding>()
  for (const finding of findings) {
    const known = first.get(finding.check)
    first.set(finding.check, known === undefined ? finding : { ...known, times: known.times + finding.times })
  }
  return [...first.values()]
}

/** Broken before odd, often before seldom, and what is quicker to read before the rest. */
function worstFirst(one: TrafficExample, other: TrafficExample): number {
  const broken = Number(other.finding.weight === 'broken') - Number(one.finding.weight === 'broken')
  return (
    broken || other.finding.times - one.finding.times || one.finding.evidence.length - other.finding.evidence.length
  )
}

function mostFirst(one: CheckCount, other: CheckCount): number {
  return Number(other.weight === 'broken') - Number(one.weight === 'broken') || other.exchanges - one.exchanges
}
