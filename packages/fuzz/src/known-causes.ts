import type { LawId } from './law-id.ts'
import type { Law, Violation } from './law.ts'
import { LAWS } from './laws/index.ts'
import type { About } from './subject.ts'

/** A reported breach. It explains every text that shows it again, also where that breaks other laws. */
export interface KnownCause {
  readonly law: LawId
  readonly breach: string
}

/** Whether a violation was reported before. */
export function isKnown(known: readonly KnownCause[], law: LawId, { breach }: Pick<Violation, 'breach'>): boolean {
  return known.some((cause) => cause.breach === breach && (cause.law === law || BROKEN_DOWN.has(breach)))
}

/** A parser that gives no answer breaks every law; some ask about texts of their own, which the law before did not see. */
const BROKEN_DOWN: ReadonlySet<string> = new Set(['crashed', 'garbled'])

/**
 * The laws that are asked about the samples of a group, in their order: those that are searched, and before them those
 * whose causes were reported in other groups, where they apply to such samples and cost no more.
 */
export function withWatchers(laws: readonly Law[], known: readonly KnownCause[], subject: About): readonly Law[] {
  const [first] = laws
  if (first === undefined) return laws
  const reported = new Set(known.filter(({ breach }) => breach !== SLOW).map(({ law }) => law))
  const watchers = LAWS.filter(
    (law) =>
      reported.has(law.id) &&
      !laws.includes(law) &&
      law.applies(subject) &&
      (law.needs === 'text' || law.needs === first.needs) &&
      (law.cost === 'linear' || law.cost === first.cost),
  )
  return [...watchers, ...laws]
}

/** A parser that hangs costs its whole time limit with every question; it is not tried again. */
const SLOW = 'hung'
