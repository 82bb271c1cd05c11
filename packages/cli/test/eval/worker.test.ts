import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cancelRun } from '@callspec/queue'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startCollector } from '../../../queue/test/helpers/collected.ts'
import { NO_REDIS, startRedis } from '../../../queue/test/helpers/redis.ts'
import type { RedisServer } from '../../../queue/test/helpers/redis.ts'
import { until } from '../../../queue/test/helpers/until.ts'
import { planned, startWorker } from '../../../queue/test/helpers/work.ts'
import { folderWith } from '../helpers/folder.ts'
import { inProcessWithOldOptions as inProcess } from '../helpers/in-process.ts'

const KEY = { OPENAI_API_KEY: 'sk-of-the-worker' }

interface Answering {
  readonly port: number
  /** Method and credentials of all requests. */
  readonly requests: readonly string[]
}

/** Answers every completion. */
async function startAnswering(): Promise<Answering> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method ?? ''} ${request.headers.authorization ?? ''}`)
    request.resume()
    const message = { role: 'assistant', content: 'The answer is 7.' }
    response.end(JSON.stringify({ id: '1', model: 'tiny', choices: [{ index: 0, message, finish_reason: 'stop' }] }))
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, requests }
}

describe.skipIf(NO_REDIS !== null)(`a worker (${NO_REDIS ?? 'real Redis'})`, { timeout: 20_000 }, () => {
  let redis: RedisServer
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.stop())
  const most = (bytes: number): Promise<unknown> => redis.client.config('SET', 'maxmemory', bytes)
  const queue = (): readonly string[] => ['--queue', redis.url, '--queue-prefix', 'test']
  /** Puts a run into the queue that names this server. */
  const publish = async (port: number): Promise<{ readonly ended: Promise<Error | null> }> => {
    const collecting = startCollector(planned(`http://127.0.0.1:${port}/v1`, { tasks: ['S01'] }), redis.url)
    let hasEnded = false
    void collecting.ended.then(() => (hasEnded = true))
    await until(async () => hasEnded || (await redis.keysOf('done')).length > 0)
    return collecting
  }

  it('ends with 3 and says why where no run comes', async () => {
    const { code, stderr } = await inProcess(['worker', ...queue()], { queuePatience: { waitMs: 50 } })

    expect([code, stderr]).toEqual([
      3,
      'callspec: 0 episodes, 0 requests, 0 replies dropped\ncallspec: the worker ends: no run came into the queue within 30 seconds. Begin one with callspec eval --queue, check --queue and CALLSPEC_QUEUE_PREFIX, or wait with --keep.\n',
    ])
  })

  it('ends with 3 and says why where Redis stays full', async () => {
    const { port } = await startAnswering()
    const { ended } = await publish(port)
    await most(1)

    const { code, stderr } = await inProcess(['worker', ...queue()], { queuePatience: { fullMs: 0 } })
    await most(0)
    await cancelRun({ url: redis.url, prefix: 'test' })
    await ended

    expect([code, stderr.split('\n').filter((line) => /full|no room/.test(line))]).toEqual([
      3,
      [
        'callspec: warning: Redis is full, and this worker waits. Raise its maxmemory, or delete other keys there.',
        'callspec: the worker ends: Redis had no room for ten minutes. Raise its maxmemory, or delete other keys there.',
      ],
    ])
  })

  it('finds a run whose collector ended with 3 because Redis stayed full, and goes on by the command that it named', async () => {
    const { port } = await startAnswering()
    const cwd = folderWith({})
    const plan = ['-m', 'tiny', '--base-url', `http://127.0.0.1:${port}/v1`, '--filter', '^S01$', '-f', 'nous']
    void until(async () => (await redis.keysOf('done')).length > 0).then(() => most(1))

    const full = await inProcess(['eval', ...plan, ...queue()], { cwd, queuePatience: { fullMs: 0 } })
    await most(0)
    const command = /go on with callspec (eval --resume .+)$/m.exec(full.stderr)?.[1] ?? ''
    const worker = startWorker(redis.url, `http://127.0.0.1:${port}/v1`)
    const whole = await inProcess(command.split(' '), { cwd })
    worker.drain.abort()
    await worker.ended

    expect([full.code, whole.code]).toEqual([3, 0])
    expect(full.stderr).toContain('Redis is full and keeps its rows. Raise its maxmemory, or delete other keys')
  })

  it.each([
    ['a key', [], KEY, 'OPENAI_API_KEY'],
    ['a header', ['--header', 'x-tenant: me'], {}, 'the header x-tenant'],
    ['another server allowed', ['--allow-server', '127.0.0.1:1', '--allow-server', 'gpu1'], KEY, 'OPENAI_API_KEY'],
    ['both', ['--header', 'x-tenant: me'], KEY, 'OPENAI_API_KEY and the header x-tenant'],
  ])('that has %s asks no server which only the run in Redis names', async (_, words, env, named) => {
    const { port, requests } = await startAnswering()
    const { ended } = await publish(port)

    const { code, stdout, stderr } = await inProcess(['worker', ...queue(), ...words], { env })
    await cancelRun({ url: redis.url, prefix: 'test' })
    await ended

    expect({ code, stdout, stderr, requests: requests.length }).toEqual({
      ...{ code: 2, stdout: '', requests: 0 },
      stderr: `callspec: the run names the server http://127.0.0.1:${port}/v1, which would receive ${named} of this worker. Allow it with --allow-server 127.0.0.1:${port}, or name another one with --base-url.\n`,
    })
  })

  it('asks the servers of the run that are allowed by host, or by host and port, with its key', async () => {
    const { port, requests } = await startAnswering()
    for (const host of ['127.0.0.1', `127.0.0.1:${port}`]) {
      const before = requests.length
      const { ended } = await publish(port)

      const { code } = await inProcess(['worker', ...queue(), '--allow-server', host], { env: KEY })

      expect([code, await ended]).toEqual([0, null])
      expect(requests.slice(before)).toContain('POST Bearer sk-of-the-worker')
    }
  })

  it('that has no key and no header asks the servers of the run', async () => {
    const { port, requests } = await startAnswering()
    const { ended } = await publish(port)

    const { code } = await inProcess(['worker', ...queue()])

    expect([code, await ended]).toEqual([0, null])
    expect(requests).toContain('POST Bearer EMPTY')
  })

  it('refuses an address where --allow-server takes a host', async () => {
    const { code, stderr } = await inProcess(['worker', ...queue(), '--allow-server', 'http://gpu1:8000/v1'])

    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'callspec: --allow-server takes a host such as gpu1 or gpu1:8000, got "http://gpu1:8000/v1".\n',
    })
  })
})
