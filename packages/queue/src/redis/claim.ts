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
 * How long a claim lasts: longer than a busy machine needs from the claim to the request, and shorter than it takes until
 * the chunk of a killed worker goes to another one. A reply may take longer: a second worker that is there only because the first
 * one lost its lease then asks, too.
 */
export const CLAIM_MS = 5000

const CLAIM = script(`
local state = redis.call('HGET', KEYS[1], 'state')
if state ~= 'open' and state ~= 'closing' then return {'gone'} end
if redis.call('GETBIT', KEYS[3], ARGV[1]) == 1 then return {'done'} end
local at = tonumber(ARGV[3])
local have = redis.call('LLEN', KEYS[2])
if state == 'closing' and have == 0 then return {'gone'} end
local holder = redis.call('GET', KEYS[4])
if holder and holder ~= ARGV[2] then return {'claimed', redis.call('PTTL', KEYS[4])} end
redis.call('SET', KEYS[4], ARGV[2], 'PX', ${CLAIM_MS})
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
