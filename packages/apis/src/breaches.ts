import { CLIENT_NOTES } from './clients.ts'
import type { ApiLaw } from './laws.ts'
import { API_LAWS } from './laws.ts'

/** A broken law: its first place, and how often it was broken. */
export interface ApiBreach {
  readonly law: ApiLaw
  /** `odd`: clients in use tolerate it. `broken`: they lose or mix up something, or raise. */
  readonly weight: 'odd' | 'broken'
  /** Number of the first event that broke it with this weight, from 1; 0 for a whole reply, or where only the end shows it. */
  readonly event: number
  /** On one line, with short quotes only. */
  readonly evidence: string
  readonly times: number
}

/** Collects the breaches of one transcript. */
export interface Breaches {
  /** Default weight: that of the law. */
  add(law: ApiLaw, event: number, evidence: string, weight?: ApiBreach['weight']): void
  has(law: ApiLaw): boolean
  /** In the order of `API_LAWS`. */
  list(): readonly ApiBreach[]
}

export function createBreaches(): Breaches {
  const found = new Map<ApiLaw, ApiBreach>()
  return {
    add: (law, event, evidence, weight = weightOf(law)) => {
      const first = found.get(law)
      const times = (first?.times ?? 0) + 1
      const isShown = first === undefined || (first.weight === 'odd' && weight === 'broken')
      found.set(law, isShown ? { law, weight, event, evidence, times } : { ...first, times })
    },
    has: (law) => found.has(law),
    list: () => ORDER.flatMap((law) => found.get(law) ?? []),
  }
}

const ORDER = Object.keys(API_LAWS) as readonly ApiLaw[]

/** Clients pass it on: a program that stores the text in UTF-8, or returns a result to one of two calls, loses something. */
const BREAKS_MORE: ReadonlySet<ApiLaw> = new Set(['C14', 'C15', 'M16'])

/** Clients lose or mix up something where they were seen to read a breach wrongly. */
function weightOf(law: ApiLaw): ApiBreach['weight'] {
  return CLIENT_NOTES[law] === undefined && !BREAKS_MORE.has(law) ? 'odd' : 'broken'
}
