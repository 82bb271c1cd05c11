import type { SummaryRow } from '../summary/row.ts'
import type { Cause } from '../summary/causes.ts'

/** The cause that breaks most, over all formats of a model. */
export interface Breakage extends Pick<Cause, 'blames' | 'rule' | 'detail'> {
  /** Whether episodes are counted; else replies, since no episode failed. */
  readonly of: 'episodes' | 'turns'
  readonly count: number
  /** All failed ones of the same kind. */
  readonly failed: number
  /** The format that it breaks most, and how often there. */
  readonly most: { readonly protocol: string; readonly count: number }
}

/** What breaks most: by episodes where any failed, else by replies; null where nothing did. */
export function breakageOf(rows: readonly SummaryRow[]): Breakage | null {
  return most(rows, 'episodes') ?? most(rows, 'turns')
}

function most(rows: readonly SummaryRow[], of: Breakage['of']): Breakage | null {
  const counted = rows.flatMap(({ protocol, blame }) => blame.causes.map((cause) => ({ protocol, cause })))
  const failed = counted.reduce((sum, { cause }) => sum + cause[of], 0)
  const found = new Map<string, Breakage>()
  for (const { protocol, cause } of counted) {
    const { blames, rule, detail } = cause
    const key = JSON.stringify([rule, detail])
    const before = found.get(key) ?? { blames, rule, detail, of, count: 0, failed, most: { protocol, count: 0 } }
    const here = { protocol, count: cause[of] }
    found.set(key, {
      ...before,
      count: before.count + here.count,
      most: here.count > before.most.count ? here : before.most,
    })
  }
  const [first] = [...found.values()].filter(({ count }) => count > 0).toSorted((one, other) => other.count - one.count)
  return first ?? null
}
