import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { RunError } from '@callspec/eval/worker-parts'
import type { Redis } from 'ioredis'
import { runScript, script } from './script.ts'

/** The right to collect a run, held by one process at a time, wherever it is. */
export interface Lease {
  /** What Redis holds while it is ours. */
  readonly token: string
  /** Keeps it for a while longer. @returns false when another one has it */
  renew(): Promise<boolean>
  release(): Promise<void>
}

/** How long a holder that is not heard of keeps it. */
const HELD_MS = 10_000
const TRY_AGAIN_MS = 500

/** A full Redis refuses SET, but not after a DEL of the same script: who collects makes room, and must not lose the lease. */
const RENEW = script(`
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`)

const RELEASE = script(`if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return 1`)

/**
 * Takes the lease; one that a killed process left behind is waited for.
 *
 * @throws RunError when another process keeps it
 */
export async function takeLease(redis: Redis, key: string, signal: AbortSignal): Promise<Lease> {
  const token = JSON.stringify({ host: hostname(), pid: process.pid, token: randomUUID() })
  const renew = async (): Promise<boolean> =>
    (await runScript(redis, RENEW, { keys: [key], args: [token, HELD_MS] })) === 1
  let first: string | null = null
  for (let waited = 0; !(await renew()); waited += TRY_AGAIN_MS) {
    first ??= await redis.get(key)
    if (waited > HELD_MS + TRY_AGAIN_MS) throw heldBy(first ?? '{}')
    await pause(TRY_AGAIN_MS, undefined, { signal })
  }
  return {
    token,
    renew,
    release: async () => void (await runScript(redis, RELEASE, { keys: [key], args: [token] })),
  }
}

function heldBy(text: string): RunError {
  const { host, pid } = holderOf(text)
  return new RunError(`the run is being collected by process ${pid} on ${host}. Wait for it or end it.`)
}

function holderOf(text: string): { readonly host: string; readonly pid: number } {
  try {
    const { host, pid } = JSON.parse(text) as { readonly host: unknown; readonly pid: unknown }
    return { host: String(host).slice(0, 100), pid: Number(pid) }
  } catch {
    return { host: 'another machine', pid: 0 }
  }
}
