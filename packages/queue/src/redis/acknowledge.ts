import type { Redis } from 'ioredis'
import type { RunKeys } from './keys.ts'
import { runScript, script } from './script.ts'

/** What stands in the journal, on the disk. */
export interface Written {
  /** Ids of the entries of the stream. */
  readonly entries: readonly string[]
  /** Episodes that have come to their end. */
  readonly ended: readonly number[]
}

/**
 * A collector that has lost its lease must not take away what another one has not read. A full Redis refuses SETBIT, but not after
 * a DEL of the same script.
 */
const ACKNOWLEDGE = script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local entries = tonumber(ARGV[2])
if entries > 0 then redis.call('XDEL', KEYS[2], unpack(ARGV, 3, entries + 2)) end
for i = entries + 3, #ARGV do
  redis.call('DEL', KEYS[i - entries + 1])
  redis.call('SETBIT', KEYS[3], ARGV[i], 1)
end
return 1
`)

/** So many at once: Redis does nothing else meanwhile. */
const BATCH = 500

/**
 * Takes what was written down out of Redis, and leaves a mark for every episode that has ended.
 *
 * @returns false when another collector has taken over
 */
export async function acknowledge(
  redis: Redis,
  keys: RunKeys,
  { token, written }: { readonly token: string; readonly written: Written },
): Promise<boolean> {
  const { entries, ended } = written
  for (let at = 0; at < Math.max(entries.length, ended.length); at += BATCH) {
    const [ids, episodes] = [entries.slice(at, at + BATCH), ended.slice(at, at + BATCH)]
    const answer = await runScript(redis, ACKNOWLEDGE, {
      keys: [keys.collector, keys.rows, keys.done, ...episodes.map(keys.episode)],
      args: [token, ids.length, ...ids, ...episodes],
    })
    if (answer !== 1) return false
  }
  return true
}
