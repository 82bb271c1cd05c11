/** Why an exchange without an error status holds no reply that can be read: what each word means, of the reply. */
export const UNREAD_TEXTS = {
  'no-status': 'never came',
  'other-status': 'is a redirect, or has another status that is no answer',
  packed: 'is compressed in a way that is not known, or damaged',
  'too-large': 'has an event larger than any reply',
  part: 'is not all there: it broke off, or was not recorded whole',
  empty: 'holds nothing',
  'no-json': 'is no JSON',
  'no-completion': 'is JSON, and no chat or text completion',
} as const

/** One of `UNREAD_TEXTS`. */
export type UnreadCause = keyof typeof UNREAD_TEXTS

/** How many replies could not be read for one cause. */
export interface UnreadCount {
  readonly cause: UnreadCause
  readonly exchanges: number
  /** File and number of the first. */
  readonly first: string
}

/** Counts them, the most frequent cause first. */
export function createUnreadCounts(): {
  add(cause: UnreadCause, exchange: string): void
  end(): readonly UnreadCount[]
} {
  const counts = new Map<UnreadCause, UnreadCount>()
  return {
    add: (cause, exchange) => {
      const { exchanges, first } = counts.get(cause) ?? { exchanges: 0, first: exchange }
      counts.set(cause, { cause, exchanges: exchanges + 1, first })
    },
    end: () => [...counts.values()].toSorted((one, other) => other.exchanges - one.exchanges),
  }
}
