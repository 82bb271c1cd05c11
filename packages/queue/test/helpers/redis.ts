import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Redis } from 'ioredis'

/** Why tests that need a Redis are skipped; null where there is one. */
export const NO_REDIS: string | null =
  spawnSync('redis-server', ['--version']).status === 0 ? null : 'no redis-server is installed'

/** A Redis of its own, in a folder of its own. */
export interface RedisServer {
  readonly url: string
  readonly port: number
  /** Is gone with the server. */
  readonly folder: string
  /** A connection for looking; closed with the server. */
  readonly client: Redis
  /** The keys of runs of the project `test` that end so. */
  keysOf(name: string): Promise<readonly string[]>
  /** Ends it without a warning, and starts it again on the same port and folder. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Starts a Redis on a free port. @param settings further ones, such as `['--appendonly', 'yes']` */
export async function startRedis(settings: readonly string[] = []): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'callspec-redis-'))
  const port = await freePort()
  const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--loglevel', 'warning']
  const start = async (): Promise<ChildProcess> => {
    const child = spawn('redis-server', [...own, '--maxmemory-policy', 'noeviction', ...settings], { stdio: 'ignore' })
    const url = `redis://127.0.0.1:${port}`
    for (let tries = 0; !(await answers(url)); tries += 1) {
      if (tries > 200 || child.exitCode !== null) throw new Error('redis-server does not start')
      await pause(50)
    }
    return child
  }
  let child = await start()
  const end = async (): Promise<void> => {
    const ended = once(child, 'close')
    child.kill('SIGKILL')
    await ended
  }
  const client = new Redis(`redis://127.0.0.1:${port}`, { maxRetriesPerRequest: null, lazyConnect: true })
  client.on('error', () => {})
  return {
    url: `redis://127.0.0.1:${port}/0`,
    port,
    folder,
    client,
    keysOf: (name) => client.keys(`{test}:${'?'.repeat(16)}:${name}`),
    restart: async () => {
      await end()
      child = await start()
    },
    stop: async () => {
      client.disconnect()
      await end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Whether it has loaded what it has. One that wants a password is there as well. */
async function answers(url: string): Promise<boolean> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, enableReadyCheck: false })
  redis.on('error', () => {})
  try {
    await redis.connect()
    return (await redis.ping()) === 'PONG'
  } catch (error) {
    return error instanceof Error && /NOAUTH|NOPERM/.test(error.message)
  } finally {
    redis.disconnect()
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port === 6379 ? freePort() : port
}

/** The settings of a Redis that speaks TLS, too, with a certificate of its own. */
export interface Tls {
  readonly port: number
  readonly certificate: string
  readonly settings: readonly string[]
}

/** Makes a certificate for 127.0.0.1. @returns null where there is no openssl, or Redis was built without TLS */
export async function madeTls(folder: string): Promise<Tls | null> {
  const [certificate, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')]
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  const asked = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject]
  if (spawnSync('openssl', [...asked, '-keyout', key, '-out', certificate]).status !== 0) return null
  const port = await freePort()
  const files = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate]
  const settings = ['--tls-port', String(port), ...files, '--tls-auth-clients', 'no']
  // One that knows no TLS ends at once.
  const tried = spawnSync(
    'redis-server',
    ['--port', '0', ...settings, '--dir', folder, '--daemonize', 'no', '--save', ''],
    {
      timeout: 1000,
      killSignal: 'SIGKILL',
    },
  )
  return tried.status === null ? { port, certificate, settings } : null
}
