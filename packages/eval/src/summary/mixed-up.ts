import { formatId } from '../trace/format-names.ts'
import type { LedgerRow } from '@callspec/labels'
import type { EpisodeKey } from '../trace/trace.ts'
import type { FormatName } from '../trace/format-names.ts'

/** A format whose first prompt is also that of another one: a model that sees only the request may answer in either. */
export interface MixedUp {
  readonly model: string
  readonly protocol: FormatName
  /** The format in which it was answered. */
  readonly takenFor: string
  readonly replies: number
}

/** Has them where there are some. */
export interface WithMixUps {
  readonly mixedUp?: readonly MixedUp[]
}

/** Counts replies that were given in another format than was asked for, and so were measured otherwise than made. */
export interface MixUps {
  add(asked: EpisodeKey, given: LedgerRow): void
  /** What was counted, in the order in which it came; nothing where nothing was. */
  found(): WithMixUps
}

/** Nothing is counted yet. */
export function createMixUps(): MixUps {
  const all = new Map<string, MixedUp>()
  return {
    add: ({ model, protocol }, { protocol: takenFor }) => {
      if (takenFor === protocol) return
      const key = JSON.stringify([model, protocol, takenFor])
      const replies = (all.get(key)?.replies ?? 0) + 1
      all.set(key, { model, protocol, takenFor, replies })
    },
    found: () => (all.size === 0 ? {} : { mixedUp: [...all.values()] }),
  }
}

/** `mistral-v11 was taken for mistral-v3`, once for all models; empty for nothing. */
export function mixedUpText({ mixedUp = [] }: WithMixUps): string {
  return [
    ...new Set(mixedUp.map(({ protocol, takenFor }) => `${formatId(protocol)} was taken for ${formatId(takenFor)}`)),
  ].join(', ')
}
