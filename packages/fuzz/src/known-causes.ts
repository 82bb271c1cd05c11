import type { LawId } from './law-id.ts'
import type { Law, Violation } from './law.ts'
import { LAWS } from './laws/index.ts'
import type { About } from './subject.ts'

/** A breach that was told. A text that shows it again is explained by it, whichever other laws it breaks. */
export interface KnownCause {
  readonly law: LawId
  readonly breach: string
}

/** Whether a violation is one that was told before. */
export function isKnown(known: readonly KnownCause[], law: LawId, { breach }: Pick<Violation, 'breach'>): boolean {
  return known.some((cause) => cause.breach === breach && (cause.law === law || BROKEN_DOWN.has(breach)))
}

/** A parser that gives no answer breaks every law; some ask about texts of their own, which the law before did not see. */
const BROKEN_DOWN: ReadonlySet<string> = new Set(['crashed', 'garbled'])

/**
 * The laws that are asked about the samples of a group, in their order: those that are searched, and before them those
 * whose causes were told in other groups, where they have something to say about such samples and cost no more.
 */
export function withWatchers(laws: readonly Law[], known: readonly KnownCause[], subject: About): readonly Law[] {
  const [first] = laws
  if (first === undefined) return laws
  const told = new Set(known.filter(({ breach }) => breach !== DEAR).map(({ law }) => law))
  const watchers = LAWS.filter(
    (law) =>
      told.has(law.id) &&
      !laws.includes(law) &&
      law.applies(subject) &&
      (law.needs === 'text' || law.needs === first.needs) &&
      (law.cost === 'linear' || law.cost === first.cost),
  )
  return [...watchers, ...laws]
}

/** A parser that hangs costs its whole time limit with every question; nobody waits for it to see it again. */
const DEAR = 'hung'
