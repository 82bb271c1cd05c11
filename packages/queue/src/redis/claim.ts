import type { Redis } from 'ioredis'
import type { RunKeys } from './keys.ts'
import { NAME_LENGTH, readRow } from './rows.ts'
import type { Row } from './rows.ts'
import { runScript, script } from './script.ts'

/** Who is to ask what follows the rows that it knows. */
export interface Asking {
  readonly episode: number
  /** One play of an episode by one worker. */
  readonly player: string
  /** How many rows it knows, and the name of the last of them. */
  readonly at: number
  readonly after: string
}

/**
 * What came of wanting to ask.
 *
 * - `yours`: nobody else asks for a while, and the rows are those that are known
 * - `claimed`: somebody else may be asking for the same, for so long
 * - `other`: there are other rows, all of which are here; who goes on from them may ask for a while
 * - `done`: the journal has the whole episode
 * - `gone`: the run is over, was cancelled, or Redis has lost it; or it begins no further episodes
 */
export type Claim =
  | { readonly kind: 'yours' }
  | { readonly kind: 'claimed'; readonly leftMs: number }
  | { readonly kind: 'other'; readonly rows: readonly Row[] }
  | { readonly kind: 'done' }
  | { readonly kind: 'gone' }

/**
 * How long a claim lasts: longer than an overloaded machine needs from the claim to the request, and about as long as it takes until
 * the chunk of a killed worker goes to another one. A reply may take longer: a second worker that is there only because the first
 * one lost its lease then asks, too.
 */
export const CLAIM_MS = 15_000

/** After so long a claim that nobody has taken over is forgotten. */
const FORGET_MS = 600_000

/**
 * Defines `claim(key, player, at)` and `claimed(key)`, which gives player, place and the ms that are left, below 0 where it is over.
 * By the clock of Redis: those of the machines may differ.
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

/** Looks at an episode, and claims what comes next of it. */
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
