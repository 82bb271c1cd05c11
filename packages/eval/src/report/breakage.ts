import { mergedCauses, sameCause } from '../summary/causes.ts'
import type { Cause } from '../summary/causes.ts'
import type { SummaryRow } from '../summary/row.ts'

/** The cause that breaks most, over all formats of a model. */
export interface Breakage extends Pick<Cause, 'blames' | 'rule' | 'detail'> {
  /** Whether episodes are counted; else replies, since no episode failed. */
  readonly of: 'episodes' | 'turns'
  readonly count: number
  /** All failed ones of the same kind. */
  readonly failed: number
  /** The format that it breaks most, and how often there. */
  readonly most: { readonly protocol: string; readonly count: number }
  /** Other causes that break as much. */
  readonly equals: readonly Pick<Cause, 'blames' | 'rule' | 'detail'>[]
}

/** What breaks most: by episodes where any failed, else by replies; null where nothing did. */
export function breakageOf(rows: readonly SummaryRow[]): Breakage | null {
  return mostOf(rows, 'episodes') ?? mostOf(rows, 'turns')
}

function mostOf(rows: readonly SummaryRow[], of: Breakage['of']): Breakage | null {
  const causes = mergedCauses(rows.map(({ blame }) => blame))
  const [first, ...others] = causes.toSorted((one, other) => other[of] - one[of])
  if (first === undefined || first[of] === 0) return null
  const { blames, rule, detail } = first
  const most = rows
    .map(({ protocol, blame }) => ({ protocol, count: sameCause(first, blame.causes)?.[of] ?? 0 }))
    .reduce((one, other) => (other.count > one.count ? other : one))
  const failed = causes.reduce((sum, cause) => sum + cause[of], 0)
  const equals = others.filter((cause) => cause[of] === first[of])
  return { blames, rule, detail, of, count: first[of], failed, most, equals }
}
