import type { Redis } from 'ioredis'
import type { RunKeys, Row } from './keys.ts'
import { NAME_LENGTH, readRow, runScript, script } from './keys.ts'

/** A player that wants to request the next turn after the rows that it knows. */
export interface Asking {
  readonly episode: number
  /** An id for one play of an episode by one worker. */
  readonly player: string
  /** The number of rows that it knows, and the name of the last one. */
  readonly at: number
  readonly after: string
}

/**
 * The result of a claim.
 *
 * - `yours`: the player may request the turn, no other one does for a while
 * - `claimed`: another player has the claim for `leftMs`
 * - `other`: Redis has other rows, given here in full; the player may continue from them
 * - `done`: the journal has the whole episode
 * - `gone`: the run has ended, was cancelled, or is lost; or no further episode may begin
 */
export type Claim =
  | { readonly kind: 'yours' }
  | { readonly kind: 'claimed'; readonly leftMs: number }
  | { readonly kind: 'other'; readonly rows: readonly Row[] }
  | { readonly kind: 'done' }
  | { readonly kind: 'gone' }

/**
 * How long a claim lasts: longer than an overloaded machine needs from the claim to the request, and about as long as it takes until
 * another worker takes the chunk of a killed one. A reply may take longer: if the first worker has lost its lease, a second one then
 * makes the same request.
 */
export const CLAIM_MS = 15_000

/** The time until an expired claim is deleted. */
const FORGET_MS = 600_000

/**
 * Defines `claim(key, player, at)` and `claimed(key)`, which returns player, place and the remaining ms, negative for an expired
 * claim. Uses the clock of Redis: those of the machines may differ.
 */
export const CLAIMS: string = `
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function claim(key, player, at)
  redis.call('SET', key, player .. ' ' .. at .. ' ' .. string.format('%.0f', now() + ${CLAIM_MS}), 'PX', ${FORGET_MS})
end
local function claimed(key)
  local player, at, till = string.match(redis.call('GET', key) or '', '^(%w+) (%d+) (%d+)$')
  if player then return player, tonumber(at), tonumber(till) - now() end
end
`

const CLAIM = script(`${CLAIMS}
local state = redis.call('HGET', KEYS[1], 'state')
if state ~= 'open' and state ~= 'closing' then return {'gone'} end
if redis.call('GETBIT', KEYS[3], ARGV[1]) == 1 then return {'done'} end
local at = tonumber(ARGV[3])
local have = redis.call('LLEN', KEYS[2])
if state == 'closing' and have == 0 then return {'gone'} end
local player, place, left = claimed(KEYS[4])
if player and player ~= ARGV[2] then
  if left > 0 then return {'claimed', left} end
  if place == have then redis.call('HINCRBY', KEYS[1], 'again', 1) end
end
claim(KEYS[4], ARGV[2], have)
if have == at and (at == 0 or string.sub(redis.call('LINDEX', KEYS[2], -1), 1, ${NAME_LENGTH}) == ARGV[4]) then return {'yours'} end
return {'other', redis.call('LRANGE', KEYS[2], 0, -1)}
`)

/** Claims the next turn of an episode. */
export async function claimTurn(redis: Redis, keys: RunKeys, { episode, player, at, after }: Asking): Promise<Claim> {
  const answer = await runScript(redis, CLAIM, {
    keys: [keys.meta, keys.episode(episode), keys.done, keys.claim(episode)],
    args: [episode, player, at, after],
  })
  const [kind, more] = answer as readonly [string, unknown]
  switch (kind) {
    case 'claimed':
      return { kind, leftMs: Math.max(0, Number(more)) }
    case 'other':
      return { kind, rows: (more as readonly string[]).map(readRow) }
    case 'yours':
    case 'done':
    case 'gone':
      return { kind }
    default:
      throw new Error(`callspec: the script answered ${kind}`)
  }
}

/** Consecutive new rows of an episode. */
export interface NewRows {
  readonly episode: number
  /** The number of earlier rows of the episode, and the name of the last of them. */
  readonly at: number
  readonly after: string
  /** The common name of these rows, of `NAME_LENGTH` digits. */
  readonly name: string
  readonly lines: readonly string[]
  /** Whether the last of them ends the episode. */
  readonly isEnd: boolean
  /** The player that stores them and may request the next turn. */
  readonly player: string
}

/**
 * The result of storing rows.
 *
 * - `stored`: the rows are stored, by this or an earlier attempt; `bytes` wait in the stream
 * - `full`: too much waits for the collector; nothing was stored
 * - `other`: another player stored rows there; the episode continues from `rows`, given in full
 * - `done`: the journal has the whole episode
 * - `gone`: the run has ended, was cancelled, or is lost
 */
export type Stored =
  | { readonly kind: 'stored'; readonly bytes: number }
  | { readonly kind: 'full' }
  | { readonly kind: 'other'; readonly rows: readonly Row[] }
  | { readonly kind: 'done' }
  | { readonly kind: 'gone' }

/**
 * Stores all rows or none: in the list of the episode, which decides its history, and in the stream. MEMORY USAGE takes a sample of
 * the stream, so its cost does not grow. Every row is stored twice: hence the 2. Memory is allocated in sizes that are up to a
 * quarter larger.
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

/** A larger Lua table does not fit on the stack; no episode comes near. */
const MOST_ROWS = 3000

/**
 * Stores rows, unless another player has stored others at their place.
 *
 * @param bound the number of bytes that may wait for the collector. A row of any size is accepted if nothing else waits.
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
