import type { Redis } from 'ioredis'
import type { Entry } from './intake.ts'

/** So many entries are read at once. */
export const MOST_ENTRIES = 256
/** So long until an empty stream is left. */
const WAIT_MS = 500

/** Reads the entries behind `after`; none when there are none for half a second. */
export async function readEntries(redis: Redis, key: string, after: string): Promise<readonly Entry[]> {
  const answer = await redis.xread('COUNT', MOST_ENTRIES, 'BLOCK', WAIT_MS, 'STREAMS', key, after)
  const [, found = []] = answer?.[0] ?? []
  return found.map(([id, fields]) => entryOf(id, fields))
}

function entryOf(id: string, fields: readonly string[]): Entry {
  const rows: string[] = []
  const named = new Map<string, string>()
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [name = '', value = ''] = [fields[at], fields[at + 1]]
    if (name === 'row') rows.push(value)
    else named.set(name, value)
  }
  return {
    ...{ id, rows, episode: Number(named.get('e')), at: Number(named.get('at')) },
    ...{ after: named.get('after') ?? '', name: named.get('name') ?? '' },
  }
}
