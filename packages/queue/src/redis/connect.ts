import { RunError } from '@callspec/eval/worker-parts'
import { Redis } from 'ioredis'
import type { RedisOptions } from 'ioredis'
import { checkAddress, shownAddress } from './address.ts'
import type { QueueAddress } from './address.ts'
import { projectKeys } from './keys.ts'

/** A connection that is there. */
export interface Connection {
  readonly redis: Redis
  /** What a user should change in Redis, one sentence each. */
  readonly warnings: readonly string[]
  /** Another connection of the same kind, such as for a command that waits. */
  another(): Redis
  close(): void
}

/** Scripts and streams as they are used here work from this version on. */
const OLDEST = [6, 2] as const

const FIRST_TRY_MS = 10_000
/** A connection over which nothing came for so long, though something was asked, is dead. */
const SILENCE_MS = 15_000
const LONGEST_GAP_MS = 2000

/**
 * Connects to Redis and looks at what it is. Once it has answered, a connection that breaks is made again for as long as it
 * takes, and what was under way is sent again.
 *
 * @throws RunError when nobody answers, the password is wrong, or the version is too old
 */
export async function connect(address: QueueAddress): Promise<Connection> {
  checkAddress(address)
  let [isProven, isClosed] = [false, false]
  const all: Redis[] = []
  const options: RedisOptions = {
    lazyConnect: true,
    maxRetriesPerRequest: null,
    enableAutoPipelining: true,
    connectTimeout: FIRST_TRY_MS,
    socketTimeout: SILENCE_MS,
    retryStrategy: (times) => (isProven && !isClosed ? Math.min(LONGEST_GAP_MS, 50 * 2 ** Math.min(times, 10)) : null),
  }
  const open = (): Redis => {
    const redis = new Redis(address.url, options)
    // It is told to whoever waits for an answer; here nobody can do anything about it.
    redis.on('error', () => {})
    all.push(redis)
    return redis
  }
  const close = (): void => {
    isClosed = true
    for (const redis of all) {
      // ioredis refuses commands that wait only after the next try to connect, which a disconnect would cancel.
      if (redis.status === 'reconnecting') redis.once('connect', () => redis.disconnect())
      else redis.disconnect()
    }
  }
  try {
    const redis = open()
    const warnings = await lookAt(redis, address)
    isProven = true
    return { redis, warnings, another: open, close }
  } catch (error) {
    close()
    throw error
  }
}

/** A line that the user can act on for a key of the queue that holds another kind of value than callspec writes; any other error as it is. */
export function asForeign(error: unknown, { url, prefix }: QueueAddress): unknown {
  if (!(error instanceof Error) || !/\bWRONGTYPE\b/.test(error.message)) return error
  return new RunError(
    `a key of the queue ${prefix} in ${shownAddress(url)} holds a value that callspec did not write. Delete the keys that begin with {${prefix}}, or take another --queue-prefix.`,
  )
}

const LOOK_MS = 200

/**
 * After a signal, closes the connection when Redis is unavailable: commands that wait for it are refused then.
 *
 * @param isIdle whether nothing else is waited for
 */
export function endWith(connection: Connection, signal: AbortSignal | undefined, isIdle = (): boolean => true): void {
  const end = (): void => {
    if (connection.redis.status !== 'ready' && isIdle()) connection.close()
    else setTimeout(end, LOOK_MS).unref()
  }
  if (signal?.aborted === true) end()
  else signal?.addEventListener('abort', end, { once: true })
}

async function lookAt(redis: Redis, { url, prefix }: QueueAddress): Promise<readonly string[]> {
  const shown = shownAddress(url)
  let failure: unknown = null
  const keepFailure = (error: unknown): void => {
    failure ??= error
  }
  redis.on('error', keepFailure)
  try {
    await redis.connect()
    const info = await redis.info()
    checkVersion(info, shown)
    // Whether this user may read here, and whether a cluster has the keys of the project elsewhere.
    await redis.get(projectKeys(prefix).run)
    return policyWarning(info, shown)
  } catch (error) {
    if (error instanceof RunError) throw error
    throw cannotConnect(failure ?? error, shown)
  } finally {
    redis.off('error', keepFailure)
  }
}

function checkVersion(info: string, shown: string): void {
  // Valkey gives the version of Redis that it is compatible with, too.
  const version = /^redis_version:(\S+)/m.exec(info)?.[1] ?? 'unknown'
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isOld = !(major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]))
  if (isOld) throw new RunError(`${shown} is Redis ${version}; ${OLDEST.join('.')} or newer is needed`)
}

function policyWarning(info: string, shown: string): readonly string[] {
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'noeviction'
  if (policy === 'noeviction') return []
  return [
    `${shown} throws keys away when its memory is full (maxmemory-policy ${policy}), and with them replies that were paid for: set "maxmemory-policy noeviction"`,
  ]
}

function cannotConnect(error: unknown, shown: string): RunError {
  const said = messageOf(error)
  if (/WRONGPASS|NOAUTH|invalid password|without any password/i.test(said))
    return new RunError(`${shown} refuses the password. Is it right, and does the user exist?`)
  const place = /^MOVED \d+ (\S+)/.exec(said)?.[1]
  if (place !== undefined)
    return new RunError(`${shown} is a node of a cluster, and the keys of this prefix are at ${place}: name that one.`)
  if (/certificate|altnames/i.test(said))
    return new RunError(
      `${shown} shows a certificate that is not trusted (${said}). NODE_EXTRA_CA_CERTS=FILE names the one that signed it.`,
    )
  if (/NOPERM/.test(said))
    return new RunError(`${shown} does not let this user do what is needed (${said}). docs/scale.md lists the rights.`)
  if (/ECONNREFUSED/.test(said)) return new RunError(`${shown} refused the connection. Is Redis running there?`)
  if (said.startsWith('Protocol error'))
    return new RunError(`${shown} does not answer as a Redis does. Is the port right, and is it redis:// or rediss://?`)
  if (/ENOTFOUND|EAI_AGAIN/.test(said)) return new RunError(`${shown} has no address. Is the host name right?`)
  return new RunError(`${shown} cannot be used (${said}). Is it a Redis, and is redis:// or rediss:// right?`)
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.replaceAll(/\s+/g, ' ').slice(0, 160)
}
