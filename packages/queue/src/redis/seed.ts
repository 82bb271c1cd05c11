import type { Redis } from 'ioredis'
import type { RunKeys } from './keys.ts'
import { NAME_LENGTH } from './rows.ts'
import { runScript, script } from './script.ts'

/** Rows that stand in the journal and stay there, so that Redis has to agree with them. */
export interface Journalled {
  readonly episode: number
  /** The name that rows get which Redis does not have, or has otherwise. */
  readonly name: string
  readonly lines: readonly string[]
}

/** Rows behind those of the journal are kept where they belong to the same history. */
const SEED = script(`
local have = redis.call('LRANGE', KEYS[1], 0, #ARGV - 2)
local agrees = #have == #ARGV - 1
for i = 1, #have do
  if string.sub(have[i], ${NAME_LENGTH} + 1) ~= ARGV[i + 1] then agrees = false end
end
if agrees then
  return string.sub(have[#have], 1, ${NAME_LENGTH})
end
redis.call('DEL', KEYS[1])
for i = 2, #ARGV do redis.call('RPUSH', KEYS[1], ARGV[1] .. ARGV[i]) end
return ARGV[1]
`)

/** Puts the rows of the journal where Redis has lost them. @returns the name of the last of them, which the next row has to know */
export async function seedEpisode(redis: Redis, keys: RunKeys, journalled: Journalled): Promise<string> {
  const { episode, name, lines } = journalled
  return String(await runScript(redis, SEED, { keys: [keys.episode(episode)], args: [name, ...lines] }))
}
