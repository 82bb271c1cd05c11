import type { Redis } from 'ioredis'
import type { RunKeys } from './keys.ts'
import { NAME_LENGTH } from './rows.ts'
import { runScript, script } from './script.ts'

/** An episode, and how many of its rows the journal has. */
export interface Known {
  readonly episode: number
  readonly rows: number
}

/** What the stream is full of is resent at another time: hence the bound. */
const RESEND = script(`
local sent = 0
for i = 2, #ARGV, 2 do
  local list, known = KEYS[i / 2 + 1], tonumber(ARGV[i + 1])
  local rows = redis.call('LRANGE', list, known, -1)
  if #rows > 0 then
    if 2 * (redis.call('MEMORY', 'USAGE', KEYS[1]) or 0) > tonumber(ARGV[1]) then return sent end
    local after = ''
    if known > 0 then after = string.sub(redis.call('LINDEX', list, known - 1), 1, ${NAME_LENGTH}) end
    local name = string.sub(rows[#rows], 1, ${NAME_LENGTH})
    local entry = {'e', ARGV[i], 'at', ARGV[i + 1], 'after', after, 'name', name}
    for _, row in ipairs(rows) do
      entry[#entry + 1] = 'row'
      entry[#entry + 1] = string.sub(row, ${NAME_LENGTH} + 1)
    end
    redis.call('XADD', KEYS[1], '*', unpack(entry))
    sent = sent + 1
  end
end
return sent
`)

/** So many episodes at once: Redis does nothing else meanwhile. */
const BATCH = 200

/**
 * Puts rows into the stream that Redis has and the journal has not: their entry was lost, or was taken for one of another history.
 * Nobody would store them again.
 *
 * @param bound bytes that may wait for the collector
 * @returns of how many episodes
 */
export async function resendRows(
  redis: Redis,
  keys: RunKeys,
  { known, bound }: { readonly known: readonly Known[]; readonly bound: number },
): Promise<number> {
  let sent = 0
  for (let at = 0; at < known.length; at += BATCH) {
    const batch = known.slice(at, at + BATCH)
    const answer = await runScript(redis, RESEND, {
      keys: [keys.rows, ...batch.map(({ episode }) => keys.episode(episode))],
      args: [bound, ...batch.flatMap(({ episode, rows }) => [episode, rows])],
    })
    sent += Number(answer)
  }
  return sent
}
