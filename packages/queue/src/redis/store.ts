import type { Redis } from 'ioredis'
import { CLAIMS } from './claim.ts'
import type { RunKeys } from './keys.ts'
import { NAME_LENGTH, readRow } from './rows.ts'
import type { Row } from './rows.ts'
import { runScript, script } from './script.ts'

/** Rows of an episode that come one after the other. */
export interface NewRows {
  readonly episode: number
  /** How many rows of the episode stand before them, and the name of the last of those. */
  readonly at: number
  readonly after: string
  /** The name of these rows: one for all, of `NAME_LENGTH` digits. */
  readonly name: string
  readonly lines: readonly string[]
  /** Whether the last of them ends the episode. */
  readonly isEnd: boolean
  /** Who stores them, and may ask for what follows. */
  readonly player: string
}

/**
 * What came of storing rows.
 *
 * - `stored`: they are, now or since an attempt before; `bytes` wait in the stream
 * - `full`: too much waits for the collector; nothing was stored
 * - `other`: somebody else's rows stand there; the episode goes on from `rows`, all of them
 * - `done`: the journal has the whole episode
 * - `gone`: the run is over, was cancelled, or Redis has lost it
 */
export type Stored =
  | { readonly kind: 'stored'; readonly bytes: number }
  | { readonly kind: 'full' }
  | { readonly kind: 'other'; readonly rows: readonly Row[] }
  | { readonly kind: 'done' }
  | { readonly kind: 'gone' }

/**
 * All or nothing. What is stored goes into the list of the episode, which decides what its history is, and into the stream.
 * MEMORY USAGE counts a sample of a stream, so that it costs the same however long that is. Rows stand twice: hence the 2. Memory
 * is given out in sizes that are up to a quarter larger.
 */
const STORE = script(`${CLAIMS}
local state = redis.call('HGET', KEYS[1], 'state')
if state ~= 'open' and state ~= 'closing' then return {'gone'} end
if redis.call('GETBIT', KEYS[4], ARGV[1]) == 1 then return {'done'} end
local at, after, name, bound, isEnd = tonumber(ARGV[2]), ARGV[3], ARGV[4], tonumber(ARGV[5]), ARGV[6]
local count = #ARGV - 7
local function goOn()
  if isEnd == '1' then redis.call('DEL', KEYS[5]) else claim(KEYS[5], ARGV[7], at + count) end
end
local have = redis.call('LLEN', KEYS[2])
local function nameAt(place)
  return string.sub(redis.call('LINDEX', KEYS[2], place), 1, ${NAME_LENGTH})
end
local used = redis.call('MEMORY', 'USAGE', KEYS[3]) or 0
if have == at + count and nameAt(at) == name then
  goOn()
  return {'stored', used}
end
if have ~= at or (at > 0 and nameAt(at - 1) ~= after) then
  redis.call('HINCRBY', KEYS[1], 'dropped', 1)
  return {'other', redis.call('LRANGE', KEYS[2], 0, -1)}
end
local bytes = 0
for i = 8, #ARGV do bytes = bytes + 1.25 * #ARGV[i] + 200 end
if 2 * (used + bytes) > bound and redis.call('XLEN', KEYS[3]) > 0 then return {'full'} end
local entry = {'e', ARGV[1], 'at', ARGV[2], 'after', after, 'name', name}
local named = {}
for i = 8, #ARGV do
  named[#named + 1] = name .. ARGV[i]
  entry[#entry + 1] = 'row'
  entry[#entry + 1] = ARGV[i]
end
redis.call('RPUSH', KEYS[2], unpack(named))
redis.call('XADD', KEYS[3], '*', unpack(entry))
redis.call('HINCRBY', KEYS[1], 'rows', count)
if isEnd == '1' then redis.call('HINCRBY', KEYS[1], 'ended', 1) end
goOn()
return {'stored', math.floor(used + bytes)}
`)

/** Beyond this a Lua table does not fit on its stack; no episode comes near. */
const MOST_ROWS = 3000

/**
 * Stores rows if nobody else has stored others in their place.
 *
 * @param bound bytes that may wait for the collector. A single row is taken whatever its size when nothing else waits.
 */
export async function storeRows(
  redis: Redis,
  keys: RunKeys,
  { rows, bound }: { readonly rows: NewRows; readonly bound: number },
): Promise<Stored> {
  const { episode, at, after, name, lines, isEnd, player } = rows
  if (lines.length > MOST_ROWS) throw new Error(`callspec: ${lines.length} rows of one turn are too many`)
  const answer = await runScript(redis, STORE, {
    keys: [keys.meta, keys.episode(episode), keys.rows, keys.done, keys.claim(episode)],
    args: [episode, at, after, name, bound, isEnd ? 1 : 0, player, ...lines],
  })
  return storedOf(answer)
}

function storedOf(answer: unknown): Stored {
  const [kind, more] = answer as readonly [string, unknown]
  switch (kind) {
    case 'stored':
      return { kind, bytes: Number(more) }
    case 'other':
      return { kind, rows: (more as readonly string[]).map(readRow) }
    case 'full':
    case 'done':
    case 'gone':
      return { kind }
    default:
      throw new Error(`callspec: the script answered ${kind}`)
  }
}
