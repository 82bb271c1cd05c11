import type { IdentifiedReply } from './identify-reply.ts'

/** The formats of replies that belong together, such as those of one model. */
export interface IdentifiedReplies {
  /** The ids of the formats that are the answer for most of the replies; empty where none holds a call. */
  readonly formats: readonly string[]
  /** For how many replies they are. */
  readonly replies: number
  /** How many replies hold a call. */
  readonly withCall: number
}

/** The answer for several replies: formats that only some of them can be told from stay apart by those. */
export function mostOften(identified: readonly Pick<IdentifiedReply, 'formats'>[]): IdentifiedReplies {
  const counts = new Map<string, number>()
  for (const { formats } of identified) for (const id of formats) counts.set(id, (counts.get(id) ?? 0) + 1)
  const replies = Math.max(0, ...counts.values())
  return {
    formats: [...counts].filter(([, count]) => count === replies).map(([id]) => id),
    replies,
    withCall: identified.filter(({ formats }) => formats.length > 0).length,
  }
}
