import { describe, expect, it } from 'vitest'
import { createClient } from '../src/client/client.ts'
import type { Client, ClientOptions } from '../src/client/client.ts'
import { serve } from './helpers/serve.ts'

// Against a real server: what breaks off, stalls or is aborted cannot be mocked.
const REQUEST = { model: 'm', messages: [{ role: 'user', content: 'hi' }], parameters: {} }
function client(baseUrl: string, options: Partial<ClientOptions> = {}): Client {
  return createClient({
    baseUrl,
    apiKey: 'EMPTY',
    timeoutMs: 10_000,
    maxRetries: 0,
    stream: true,
    sleep: async () => {},
    ...options,
  })
}

const chunk = (content: string, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`

describe('a connection', () => {
  it('that breaks in the middle of a stream is an infra failure, not a short answer', async () => {
    const baseUrl = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(chunk('half an ans'), () => response.socket?.destroy())
    })

    expect(await client(baseUrl).complete(REQUEST)).toMatchObject({
      kind: 'failed',
      error: { failure: { kind: 'infra' }, isRetryable: true },
    })
  })

  it('that breaks once is made again, and the whole answer counts', async () => {
    let requests = 0
    const baseUrl = await serve((_, response) => {
      requests += 1
      if (requests === 1) {
        response.socket?.destroy()
        return
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(chunk('whole') + chunk('', 'stop'))
    })

    expect(await client(baseUrl, { maxRetries: 1 }).complete(REQUEST)).toMatchObject({
      kind: 'done',
      attempts: 2,
      value: { text: 'whole' },
    })
  })

  it('to a port without a listener is unreachable, and not tried again', async () => {
    // The system gives this port to no server of another test.
    expect(await client('http://127.0.0.1:2/v1', { maxRetries: 5 }).complete(REQUEST)).toMatchObject({
      kind: 'failed',
      attempts: 1,
      error: { failure: { kind: 'unreachable', message: 'refused the connection. Is the server running?' } },
    })
  })

  it.each([true, false])('that never answers ends at the timeout (streaming: %s)', async (stream) => {
    const baseUrl = await serve(() => {})

    expect(await client(baseUrl, { timeoutMs: 100, stream }).complete(REQUEST)).toMatchObject({
      kind: 'failed',
      error: { failure: { kind: 'infra' } },
    })
  })

  it('that stalls after the first chunk is tried again, and is a failure of the server, not a short answer', async () => {
    const baseUrl = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(chunk('half'))
    })

    const outcome = await client(baseUrl, { timeoutMs: 1500, maxRetries: 1 }).complete(REQUEST)

    expect(outcome).toMatchObject({ kind: 'failed', attempts: 2, error: { failure: { kind: 'infra' } } })
    expect(outcome.kind === 'failed' && outcome.error.message).toMatch(
      /^the reply stalled: nothing arrived in the last/,
    )
  })

  it('that the caller aborts throws the reason of the abort', async () => {
    const controller = new AbortController()
    let sent = 0
    const baseUrl = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const more = (): void => {
        sent += 1
        // By progress, not by a clock.
        if (sent === 5) controller.abort(new Error('enough'))
        if (sent < 50) response.write(chunk('x'), more)
      }
      more()
    })

    await expect(client(baseUrl, { maxRetries: 3 }).complete(REQUEST, controller.signal)).rejects.toThrow('enough')
  })

  it('that speaks no TLS is unreachable, with what to look at', async () => {
    const baseUrl = await serve(() => {})

    expect(await client(baseUrl.replace('http:', 'https:')).complete(REQUEST)).toMatchObject({
      kind: 'failed',
      attempts: 1,
      error: { failure: { kind: 'unreachable', message: expect.stringMatching(/^speaks no TLS/) as string } },
    })
  })

  it.each([
    [{ error: { code: { toString: 1, valueOf: 1 }, type: [], message: { toString: 0 } } }, '500 {"toString":0}'],
    [{ error: 'out of memory' }, '500 "out of memory"'],
    [{ detail: 'not now' }, '500 not now'],
    ['no memory', '500 "no memory"'],
    [{}, '500 status code (no body)'],
  ])('that is answered with 500 and %j fails with %s', async (value, message) => {
    const baseUrl = await serve((_, response) => void response.writeHead(500).end(JSON.stringify(value)))

    expect(await client(baseUrl).complete(REQUEST)).toMatchObject({
      kind: 'failed',
      error: { failure: { kind: 'infra', status: 500, message } },
    })
  })

  it.each(['', 'localhost:8000', 'file:///etc/passwd', 'not an address'])(
    'to %j is never made, not to anybody else either',
    async (baseUrl) => {
      const asked: unknown[] = []
      const spy = client(baseUrl, { fetch: async (url) => expect.unreachable(String(asked.push(url))) })

      await expect(spy.complete(REQUEST)).rejects.toThrow('is no http address')
      expect(asked).toEqual([])
    },
  )

  it.each(['', 'sk-one\nsk-two', 'a b', 'schlüssel'])('with the key %j is never made', async (apiKey) => {
    const baseUrl = await serve(() => {})

    await expect(client(baseUrl, { apiKey }).complete(REQUEST)).rejects.toThrow('the key of the server')
  })
})
