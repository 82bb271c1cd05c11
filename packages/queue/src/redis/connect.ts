import { REDACTED, redact, RunError } from '@callspec/eval/worker-parts'
import type { RedisOptions } from 'ioredis'
import { Redis } from 'ioredis'
import { projectKeys } from './keys.ts'
import { setTimeout as pause } from 'node:timers/promises'

/** Where a queue is. */
export interface QueueAddress {
  /** `redis://`, or `rediss://` with TLS. May hold a user and a password. */
  readonly url: string
  /** What all keys of a project begin with: projects that share a Redis do not see each other. */
  readonly prefix: string
}

/** The project where none is named. */
export const DEFAULT_PREFIX = 'callspec'

/** @throws RunError for what is no address of a Redis, or no prefix; never with a password */
export function checkAddress({ url, prefix }: QueueAddress): void {
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed === null || !/^rediss?:$/.test(parsed.protocol) || parsed.hostname === '')
    throw new RunError(
      `${JSON.stringify(shownAddress(url))} is no address of a Redis. Give one such as redis://127.0.0.1/0, or rediss:// with TLS`,
    )
  if (!/^(?:\/\d{0,5})?$/.test(parsed.pathname))
    throw new RunError(`${shownAddress(url)} names no database: behind the host stands its number, such as /0`)
  if (!/^[\w.-]{1,64}$/.test(prefix))
    throw new RunError(
      `the prefix ${JSON.stringify(redact(prefix).slice(0, 64))} must be 1 to 64 letters, digits, dots, dashes and underscores`,
    )
}

/** The address without user and password. */
export function shownAddress(url: string): string {
  const at = url.lastIndexOf('@')
  const scheme = /^[a-z]+:\/\//i.exec(url)?.[0] ?? ''
  const host = (at < 0 ? url.slice(scheme.length) : url.slice(at + 1)).replace(/[?#].*$/s, '')
  return at < 0 ? `${scheme}${host}` : `${scheme}${REDACTED}@${host}`
}

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

/** Redis has had no room for new data for longer than is waited for. */
export class RedisFull extends Error {
  constructor() {
    super(`Redis had no room for ${FULL_PATIENCE_MS / 60_000} minutes. ${ROOM_ADVICE}`)
    this.name = 'RedisFull'
  }
}

/** What to do where Redis is full. */
export const ROOM_ADVICE = 'Raise its maxmemory, or delete other keys there.'

/** So long a Redis that is full is waited for. */
export const FULL_PATIENCE_MS = 600_000

/** Whether Redis refused a command because its memory is full. Of a refused transaction the cause is in `previousErrors`. */
export function isFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (/\bOOM command not allowed/.test(error.message)) return true
  const causes: unknown = 'previousErrors' in error ? error.previousErrors : []
  return Array.isArray(causes) && causes.some(isFull)
}

/** Sends commands again for as long as Redis has no room for what they write. */
export interface Room {
  /**
   * What `act` gives back.
   *
   * @throws RedisFull when there was no room for too long, and what the signal was aborted with
   */
  wait<T>(act: () => Promise<T>): Promise<T>
}

/** How a full Redis is waited for. */
export interface RoomOptions {
  readonly signal: AbortSignal
  /** Is called once, when Redis is full for the first time. */
  readonly onFull: () => void
  readonly patienceMs?: number | undefined
}

/** Redis has room until it refuses a command. */
export function createRoom({ signal, onFull, patienceMs = FULL_PATIENCE_MS }: RoomOptions): Room {
  let hasSaid = false
  return {
    wait: async (act) => {
      for (const began = performance.now(); ;) {
        try {
          return await act()
        } catch (error) {
          if (!isFull(error)) throw error
        }
        if (!hasSaid) onFull()
        hasSaid = true
        if (performance.now() - began >= patienceMs) throw new RedisFull()
        await pause(LOOK_MS, undefined, { signal })
      }
    },
  }
}
