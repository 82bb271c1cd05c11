import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openCache } from '../src/client/cache.ts'
import type { ChatRequest, Client } from '../src/client/client.ts'
import type { Completion } from '../src/trace/completion.ts'
import { infraError } from '../src/client/failure.ts'

const URL = 'http://me:secret@127.0.0.1:8000/v1'
const REQUEST: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'hi' }], parameters: { seed: 1 } }
const REPLY: Completion = {
  id: 'c',
  text: 'hello',
  reasoning: '',
  toolCalls: [{ id: 'a', name: 'x', arguments: '{}' }],
  finishReason: 'stop',
  usage: { prompt: 3, completion: 4, reasoning: 1 },
  ms: 12,
  chunks: [[5, 5]],
  warnings: ['no-call-id'],
  cached: false,
}

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'callspec-cache-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A client that gives one reply after the other, and counts. */
function giving(...replies: readonly Partial<Completion>[]): Client & { asked: number } {
  const client = {
    asked: 0,
    complete: async () => {
      client.asked += 1
      return { kind: 'done', attempts: 1, value: { ...REPLY, ...replies[client.asked - 1] } } as const
    },
  }
  return client
}

describe('a cache', () => {
  it('answers the same request without asking, and says so', async () => {
    const client = giving()

    const first = await openCache(folder).wrap(client, URL).complete(REQUEST)
    const cache = openCache(folder)
    const again = await cache.wrap(client, URL).complete(REQUEST)

    expect(first).toEqual({ kind: 'done', attempts: 1, value: REPLY })
    expect(again).toEqual({ kind: 'done', attempts: 0, value: { ...REPLY, cached: true } })
    expect(client.asked).toBe(1)
    expect(cache.counts()).toEqual({ hits: 1, misses: 0, stored: 0, problem: null })
  })

  it.each([
    ['sample', { ...REQUEST, sample: 1 }, URL],
    ['model', { ...REQUEST, model: 'n' }, URL],
    ['prompt', { ...REQUEST, messages: [{ role: 'user', content: 'ho' }] }, URL],
    ['parameter', { ...REQUEST, parameters: { seed: 2 } }, URL],
    ['address', REQUEST, 'http://127.0.0.1:8001/v1'],
    ['kind of prompt', { model: 'm', prompt: 'hi', parameters: { seed: 1 } }, URL],
  ])('asks for another %s', async (_, request, url) => {
    const client = giving()
    const cache = openCache(folder)
    await cache.wrap(client, URL).complete(REQUEST)

    await cache.wrap(client, url).complete(request)

    expect([client.asked, cache.counts().misses]).toEqual([2, 2])
  })

  it('takes the order of members for nothing, and a user and password in the address', async () => {
    const client = giving()
    const cache = openCache(folder)
    await cache.wrap(client, URL).complete({ ...REQUEST, parameters: { seed: 1, top_p: 1 } })

    await cache.wrap(client, 'http://you@127.0.0.1:8000/v1').complete({ ...REQUEST, parameters: { top_p: 1, seed: 1 } })

    expect(cache.counts().hits).toBe(1)
  })

  it.each([
    ['an empty reply', { text: ' \n', toolCalls: [] }],
    ['a reply cut at the limit', { finishReason: 'length' }],
    ['a reply cut at the limit, in other words', { finishReason: 'MAX_TOKENS' }],
  ])('does not keep %s', async (_, reply) => {
    const client = giving(reply, reply)
    const cache = openCache(folder)

    await cache.wrap(client, URL).complete(REQUEST)
    await cache.wrap(client, URL).complete(REQUEST)

    expect(cache.counts()).toEqual({ hits: 0, misses: 2, stored: 0, problem: null })
  })

  it('does not keep failures', async () => {
    const client: Client = {
      complete: async () => ({ kind: 'failed', attempts: 4, error: infraError('no', true) }),
    }
    const cache = openCache(folder)

    await cache.wrap(client, URL).complete(REQUEST)
    const again = await cache.wrap(client, URL).complete(REQUEST)

    expect(again).toMatchObject({ kind: 'failed', attempts: 4 })
    expect(cache.counts().stored).toBe(0)
  })

  it.each(['', '{', 'null', '{"schema":1}', '{"schema":2,"completion":{}}', '{"schema":1,"completion":{"text":1}}'])(
    'asks again where a file is %j',
    async (content) => {
      const client = giving()
      await openCache(folder).wrap(client, URL).complete(REQUEST)
      const [part = ''] = readdirSync(folder)
      const [file = ''] = readdirSync(join(folder, part))
      writeFileSync(join(folder, part, file), content)

      await openCache(folder).wrap(client, URL).complete(REQUEST)

      expect(client.asked).toBe(2)
      expect(readFileSync(join(folder, part, file), 'utf8')).toContain('hello')
    },
  )

  it('that cannot be written lets the run go on, and says why once', async () => {
    const client = giving()
    const cache = openCache(join(folder, 'inner'))
    rmSync(join(folder, 'inner'), { recursive: true })
    writeFileSync(join(folder, 'inner'), 'in the way')

    const reply = await cache.wrap(client, URL).complete(REQUEST)
    await cache.wrap(client, URL).complete({ ...REQUEST, sample: 2 })

    expect(reply).toMatchObject({ kind: 'done' })
    expect(cache.counts()).toMatchObject({
      stored: 0,
      misses: 2,
      problem: expect.stringContaining('ENOTDIR') as string,
    })
  })

  it('in a place that is a file is refused in one line', () => {
    writeFileSync(join(folder, 'file'), '')

    expect(() => openCache(join(folder, 'file'))).toThrow(/^the cache .*file cannot be made .*may write\?$/)
  })

  it('leaves no file behind that is not whole', async () => {
    const client = giving()
    mkdirSync(join(folder, 'x'))
    await Promise.all(
      Array.from({ length: 20 }, (_, sample) =>
        openCache(folder)
          .wrap(client, URL)
          .complete({ ...REQUEST, sample }),
      ),
    )

    const names = readdirSync(folder).flatMap((part) => readdirSync(join(folder, part)))
    expect(names.filter((name) => !/^[0-9a-f]{62}\.json$/.test(name))).toEqual([])
    expect(names.length).toBe(20)
  })
})
