import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { runEval } from '@callspec/eval'
import { describe, expect, it, onTestFinished } from 'vitest'
import { cancelRun, setPaused } from '../src/control.ts'
import { evaluateOverQueue } from '../src/evaluate.ts'
import { checkAddress, shownAddress, connect } from '../src/redis/connect.ts'
import { NO_REDIS, startRedis } from './helpers/redis.ts'
import { sharedServers } from './helpers/shared-servers.ts'
import { latest, planned, startWorker, temporaryFolder } from './helpers/work.ts'

const saidOf = async (act: () => Promise<unknown>): Promise<string> => {
  try {
    await act()
    return 'nothing was wrong'
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  }
}

/** Says that it is a Redis of this version. */
async function redisOfVersion(version: string, policy = 'noeviction'): Promise<string> {
  const info = `redis_version:${version}\r\nloading:0\r\nmaxmemory_policy:${policy}\r\n`
  const server = createServer((socket) => {
    socket.on('data', (data) => {
      for (const _ of data.toString('utf8').matchAll(/\binfo\r\n/gi)) socket.write(`$${info.length}\r\n${info}\r\n`)
      for (const _ of data.toString('utf8').matchAll(/\b(?:client|select)\r\n/gi)) socket.write('+OK\r\n')
      for (const _ of data.toString('utf8').matchAll(/\bget\r\n/gi)) socket.write('$-1\r\n')
    })
    socket.on('error', () => {})
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('an address of a queue', () => {
  it('must be that of a Redis, and is shown without user and password', () => {
    for (const url of ['redis://h', 'redis://h/0', 'rediss://u:p@h:6380/12'])
      expect(() => checkAddress({ url, prefix: 'p' })).not.toThrow()
    for (const url of ['', 'h', 'http://h', 'redis:/foo', 'redis://', 'redis://h/name', 'redis://u:geheim@'])
      expect(() => checkAddress({ url, prefix: 'p' })).toThrow(/^(?!.*geheim).+$/)
    expect(shownAddress('rediss://me:top@secret@host:1/2?x=1')).toBe('rediss://[redacted]@host:1/2')
  })

  it('has a prefix of letters, digits, dots, dashes and underscores', () => {
    expect(() => checkAddress({ url: 'redis://h', prefix: 'a{b}' })).toThrow('the prefix "a{b}" must be')
  })
})

describe('a queue that cannot be used', () => {
  it('leads to a message of one line if Redis does not answer or is too old', async () => {
    const old = await redisOfVersion('5.0.14')

    expect(await saidOf(() => connect({ url: 'redis://127.0.0.1:1', prefix: 'p' }))).toBe(
      'RunError: redis://127.0.0.1:1 refused the connection. Is Redis running there?',
    )
    expect(await saidOf(() => connect({ url: old, prefix: 'p' }))).toBe(
      `RunError: ${old} is Redis 5.0.14; 6.2 or newer is needed`,
    )
  })

  it('leads to a warning if Redis may delete keys', async () => {
    const url = await redisOfVersion('7.0.0', 'allkeys-lru')

    const { warnings, close } = await connect({ url, prefix: 'p' })

    expect(warnings).toEqual([
      `${url} deletes keys when its memory is full (maxmemory-policy allkeys-lru), and with them paid replies: set "maxmemory-policy noeviction"`,
    ])
    close()
  })
})

describe.skipIf(NO_REDIS !== null)(`a queue (${NO_REDIS ?? 'real Redis'})`, () => {
  const servers = sharedServers()
  const { queue } = servers

  it('refuses a wrong password, which no message shows', async () => {
    const locked = await startRedis(['--requirepass', 'open-sesame'])
    onTestFinished(() => locked.stop())
    const url = locked.url.replace('//', '//:wrong-guess@')

    const said = await saidOf(() => connect({ url, prefix: 'p' }))
    const none = await saidOf(() => connect({ url: locked.url, prefix: 'p' }))
    const right = await connect({ url: locked.url.replace('//', '//:open-sesame@'), prefix: 'p' })

    expect(said).toBe(
      `RunError: redis://[redacted]@127.0.0.1:${locked.port}/0 refuses the password. Is it right, and does the user exist?`,
    )
    expect(none).toContain('refuses the password')
    right.close()
  })

  it('has one run per name: another run is refused at the start', async () => {
    const config = planned(servers.models.baseUrl)
    const stop = new AbortController()
    const first = evaluateOverQueue({ ...config, reports: temporaryFolder() }, { queue: queue(), signal: stop.signal })
    while ((await servers.redis.client.get('{test}:run')) === null)
      await new Promise((resolve) => setTimeout(resolve, 20))
    const reports = temporaryFolder()

    const said = await saidOf(() => evaluateOverQueue({ ...config, seed: 5, reports }, { queue: queue() }))
    stop.abort()
    await first.catch(() => {})
    await cancelRun(queue())

    expect(said).toMatch(/^RunError: the queue has another run \([0-9a-f]{16}\)\. Wait for it, end it with/)
    expect(await import('node:fs').then(({ readdirSync }) => readdirSync(reports))).toEqual([])
    expect((await servers.redis.keysOf('*')).length).toBe(0)
  })

  it('is not touched for a folder of another plan', async () => {
    const reports = temporaryFolder()
    await runEval({ ...planned(servers.models.baseUrl), reports })
    const resume = { folder: latest(reports) }
    const before = await servers.redis.client.dbsize()

    const said = await saidOf(() =>
      evaluateOverQueue({ ...planned(servers.models.baseUrl, { seed: 5 }), reports }, { queue: queue(), resume }),
    )

    expect(said).toBe(
      `RunError: ${resume.folder} cannot go on, the plan is another one: seed: 0 there, 5 here. Start a new run.`,
    )
    expect(await servers.redis.client.dbsize()).toBe(before)
  })

  it('refuses a worker of another version', async () => {
    const stop = new AbortController()
    const run = evaluateOverQueue(
      { ...planned(servers.models.baseUrl), reports: temporaryFolder() },
      { queue: queue(), signal: stop.signal },
    )
    while ((await servers.redis.keysOf('meta')).length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    await new Promise((resolve) => setTimeout(resolve, 200))

    const said = await saidOf(() => startWorker(servers.redis.url, servers.models.baseUrl, { callspec: '9.9.9' }).ended)
    stop.abort()
    await run.catch(() => {})
    await cancelRun(queue())

    expect(said).toMatch(/^RunError: the run was begun with callspec \d\S+, this is 9\.9\.9: install the same version/)
  })

  it('cannot be paused without a run', async () => {
    expect(await saidOf(() => setPaused(queue(), true))).toBe(
      'RunError: the queue test has no run. Is it the right --queue and CALLSPEC_QUEUE_PREFIX?',
    )
  })
})
