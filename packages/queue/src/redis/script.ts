import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'

/** A Lua script: Redis runs it as a whole, or not at all. */
export interface Script {
  readonly sha: string
  readonly text: string
}

/** A script and the name under which Redis remembers it. */
export function script(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

/** What a script is given. */
export interface ScriptInput {
  readonly keys: readonly string[]
  readonly args: readonly (string | number)[]
}

/** Runs a script; Redis is sent its text only where it has forgotten it, as after a restart. */
export async function runScript(redis: Redis, { sha, text }: Script, { keys, args }: ScriptInput): Promise<unknown> {
  try {
    return await redis.evalsha(sha, keys.length, ...keys, ...args)
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
    return redis.eval(text, keys.length, ...keys, ...args)
  }
}
