import type { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { acknowledge, seedEpisode } from '../src/redis/collector.ts'
import type { Asking, Claim, NewRows } from '../src/redis/store.ts'
import { CLAIM_MS, claimTurn, storeRows } from '../src/redis/store.ts'
import { runKeys } from '../src/redis/keys.ts'
import { NO_REDIS, startRedis } from './helpers/redis.ts'
import type { RedisServer } from './helpers/redis.ts'

const KEYS = runKeys('p', 'r')
const BOUND = 1 << 20
const [ANN, BEN] = ['aaaaaaaaaaaa', 'bbbbbbbbbbbb']

const rows = (more: Partial<NewRows> = {}): NewRows => ({
  ...{ episode: 7, at: 0, after: '', name: ANN, lines: ['{"one":1}'], isEnd: false, player: 'ann' },
  ...more,
})

describe.skipIf(NO_REDIS !== null)(`what is stored (${NO_REDIS ?? 'real Redis'})`, () => {
  let server: RedisServer
  let redis: Redis
  beforeAll(async () => {
    server = await startRedis()
    redis = server.client
  })
  afterAll(() => server.stop())
  beforeEach(async () => {
    await redis.flushall()
    await redis.hset(KEYS.meta, { state: 'open' })
  })
  const store = (given: NewRows, bound = BOUND): ReturnType<typeof storeRows> =>
    storeRows(redis, KEYS, { rows: given, bound })
  const claim = (more: Partial<Asking> = {}): Promise<Claim> =>
    claimTurn(redis, KEYS, { episode: 7, player: 'ann', at: 0, after: '', ...more })

  it('is what was stored first: the second player receives it and adds nothing', async () => {
    await store(rows())

    const second = await store(rows({ name: BEN, lines: ['{"two":2}'] }))

    expect(second).toEqual({ kind: 'other', rows: [{ name: ANN, json: '{"one":1}' }] })
    expect(await redis.xlen(KEYS.rows)).toBe(1)
    expect(await redis.hget(KEYS.meta, 'dropped')).toBe('1')
  })

  it('is stored once if the answer was lost and the worker stores again', async () => {
    await store(rows())

    const again = await store(rows())

    expect(again.kind).toBe('stored')
    expect([await redis.xlen(KEYS.rows), await redis.llen(KEYS.episode(7))]).toEqual([1, 1])
  })

  it('follows the row that its worker saw, not another one in its place', async () => {
    await store(rows({ name: BEN }))

    const mixed = await store(rows({ at: 1, after: ANN, name: ANN }))
    const whole = await store(rows({ at: 1, after: BEN, name: ANN }))

    expect([mixed.kind, whole.kind]).toEqual(['other', 'stored'])
  })

  it('is requested again if Redis has lost a row before it', async () => {
    expect(await store(rows({ at: 3, after: ANN, name: BEN }))).toEqual({ kind: 'other', rows: [] })
  })

  it('is requested by one worker at a time, until its claim expires or the episode has ended', async () => {
    const first = await claim()
    const second = await claim({ player: 'ben' })
    const again = await claim()
    await store(rows())
    const after = await claim({ player: 'ben', at: 1, after: ANN })
    await redis.set(KEYS.claim(7), 'ann 1 1')
    const free = await claim({ player: 'ben', at: 1, after: ANN })
    await store(rows({ at: 1, after: ANN, name: BEN, isEnd: true }))

    expect([first, again, free]).toEqual([{ kind: 'yours' }, { kind: 'yours' }, { kind: 'yours' }])
    expect([second, after]).toEqual([
      { kind: 'claimed', leftMs: expect.toSatisfy((ms: number) => ms > 0 && ms <= CLAIM_MS) as number },
      { kind: 'claimed', leftMs: expect.toSatisfy((ms: number) => ms > 0 && ms <= CLAIM_MS) as number },
    ])
    // Ann may have asked for what Ben asks for now.
    expect([await redis.exists(KEYS.claim(7)), await redis.hget(KEYS.meta, 'again')]).toEqual([0, '1'])
  })

  it('is returned to a player that claims the next turn and knows fewer or other rows', async () => {
    await store(rows({ lines: ['{"one":1}'] }))

    const found = [await claim(), await claim({ at: 1, after: BEN })]

    expect(found).toEqual([0, 1].map(() => ({ kind: 'other', rows: [{ name: ANN, json: '{"one":1}' }] })))
  })

  it('leaves a mark when the journal has it: rows of the episode are no longer read or stored', async () => {
    await store(rows({ isEnd: true }))
    await redis.set(KEYS.collector, 'mine')
    const [entry] = await redis.xrange(KEYS.rows, '-', '+')

    await acknowledge(redis, KEYS, { token: 'mine', written: { entries: [entry?.[0] ?? ''], ended: [7] } })

    expect(await claim()).toEqual({ kind: 'done' })
    expect(await store(rows({ name: BEN }))).toEqual({ kind: 'done' })
    expect([await redis.exists(KEYS.episode(7)), await redis.xlen(KEYS.rows)]).toEqual([0, 0])
  })

  it('is not removed by a collector that lost its lease', async () => {
    await store(rows({ isEnd: true }))
    await redis.set(KEYS.collector, 'theirs')
    const [entry] = await redis.xrange(KEYS.rows, '-', '+')

    const isOurs = await acknowledge(redis, KEYS, {
      token: 'mine',
      written: { entries: [entry?.[0] ?? ''], ended: [7] },
    })

    expect(isOurs).toBe(false)
    expect([await redis.exists(KEYS.episode(7)), await redis.xlen(KEYS.rows)]).toEqual([1, 1])
  })

  it('is refused for a run that has ended or was cancelled', async () => {
    await redis.hset(KEYS.meta, 'state', 'cancelled')

    expect([await store(rows()), await claim()]).toEqual([{ kind: 'gone' }, { kind: 'gone' }])
    expect(await redis.exists(KEYS.episode(7))).toBe(0)
  })

  it('stays below the bound for rows of any size, except a row that comes when nothing waits', async () => {
    const long = `{"text":"${'x'.repeat(1_000_000)}"}`
    const kinds: string[] = []
    for (let episode = 0; episode < 12; episode += 1)
      kinds.push((await store(rows({ episode, lines: [long] }), 8 << 20)).kind)
    const lists = await Promise.all(kinds.map((_, episode) => redis.memory('USAGE', KEYS.episode(episode))))
    const used = lists.reduce<number>((sum, bytes) => sum + (bytes ?? 0), (await redis.memory('USAGE', KEYS.rows)) ?? 0)

    expect(kinds.filter((kind) => kind === 'full').length).toBeGreaterThan(5)
    expect(used).toBeLessThan(8 << 20)
    await redis.flushall()
    await redis.hset(KEYS.meta, { state: 'open' })
    expect((await store(rows({ lines: [long] }), 1000)).kind).toBe('stored')
  })

  it('is restored from the journal if Redis has fewer or other rows, and kept if it has more', async () => {
    const seed = (lines: readonly string[]): Promise<string> =>
      seedEpisode(redis, KEYS, { episode: 7, name: BEN, lines })
    await store(rows({ lines: ['{"one":1}', '{"two":2}', '{"three":3}'] }))

    const kept = await seed(['{"one":1}', '{"two":2}'])
    const other = await seed(['{"one":1}', '{"two":"else"}'])

    expect([kept, other]).toEqual([ANN, BEN])
    expect(await redis.lrange(KEYS.episode(7), 0, -1)).toEqual([`${BEN}{"one":1}`, `${BEN}{"two":"else"}`])
  })
})
