import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createClient } from '../src/client/client.ts'
import type { ClientOptions } from '../src/client/client.ts'
import { examine } from '../src/doctor/doctor.ts'
import { openRun } from '../src/store/open-run.ts'
import { configOf } from '../src/run/run-config.ts'
import { runEval } from '../src/run/run-eval.ts'
import { answeringServer } from './helpers/answering-server.ts'
import { temporaryFolder } from './helpers/temporary.ts'

const SECRET = 'hush-0123456789'
const CHAT = { model: 'm', messages: [{ role: 'user', content: 'hi' }], parameters: {} }
const REPLY = { choices: [{ index: 0, message: { content: 'ok' }, finish_reason: 'stop' }] }

interface Seen {
  readonly url: string
  readonly headers: IncomingHttpHeaders
}

/** A server that answers everything alike. */
async function server(status = 200, body: object = REPLY): Promise<{ origin: string; seen: readonly Seen[] }> {
  const seen: Seen[] = []
  const http = createServer((request, response) => {
    seen.push({ url: request.url ?? '', headers: request.headers })
    request.resume()
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  return { origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, seen }
}

const optionsFor = (baseUrl: string, more: Partial<ClientOptions> = {}): ClientOptions => {
  return { baseUrl, apiKey: 'EMPTY', timeoutMs: 5000, maxRetries: 0, stream: false, ...more }
}

describe('the headers of an endpoint', () => {
  it.each([
    ['EMPTY', {}, { authorization: 'Bearer EMPTY' }],
    ['EMPTY', { 'api-key': SECRET }, { authorization: undefined, 'api-key': SECRET }],
    ['sk-own-key', { 'X-Title': 'tests' }, { authorization: 'Bearer sk-own-key', 'x-title': 'tests' }],
    ['sk-own-key', { Authorization: `Token ${SECRET}` }, { authorization: `Token ${SECRET}` }],
  ])('with the key %s and %j are sent as %j', async (apiKey, headers, expected) => {
    const { origin, seen } = await server()

    await createClient(optionsFor(`${origin}/v1`, { apiKey, headers })).complete(CHAT)

    const { 'content-type': type, ...sent } = seen[0]?.headers ?? {}
    expect(type).toBe('application/json')
    for (const [name, value] of Object.entries(expected)) expect(sent[name]).toBe(value)
  })

  it("name the account of OpenAI's own variables", async () => {
    vi.stubEnv('OPENAI_ORG_ID', 'org-1')
    vi.stubEnv('OPENAI_PROJECT_ID', 'one\nline too many')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { origin, seen } = await server()

    await createClient(optionsFor(`${origin}/v1`)).complete(CHAT)

    const { 'openai-organization': organization, 'openai-project': project } = seen[0]?.headers ?? {}
    expect([organization, project]).toEqual(['org-1', undefined])
  })

  it.each([
    [{ 'api key': SECRET }, '"api key" is not a name of a header'],
    [{ 'content-length': '5' }, 'the header content-length cannot be set'],
    [{ 'api-key': ' ' }, 'the header api-key has no value'],
    [{ 'api-key': `${SECRET}\r\nx: y` }, 'the value of the header api-key holds a line break'],
    [{ 'api-key': '钥匙' }, 'the value of the header api-key holds'],
  ])('that are %j make no request', async (headers, message) => {
    const { origin, seen } = await server()

    const asked = createClient(optionsFor(`${origin}/v1`, { headers })).complete(CHAT)

    await expect(asked).rejects.toThrow(message)
    await expect(asked).rejects.not.toThrow(SECRET)
    expect(seen).toEqual([])
  })

  it.each([
    ['whole', `the key ${SECRET} is wrong`],
    ['as one word of a header', `the token ${SECRET.toUpperCase()}2 is wrong`],
    ['from the query of the address', 'no route to /v1/chat/completions?key=q%2Fsecret-999'],
    ['from the query, decoded', 'the key q/secret-999 is wrong'],
    ['cut off in the middle', `${'x'.repeat(146)}${SECRET}`],
  ])('are not quoted %s', async (_, message) => {
    const { origin } = await server(400, { error: { message } })
    const headers = { 'api-key': SECRET, 'x-auth': `Token ${SECRET.toUpperCase()}2` }

    const outcome = await createClient(optionsFor(`${origin}/v1?key=q%2Fsecret-999`, { headers })).complete(CHAT)

    const said = outcome.kind === 'failed' ? outcome.error.failure.message : ''
    expect(said).toContain('[redacted]')
    expect(said).not.toMatch(/hush|secret-999/i)
  })
})

describe('an address with a query', () => {
  it.each(['/openai/deployments/d?api-version=2024-10-21', '/openai/deployments/d/?api-version=2024-10-21#top'])(
    'is asked as %s for chats, completions and the list of models, with the query behind the path',
    async (path) => {
      const { origin, seen } = await server()
      const client = createClient(optionsFor(`${origin}${path}`))
      await client.complete(CHAT)
      await client.complete({ model: 'm', prompt: 'hi', parameters: {} })
      await examine({ baseUrl: `${origin}${path}`, apiKey: 'EMPTY', model: 'm' })

      const query = '?api-version=2024-10-21'
      const paths = seen.map(({ url }) => url)
      expect(paths.slice(0, 3)).toEqual([
        `/openai/deployments/d/chat/completions${query}`,
        `/openai/deployments/d/completions${query}`,
        `/openai/deployments/d/models${query}`,
      ])
      expect(paths.filter((url) => !url.endsWith(query) || url.split('?').length !== 2)).toEqual([])
    },
  )

  it('is kept by a run without what may be a key, and headers by their names alone', async () => {
    const { baseUrl, came } = await answeringServer()
    const run = {
      models: ['m'],
      formats: ['react'],
      tasks: ['S01'],
      stream: false,
      reports: temporaryFolder(),
    } as const
    const folders: string[] = []
    const onEvent = (event: { type: string; folder?: string }): void =>
      void (event.folder && folders.push(event.folder))
    const headers = { 'api-key': SECRET }

    await runEval({ ...run, headers, baseUrl: `${baseUrl}/?api-version=2024-10-21` }, { onEvent })
    await runEval({ ...run, baseUrl: `${baseUrl}?key=${SECRET}&api-version=1` }, { onEvent })

    const [open, closed] = folders.map((folder) => openRun(folder))
    expect(open?.manifest).toMatchObject({
      endpoints: { m: { baseUrl: `${baseUrl}?api-version=2024-10-21` } },
      settings: { headers: { m: ['api-key'] } },
    })
    expect(closed?.manifest.endpoints['m']?.baseUrl).toBe(`${baseUrl}?api-version=1&[redacted]`)
    expect(open === undefined ? null : configOf(open).models).toMatchObject([
      { baseUrl: `${baseUrl}?api-version=2024-10-21` },
    ])
    expect(() => closed !== undefined && configOf(closed)).toThrow('does not hold the query')
    expect(came[0]?.path).toBe('/v1/chat/completions?api-version=2024-10-21')
    expect(came[0]?.headers['api-key']).toBe(SECRET)
  })
})
