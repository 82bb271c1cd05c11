import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, chmodSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createFolder } from '../src/record/create-writer.ts'
import { createRecorder } from '../src/record/recorder.ts'
import type { RecordCounts, RecorderOptions } from '../src/record/recorder.ts'
import type { RecordedExchange } from '../src/read/read-exchanges.ts'
import { readExchanges } from '../src/read/read-exchanges.ts'
import { testRecorder } from './helpers/test-recorder.ts'
import { ask, proxyTo, upstream } from './helpers/upstream.ts'
import type { Sent } from './helpers/upstream.ts'
import type { RequestListener } from 'node:http'

interface Recorded {
  readonly exchanges: readonly RecordedExchange[]
  /** Everything that reached the disk. */
  readonly bytes: string
  readonly troubles: readonly string[]
  readonly counts: RecordCounts
  readonly files: readonly string[]
}

/** Asks a server through a proxy that records, and gives what was recorded. */
async function recorded(
  listener: RequestListener,
  requests: readonly Sent[],
  options: Partial<RecorderOptions> = {},
): Promise<Recorded> {
  const { folder, recorder, troubles } = await testRecorder(options)
  const proxy = await proxyTo(await upstream(listener), { begin: recorder.begin })
  for (const request of requests) await ask(proxy.url, request)
  await proxy.close(1000)
  const counts = await recorder.close()
  const files = readdirSync(folder).map((name) => join(folder, name))
  const exchanges: RecordedExchange[] = []
  for (const file of files) for await (const each of readExchanges(file)) exchanges.push(each)
  return { exchanges, files, troubles, counts, bytes: files.map((file) => readFileSync(file, 'latin1')).join('') }
}

function stream(...events: readonly string[]): RequestListener {
  return (client, reply) => {
    client.resume()
    reply.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of events) reply.write(`data: ${event}\n\n`)
    reply.end('data: [DONE]\n\n')
  }
}

const QUESTION = '{"model":"m","messages":[{"role":"user","content":"Grüße 🎉"}]}'

describe('a recording', () => {
  it('holds request, head and every byte of the reply, and how it ended', async () => {
    const { exchanges, counts } = await recorded(stream('{"a":"ü"}', '{"b":2}'), [{ body: QUESTION }])

    const [one] = exchanges
    expect(one).toMatchObject({
      method: 'POST',
      path: '/v1/chat/completions',
      status: 200,
      how: 'complete',
      lacks: null,
    })
    expect(one?.request?.toString()).toBe(QUESTION)
    expect(Buffer.concat((one?.chunks ?? []).map(({ bytes }) => bytes)).toString()).toBe(
      'data: {"a":"ü"}\n\ndata: {"b":2}\n\ndata: [DONE]\n\n',
    )
    expect((one?.chunks ?? []).every(({ at }, index, all) => at >= (all[index - 1]?.at ?? 0))).toBe(true)
    expect(counts).toEqual({ exchanges: 1, cut: 0, files: 1, isStopped: false })
  })

  it.runIf(process.platform !== 'win32')('is for its owner alone', async () => {
    const { files } = await recorded(stream(), [{}])

    const [file = ''] = files
    expect([statSync(join(file, '..')).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600])
  })

  it.runIf(process.platform !== 'win32')('leaves the rights of a folder that is there, and tells of them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'callspec-record-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    chmodSync(folder, 0o755)

    expect([await createFolder(folder), statSync(folder).mode & 0o777]).toEqual([{ isOpenToOthers: true }, 0o755])
  })

  it('never holds a key: of headers, cookies, queries, bodies, or in what a server says of it', async () => {
    const secrets = [
      'sk-header-0123456789',
      'azure-0123456789',
      'cookie-0123456789',
      'query-0123456789',
      'body-0123456789',
      'set-0123456789',
    ]
    const [bearer = '', azure = '', cookie = '', query = '', body = '', set = ''] = secrets
    const listener: RequestListener = (client, reply) => {
      client.resume()
      reply.writeHead(401, { 'set-cookie': `s=${set}`, 'www-authenticate': 'Bearer' })
      // The quote is cut in two.
      reply.write(`{"error": {"message": "wrong key ${bearer.slice(0, 9)}`)
      setTimeout(() => reply.end(`${bearer.slice(9)} or ${query}"}}`), 20)
    }
    const headers = {
      authorization: `Bearer ${bearer}`,
      'Api-Key': azure,
      cookie: `s=${cookie}`,
      'x-goog-api-key': azure,
    }

    const { bytes, exchanges } = await recorded(listener, [
      {
        path: `/v1/chat/completions?key=${query}&api-version=2024-10-21`,
        headers,
        body: `{"api_key": "${body}", "model": "m"}`,
      },
    ])

    expect(secrets.filter((secret) => bytes.includes(secret))).toEqual([])
    expect(exchanges[0]?.path).toBe('/v1/chat/completions?key=[redacted]&api-version=2024-10-21')
    expect(exchanges[0]?.request?.toString()).toBe('{"api_key": "[redacted]", "model": "m"}')
    expect(Buffer.concat((exchanges[0]?.chunks ?? []).map((chunk) => chunk.bytes)).toString()).toBe(
      '{"error": {"message": "wrong key [redacted] or [redacted]"}}',
    )
  })

  it('never holds the password that a header spells in Base64, nor one that a server quotes', async () => {
    const password = 'correct "horse"'
    const listener: RequestListener = (client, reply) => {
      client.resume()
      reply.writeHead(401).end(JSON.stringify({ error: { message: `no user ada with ${password} (ada:${password})` } }))
    }
    const authorization = `Basic ${Buffer.from(`ada:${password}`).toString('base64')}`

    const { bytes, exchanges } = await recorded(listener, [{ headers: { authorization }, body: '{"model":"m"}' }])

    expect([bytes.includes('horse'), bytes.includes(authorization.slice(6))]).toEqual([false, false])
    expect(Buffer.concat((exchanges[0]?.chunks ?? []).map((chunk) => chunk.bytes)).toString()).toContain('[redacted]')
  })

  it('never holds members of requests that are called token, and keeps those that count them', async () => {
    const body =
      '{"token": "tok-1", "auth_token":"tok-2", "refreshToken" : "tok-3", "max_tokens": 5, "tools": [{"properties": {"token": {"type": "string"}}}]}'

    const { bytes, exchanges } = await recorded(stream('{"a":1}'), [{ body }])

    expect(bytes).not.toMatch(/tok-\d/)
    expect(JSON.parse(exchanges[0]?.request?.toString() ?? '')).toEqual({
      ...{ token: '[redacted]', auth_token: '[redacted]', refreshToken: '[redacted]', max_tokens: 5 },
      tools: [{ properties: { token: { type: 'string' } } }],
    })
  })

  it.each([
    ['sk-proj-AbCdEfGhIjKl'],
    ['0123456789abcdef0123456789abcdef'],
    ['6ba7b810-9dad-11d1-80b4-00c04fd430c8'],
    ['my-secret-0123'],
    ['sk%2Dproj%2DAbCdEfGhIjKl'],
  ])('never holds a key in the path, nor where a server quotes it: %s', async (key) => {
    const listener: RequestListener = (client, reply) => {
      client.resume()
      reply.writeHead(404).end(`{"error": {"message": "no such path /${key} ${decodeURIComponent(key)}"}}`)
    }

    const { bytes, exchanges } = await recorded(listener, [{ path: `/v1/${key}/chat/completions`, body: '{}' }])

    expect([bytes.includes(key), bytes.includes(decodeURIComponent(key))]).toEqual([false, false])
    expect(exchanges[0]?.path).toBe('/v1/[redacted]/chat/completions')
  })

  it.each(['/openai/deployments/gpt-4o-mini-2024-07-18', '/v1beta/openai', '/api/v1/organisations/my-team'])(
    'holds a path without a key as it is: %s',
    async (path) => {
      const { exchanges } = await recorded(stream('{"a":1}'), [{ path: `${path}/chat/completions`, body: '{}' }])

      expect(exchanges[0]?.path).toBe(`${path}/chat/completions`)
    },
  )

  it('holds no packed error, in which a key cannot be looked for, and packed replies as they are', async () => {
    const packed = gzipSync('{"choices":[]}')
    let status = 401
    const listener: RequestListener = (client, reply) => {
      client.resume()
      reply.writeHead(status, { 'content-encoding': 'gzip' }).end(packed)
      status = 200
    }

    const { exchanges } = await recorded(listener, [{}, {}])

    expect(exchanges.map(({ chunks, lacks }) => [chunks.length, lacks])).toEqual([
      [0, 'not-redacted'],
      [1, null],
    ])
    expect(exchanges[1]?.chunks[0]?.bytes.equals(packed)).toBe(true)
  })

  it('holds nothing of paths that are not known', async () => {
    const paths = ['/v1/messages/count_tokens', '/v1/responses/r1', '/v1/models', '/v1/embeddings']

    const { counts, files } = await recorded(
      (_, reply) => reply.end('{}'),
      paths.map((path) => ({ path })),
    )

    expect([counts.exchanges, files]).toEqual([0, []])
  })

  it('holds a sample, where one is asked for', async () => {
    const draws = [0.5, 0.005, 0.01, 0.009]

    const { counts } = await recorded(
      stream(),
      draws.map(() => ({})),
      { sample: 0.01, random: () => draws.shift() ?? 1 },
    )

    expect(counts.exchanges).toBe(2)
  })

  it('holds no bodies of requests, where they are left out', async () => {
    const { exchanges, bytes } = await recorded(stream(), [{ body: QUESTION }], { withoutRequests: true })

    expect([exchanges[0]?.request, exchanges[0]?.path, bytes.includes('messages')]).toEqual([
      null,
      '/v1/chat/completions',
      false,
    ])
  })

  it('goes on in a new file when one is full, and cuts no exchange in two', async () => {
    const { exchanges, files } = await recorded(
      stream('"x"'),
      Array.from({ length: 7 }, () => ({ body: QUESTION })),
      {
        maxFileBytes: 1500,
      },
    )

    expect(files.length).toBeGreaterThan(2)
    expect(exchanges.map(({ how, chunks }) => [how, chunks.length > 0])).toEqual(
      exchanges.map(() => ['complete', true]),
    )
    expect(exchanges.length).toBe(7)
  })

  it('stops when the disk is full: traffic goes on, and one message reports it', async () => {
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    const openNew = (): Promise<never> => Promise.reject(full)
    const troubles: string[] = []
    const recorder = createRecorder({ openNew, onTrouble: (message) => troubles.push(message), maxFileBytes: 1 })
    const proxy = await proxyTo(await upstream(stream('"x"')), { begin: recorder.begin })

    const came = []
    for (let turn = 0; turn < 5; turn += 1) {
      came.push((await ask(proxy.url)).body.length)
      await new Promise((resolve) => setTimeout(resolve, 60))
    }
    const { isStopped } = await recorder.close()

    expect([new Set(came).size, isStopped]).toEqual([1, true])
    expect(troubles).toEqual(['recording has stopped (ENOSPC); traffic goes on.'])
  })

  it('cuts replies that come faster than the disk takes them, instead of filling the memory', async () => {
    const written: (() => void)[] = []
    const openNew = (): Promise<{ write: () => Promise<void>; close: () => Promise<void> }> =>
      Promise.resolve({
        write: () => new Promise<void>((resolve) => written.push(resolve)),
        close: () => Promise.resolve(),
      })
    const troubles: string[] = []
    const recorder = createRecorder({ openNew, onTrouble: (message) => troubles.push(message) })
    const block = Buffer.alloc(1_000_000)
    const track = (): ReturnType<typeof recorder.begin> =>
      recorder.begin({ method: 'POST', url: '/v1/completions', headers: [] })
    for (let turn = 0; turn < 5; turn += 1) {
      const one = track()
      for (let at = 0; at < 20; at += 1) one?.replyBytes(block)
      one?.end('complete')
    }
    const timer = setInterval(() => written.splice(0).forEach((resolve) => resolve()), 5)

    const counts = await recorder.close()
    clearInterval(timer)

    expect([counts.exchanges, counts.cut]).toEqual([5, 2])
    expect(troubles).toEqual(['parts of replies that are too large, or come too fast for the disk, are not recorded.'])
  })
})

describe('texts that are redacted', () => {
  const redact = (text: string): string => text.replaceAll('Ada Lovelace', '[name]')

  it('are so in requests, replies and streams, also where a stream cuts them, and deltas stay as they were cut', async () => {
    const pieces = ['Hello A', 'da Love', 'lace, and', ' bye.']
    const events = pieces.map((content) => `{"choices":[{"index":0,"delta":{"content":"${content}"}}]}`)

    const { exchanges, bytes } = await recorded(
      stream(...events),
      [{ body: '{"messages":[{"content":"I am Ada Lovelace"}]}' }],
      { redact },
    )

    expect([bytes.includes('Lovelace'), bytes.includes('Ada')]).toEqual([false, false])
    expect(exchanges[0]?.request?.toString()).toBe('{"messages":[{"content":"I am [name]"}]}')
    const contents = (exchanges[0]?.chunks ?? []).flatMap(({ bytes: each }) => {
      const data = each.toString().slice(6).trim()
      return data === '[DONE]' ? [] : [(JSON.parse(data) as Event).choices[0].delta.content]
    })
    expect(contents).toEqual(['Hello [name]', '', ', and', ' bye.'])
    expect(exchanges[0]?.isRedacted).toBe(true)
  })

  it('keep the names of events', async () => {
    const event = (text: string): string =>
      `event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${text}"}}\n\n`

    const { exchanges, bytes } = await recorded(
      (_, reply) => {
        reply.setHeader('content-type', 'text/event-stream')
        reply.end(event('Hello Ada ') + event('Lovelace.'))
      },
      [{ path: '/v1/messages' }],
      { redact },
    )

    expect(bytes.includes('Lovelace')).toBe(false)
    expect(exchanges[0]?.chunks.map(({ bytes: each }) => each.toString()).join('')).toBe(
      event('Hello [name]') + event('.'),
    )
  })

  it('are left out where the function throws, gives no text, or never returns', async () => {
    const endless = (): string => {
      for (;;);
    }
    for (const broken of [(): string => JSON.parse('{') as string, (): string => 1 as unknown as string, endless]) {
      const { bytes, exchanges } = await recorded(stream('"Ada Lovelace"'), [{ body: '"Ada Lovelace"' }], {
        redact: broken,
      })

      expect([bytes.includes('Ada'), exchanges[0]?.lacks, exchanges[0]?.request]).toEqual([false, 'not-redacted', null])
    }
  })
})

interface Event {
  readonly choices: readonly [{ readonly delta: { readonly content: string } }]
}
