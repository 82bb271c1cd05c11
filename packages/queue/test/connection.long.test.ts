import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { connect } from '../src/redis/connect.ts'
import { projectKeys, runKeys } from '../src/redis/keys.ts'
import { startChild } from './helpers/children.ts'
import { startCollector } from './helpers/collected.ts'
import { startModelServer } from './helpers/model-server.ts'
import type { ModelServer } from './helpers/model-server.ts'
import { madeTls, NO_REDIS, startRedis } from './helpers/redis.ts'
import type { RedisServer } from './helpers/redis.ts'
import {
  CALLSPEC,
  latest,
  planned,
  settled,
  startWorker,
  summaryIn,
  temporaryFolder,
  undisturbed,
} from './helpers/work.ts'

/** As where msgpackr-extract was not built. */
const WITHOUT_NATIVE = `data:text/javascript,${encodeURIComponent(`import Module from 'node:module'
const load = Module._load
Module._load = function (request, ...rest) {
  if (request.includes('msgpackr-extract')) throw new Error('it was not built')
  return load.call(this, request, ...rest)
}`)}`
const SCALE = new URL('../../../docs/scale.md', import.meta.url)

async function started(settings: readonly string[]): Promise<RedisServer> {
  const redis = await startRedis(settings)
  onTestFinished(() => redis.stop())
  return redis
}

describe.skipIf(NO_REDIS !== null)(`a run over a queue (${NO_REDIS ?? 'real Redis'})`, () => {
  let models: ModelServer
  let alone: string
  const config = (): ReturnType<typeof planned> => planned(models.baseUrl)
  beforeAll(async () => {
    models = await startModelServer()
  })
  afterAll(() => models.close())

  /** What a run comes to at this address. */
  const summaryAt = async (url: string): Promise<string> => {
    alone = await undisturbed(config())
    const collector = startCollector(config(), url)
    const worker = startWorker(url, models.baseUrl)
    const failure = await collector.ended
    worker.drain.abort()
    await worker.ended
    return failure === null ? summaryIn(collector.folder()) : String(failure)
  }

  it('speaks TLS only with a server whose certificate is trusted; also without a native msgpackr', async (context) => {
    const tls = await madeTls(temporaryFolder())
    if (tls === null) return context.skip('no openssl, or a Redis without TLS')
    await started(tls.settings)
    const url = `rediss://127.0.0.1:${tls.port}/0`
    const reports = temporaryFolder()
    const trusting = { env: { NODE_EXTRA_CA_CERTS: tls.certificate }, flags: ['--import', WITHOUT_NATIVE] }
    const wanted = await undisturbed(config())

    const refused = await connect({ url, prefix: 'test' }).catch(String)
    const collector = startChild(
      'collector',
      { config: { ...config(), reports }, url, resume: null, slowMs: 0 },
      trusting,
    )
    const worker = { url, baseUrl: models.baseUrl, concurrency: 8, callspec: CALLSPEC, skewMs: 0, keep: true }
    const working = startChild('worker', worker, trusting)
    const ended = await collector.ended
    working.process.kill('SIGTERM')
    await working.ended

    expect(refused).toBe(
      `RunError: ${url} shows a certificate that is not trusted (self-signed certificate). NODE_EXTRA_CA_CERTS=FILE names the one that signed it.`,
    )
    expect(ended).toEqual({ code: 0, said: '' })
    expect(settled(summaryIn(latest(reports)))).toBe(settled(wanted))
  })

  it('needs only the rights of an ACL user in docs/scale.md, and reports missing ones', async () => {
    const [, listed = '', on = ''] = /`(\+@read [^`]+)`\non the keys `([^`]+)`/.exec(readFileSync(SCALE, 'utf8')) ?? []
    const rights = `${listed} ${on.replaceAll('PREFIX', 'test')}`
    const redis = await started([])
    await redis.client.call('ACL', 'SETUSER', 'runner', 'on', '>secret', ...rights.split(' '))
    await redis.client.call('ACL', 'SETUSER', 'guest', 'on', '>secret', '+@connection', '+info')
    const at = (user: string): string => redis.url.replace('//', `//${user}:secret@`)

    const said = await connect({ url: at('guest'), prefix: 'test' }).catch(String)
    const other = await connect({ url: at('runner'), prefix: 'others' }).catch(String)
    const found = await summaryAt(at('runner'))

    expect(settled(found)).toBe(settled(alone))
    for (const text of [said, other])
      expect(text).toMatch(
        /^RunError: redis:\/\/\[redacted\]@127\.0\.0\.1:\d+\/0 does not let this user do what is needed/,
      )
  })

  it('keeps all its keys in one slot of a cluster', async () => {
    const redis = await started(['--cluster-enabled', 'yes'])
    await redis.client.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383)
    while (!String(await redis.client.call('CLUSTER', 'INFO')).includes('cluster_state:ok')) await redis.client.ping()

    const found = await summaryAt(redis.url)

    const [project, run] = [projectKeys('test'), runKeys('test', 'r')]
    const { meta, manifest, suite, rows, done, collector, builds } = run
    const all = [meta, manifest, suite, rows, done, collector, builds, run.episode(1), run.claim(1)]
    const names = [`${project.jobs}:chunks:wait`, project.run, project.workers, ...all]
    const slots = await Promise.all(names.map((name) => redis.client.call('CLUSTER', 'KEYSLOT', name)))
    expect(settled(found)).toBe(settled(alone))
    expect(new Set(slots).size).toBe(1)
  })

  it('shares its Redis with runs of other prefixes, which it does not see', async () => {
    const redis = await started([])
    const collectors = ['test', 'other'].map((prefix) =>
      startCollector(config(), redis.url, { queue: { url: redis.url, prefix } }),
    )
    const one = startWorker(redis.url, models.baseUrl, { queue: { url: redis.url, prefix: 'test' } })
    const first = await collectors[0]?.ended
    const still = await redis.client.get('{other}:run')

    const two = startWorker(redis.url, models.baseUrl, { queue: { url: redis.url, prefix: 'other' } })
    const second = await collectors[1]?.ended
    for (const { drain } of [one, two]) drain.abort()
    const ends = await Promise.all([one.ended, two.ended])

    expect([first, second, typeof still]).toEqual([null, null, 'string'])
    expect(ends.map(({ counts }) => counts.episodes)).toEqual([18, 18])
  })
})
