import { once } from 'node:events'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { connect, createServer as createNetServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readTarget } from '../src/pass/forward.ts'
import type { Ending, Track } from '../src/track.ts'
import { ask, proxyTo, signal, upstream } from './helpers/upstream.ts'

/** A track that only knows how its exchange ended. */
function endings(): { readonly begin: () => Track; readonly first: Promise<Ending> } {
  const { promise, resolve } = signal<Ending>()
  const nothing = (): void => undefined
  const track = { requestBytes: nothing, requestEnd: nothing, head: nothing, replyBytes: nothing, end: resolve }
  return { begin: () => track, first: promise }
}

describe('what passes through', () => {
  it('is the same request and the same reply: method, path, query, headers in their order and spelling, bytes', async () => {
    const seen = signal<{ readonly head: readonly unknown[]; readonly body: Buffer }>()
    const url = await upstream((client, reply) => {
      const parts: Buffer[] = []
      client.on('data', (part: Buffer) => parts.push(part))
      client.on('end', () => {
        seen.resolve({ head: [client.method, client.url, client.rawHeaders], body: Buffer.concat(parts) })
        reply.sendDate = false
        reply.writeHead(418, 'Short And Stout', ['X-One', '1', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2'])
        reply.end(Buffer.from([0, 255, 10]))
      })
    })
    const proxy = await proxyTo(`${url}/api/v1/`)
    const headers = { 'X-Odd-Case': 'ü'.normalize(), Authorization: 'Bearer k', 'Content-Length': '3' }

    const came = await ask(proxy.url, {
      path: '/v1/x%20y?a=1&b',
      method: 'PUT',
      headers,
      body: Buffer.from([1, 0, 200]),
    })

    const { head, body } = await seen.promise
    expect(head.slice(0, 2)).toEqual(['PUT', '/api/v1/x%20y?a=1&b'])
    expect(head[2]).toEqual(
      expect.arrayContaining(['X-Odd-Case', 'ü', 'Authorization', 'Bearer k', 'Content-Length', '3']),
    )
    expect(head[2]).toContain(new URL(url).host)
    expect([...body]).toEqual([1, 0, 200])
    expect([came.status, [...came.body]]).toEqual([418, [0, 255, 10]])
    expect(came.headers.slice(0, 6)).toEqual(['X-One', '1', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2'])
  })

  it('is gzip as it came', async () => {
    const packed = gzipSync('{"choices": []}')
    const url = await upstream((_, reply) => void reply.writeHead(200, { 'content-encoding': 'gzip' }).end(packed))
    const { url: own } = await proxyTo(url)

    expect((await ask(own)).body.equals(packed)).toBe(true)
  })

  it('comes chunk by chunk: each before the next one is sent', async () => {
    const asked = signal<(event: string | null) => void>()
    const url = await upstream((client, reply) => {
      client.resume()
      reply.writeHead(200, { 'content-type': 'text/event-stream' })
      reply.flushHeaders()
      asked.resolve((event) => void (event === null ? reply.end() : reply.write(event)))
    })
    const { url: own } = await proxyTo(url)
    const sent = request(`${own}/v1/chat/completions`, { method: 'POST' }).end('{}')

    const say = await asked.promise
    // The head is there before any part of the body.
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const seen: string[] = []
    for (const event of ['data: 1\n\n', 'data: 2\n\n', 'data: [DONE]\n\n']) {
      say(event)
      seen.push(String(((await once(response, 'data')) as [Buffer])[0]))
    }
    say(null)
    await once(response, 'end')

    expect(seen).toEqual(['data: 1\n\n', 'data: 2\n\n', 'data: [DONE]\n\n'])
  })

  it('goes on as one piece where it came as one, chunk by chunk in what is recorded', async () => {
    const chunks: string[] = []
    const [head, body] = ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '3\r\none\r\n3\r\ntwo\r\n']
    const server = createNetServer((socket) => {
      socket.once('data', () => socket.write(`${head}${body}0\r\nX-Last: three\r\n\r\n`))
    })
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const track = { ...endings().begin(), replyBytes: (bytes: Uint8Array) => void chunks.push(String(bytes)) }
    const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { url: own } = await proxyTo(target, { begin: () => track })
    const socket = connect(Number(new URL(own).port), '127.0.0.1')
    let came = ''
    socket.on('data', (bytes) => (came += bytes.toString()))

    socket.write('GET /v1/completions HTTP/1.1\r\nHost: localhost\r\n\r\n')
    while (!came.endsWith('three\r\n\r\n')) await once(socket, 'data')
    socket.destroy()

    expect(came.slice(came.indexOf('\r\n\r\n') + 4)).toBe('6\r\nonetwo\r\n0\r\nX-Last: three\r\n\r\n')
    expect(chunks).toEqual(['one', 'two'])
  })

  it('keeps connections, on both sides', async () => {
    const ports = new Set<number | undefined>()
    const url = await upstream((client, reply) => {
      ports.add(client.socket.remotePort)
      reply.end('ok')
    })
    const { url: own } = await proxyTo(url)
    const socket = connect(Number(new URL(own).port), '127.0.0.1')
    const seen: string[] = []
    socket.on('data', (bytes) => seen.push(bytes.toString()))

    for (let turn = 0; turn < 3; turn += 1) {
      socket.write('GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n')
      while (seen.join('').split('ok').length - 1 <= turn) await once(socket, 'data')
    }
    socket.destroy()

    expect(ports.size).toBe(1)
  })

  it('waits for a slow client instead of filling the memory', async () => {
    let written = 0
    const block = Buffer.alloc(1_000_000)
    const url = await upstream((_, reply) => {
      const step = (): void => {
        while (written < 100_000_000) {
          written += block.length
          if (!reply.write(block)) return void reply.once('drain', step)
        }
        reply.end()
      }
      step()
    })
    const { url: own } = await proxyTo(url)
    const sent = request(`${own}/v1/chat/completions`, { method: 'POST' }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.pause()
    const before = await settled(() => written)
    let came = 0
    response.on('data', (part: Buffer) => (came += part.length))
    response.resume()
    await once(response, 'end')

    expect(before).toBeLessThan(30_000_000)
    expect(came).toBe(100_000_000)
  })

  it.each(['/v1/responses', '/v1/messages', '/health', '/v1/models?x=1'])(
    'is what it does not know, too: %s',
    async (path) => {
      const url = await upstream((client, reply) => reply.end(client.url))
      const { url: own } = await proxyTo(url)

      expect((await ask(own, { path })).body.toString()).toBe(path)
    },
  )
})

describe('what breaks off', () => {
  it('ends the request upstream when the client hangs up', async () => {
    const closed = signal<boolean>()
    const url = await upstream((client, reply) => {
      client.resume()
      reply.writeHead(200).write('data: 1\n\n')
      reply.on('close', () => closed.resolve(reply.writableFinished))
    })
    const { begin, first } = endings()
    const { url: own } = await proxyTo(url, { begin })
    const sent = request(`${own}/v1/chat/completions`, { method: 'POST' }).end()
    sent.on('error', () => undefined)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    await once(response, 'data')

    sent.destroy()

    expect([await closed.promise, await first]).toEqual([false, 'client-gone'])
  })

  it('ends the request upstream also before there is a reply', async () => {
    const [asked, closed] = [signal<null>(), signal<null>()]
    const url = await upstream((client, reply) => {
      client.resume()
      client.on('end', () => asked.resolve(null))
      reply.on('close', () => closed.resolve(null))
    })
    const { begin, first } = endings()
    const { url: own } = await proxyTo(url, { begin })
    const sent = request(`${own}/v1/chat/completions`, { method: 'POST' }).end()
    sent.on('error', () => undefined)
    await asked.promise

    sent.destroy()
    await closed.promise

    expect(await first).toBe('client-gone')
  })

  it('shows the client that the server broke off, after everything that arrived', async () => {
    const url = await upstream((client, reply) => {
      client.resume()
      reply.writeHead(200, { 'content-type': 'text/event-stream' })
      reply.write(`data: ${'x'.repeat(100_000)}\n\n`, () => reply.socket?.destroySoon())
    })
    const { begin, first } = endings()
    const { url: own } = await proxyTo(url, { begin })

    const came = await ask(own)

    expect([came.status, came.body.length, came.brokeOff, await first]).toEqual([200, 100_008, true, 'upstream-gone'])
  })

  it('answers 502 if no server listens', async () => {
    const url = await upstream(() => undefined)
    // The system gives this port to no server of another test.
    const port = 2
    const { begin, first } = endings()
    const { url: own } = await proxyTo(url.replace(/\d+$/, String(port)), { begin })

    const came = await ask(own)

    expect([came.status, JSON.parse(came.body.toString())]).toEqual([
      502,
      {
        error: {
          message: `callspec proxy: 127.0.0.1:${port} refused the connection. Is the server running?`,
          type: 'proxy_error',
          code: 502,
        },
      },
    ])
    expect(await first).toBe('no-upstream')
  })

  it('waits for a server that hangs without a limit, or as long as --timeout', async () => {
    const url = await upstream((client) => client.resume())
    const { begin, first } = endings()
    const { url: own } = await proxyTo(url, { begin, timeoutMs: 50 })

    const came = await ask(own)

    expect([came.status, await first]).toEqual([504, 'timeout'])
  })

  it('ends with a server that hangs, when it is closed', async () => {
    const asked = signal<null>()
    const url = await upstream((client) => client.resume().on('end', () => asked.resolve(null)))
    const { begin, first } = endings()
    const proxy = await proxyTo(url, { begin })
    const came = ask(proxy.url).catch(() => null)
    await asked.promise

    await proxy.close(10)

    expect([await came, await first]).toEqual([null, 'client-gone'])
  })
})

describe('what is refused', () => {
  it('is a WebSocket, by name', async () => {
    const { url: own } = await proxyTo(await upstream((_, reply) => reply.end('no')))
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': 'x',
      'sec-websocket-version': '13',
    }

    const came = await ask(own, { method: 'GET', path: '/v1/realtime', headers })

    expect([came.status, came.body.toString()]).toEqual([501, expect.stringContaining('WebSockets are not passed on')])
  })

  it('ignores other upgrades that a client offers: Java requests h2c each time', async () => {
    const { url: own } = await proxyTo(await upstream((_, reply) => reply.end('fine')))
    const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'x' }

    expect((await ask(own, { headers })).body.toString()).toBe('fine')
  })

  it('is a tunnel, and an address of another server', async () => {
    const { url: own } = await proxyTo(await upstream((_, reply) => reply.end('no')))
    const answers: string[] = []
    for (const line of ['CONNECT other.example:443', 'GET http://other.example/']) {
      const socket = connect(Number(new URL(own).port), '127.0.0.1')
      onTestFinished(() => void socket.destroy())
      socket.write(`${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
      answers.push(String(((await once(socket, 'data')) as [Buffer])[0]).slice(0, 12))
    }

    expect(answers).toEqual(['HTTP/1.1 501', 'HTTP/1.1 400'])
  })
})

describe('what comes from elsewhere', () => {
  const refusedBy = async (url: string, headers: Readonly<Record<string, string>>, method = 'POST'): Promise<number> =>
    (await ask(url, { headers, method })).status

  it.each(['evil.example', 'evil.example:80', '127.0.0.1.evil.example', '127.0.0.1@evil.example', 'localhost.'])(
    'is refused with 421 while the proxy listens on this machine alone: Host %s',
    async (host) => {
      let requests = 0
      const { url } = await proxyTo(await upstream((_, reply) => (requests += 1) && reply.end('ok')))

      expect([await refusedBy(url, { host }), await refusedBy(url, { host }, 'GET'), requests]).toEqual([421, 421, 0])
    },
  )

  it.each(['localhost', 'LOCALHOST:1', '127.0.0.1:8000', '[::1]:8000'])('is not what says Host %s', async (host) => {
    const { url } = await proxyTo(await upstream((_, reply) => void reply.end('ok')))

    expect(await refusedBy(url, { host })).toBe(200)
  })

  it.each(['https://evil.example', 'null', 'http://localhost.evil.example', 'chrome-extension://abc'])(
    'costs nothing: a request with Origin %s is refused with 403, and nothing of it is recorded',
    async (origin) => {
      let [requests, tracks] = [0, 0]
      const begin = (): null => {
        tracks += 1
        return null
      }
      const { url } = await proxyTo(await upstream((_, reply) => (requests += 1) && reply.end('ok')), { begin })

      expect([await refusedBy(url, { origin }), requests, tracks]).toEqual([403, 0, 0])
      expect([
        await refusedBy(url, { origin }, 'GET'),
        await refusedBy(url, { origin: 'http://localhost:3000' }),
      ]).toEqual([200, 200])
    },
  )

  it('is let in where the proxy listens for other machines', async () => {
    const { url } = await proxyTo(await upstream((_, reply) => void reply.end('ok')), { host: '0.0.0.0' })

    expect(await refusedBy(url.replace('0.0.0.0', '127.0.0.1'), { host: 'models.internal:8900' })).toBe(200)
  })
})

describe('a target', () => {
  it.each([
    ['http://127.0.0.1:8000/v1', '127.0.0.1:8000', '', 8000],
    ['https://api.example.com/v1/', 'api.example.com', '', 443],
    ['https://gateway.example/api/v1', 'gateway.example', '/api', 443],
    ['http://[::1]:81', '[::1]:81', '', 81],
  ])('is an address with what stands before /v1: %s', (url, host, prefix, port) => {
    expect(readTarget(url)).toMatchObject({ host, prefix, port })
  })

  it.each(['localhost:8000', 'ftp://x', 'http://me:secret@x/v1', 'http://x/v1?key=secret', ''])('is not %s', (url) => {
    const target = readTarget(url)

    expect('fault' in target && !target.fault.includes('secret')).toBe(true)
  })
})

/** The value when it has stopped growing. */
async function settled(value: () => number): Promise<number> {
  let last = -1
  while (last !== value()) {
    last = value()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return last
}
