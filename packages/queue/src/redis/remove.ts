import type { Redis } from 'ioredis'
import type { ProjectKeys, RunKeys } from './keys.ts'
import { runScript, script } from './script.ts'

/** So long workers that come late are told that the run is over. */
const OVER_SECONDS = 600

/** Only of this run: another one may have begun. */
const FORGET = script(`
if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('DEL', KEYS[1])
  redis.call('SET', KEYS[2], ARGV[1], 'EX', ${OVER_SECONDS})
end
return 1
`)

/** So many keys at once. */
const BATCH = 1000

/** Takes a run out of Redis: what workers still store of it is refused from then on. */
export async function removeRun(
  redis: Redis,
  {
    project,
    keys,
    run,
    begun,
  }: { readonly project: ProjectKeys; readonly keys: RunKeys; readonly run: string; readonly begun: readonly number[] },
): Promise<void> {
  // First of all: without its state a run takes nothing any more.
  await redis.del(keys.meta)
  for (let at = 0; at < begun.length; at += BATCH)
    await redis.unlink(...begun.slice(at, at + BATCH).flatMap((each) => [keys.episode(each), keys.claim(each)]))
  const { manifest, suite, rows, done, builds, servers } = keys
  await redis.unlink(manifest, suite, rows, done, builds, servers)
  await runScript(redis, FORGET, { keys: [project.run, project.over], args: [run] })
}
