import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { examine, isHealthy } from '../src/doctor/doctor.ts'
import type { DoctorReport } from '../src/doctor/doctor.ts'
import { CHECKS } from '../src/doctor/finding.ts'
import type { Check } from '../src/doctor/finding.ts'
import { startSimServer } from '../src/sim/server.ts'

const TEXT = ' I should compute this.\nAction: calculator\nAction Input: {"expression": "17*23"}\n'
const NOUS = '<tool_call>\n{"name": "calculator", "arguments": {"expression": "17*23"}}\n</tool_call>'

interface Body {
  readonly stop?: string
  readonly stream?: boolean
  readonly tools?: unknown
  readonly prompt?: string
  readonly messages?: readonly { readonly content: string }[]
}

/** What may be wrong with a server; by default nothing is. */
interface Illness {
  readonly models?: unknown
  readonly text?: (body: Body, requests: number) => string
  readonly stop?: 'ignored' | 'kept'
  readonly usage?: 'none' | 'whole'
  readonly native?: 'refused' | 'in-text' | 'broken'
  readonly raw?: 'none'
  readonly status?: number
  readonly finish?: string | null
  readonly readsCalls?: boolean
}

const open: Server[] = []
afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function serve(illness: Illness): Promise<string> {
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    void answer(request, response, illness, requests)
  })
  open.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  illness: Illness,
  requests: number,
): Promise<void> {
  const parts: Buffer[] = []
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
  const send = (status: number, value: unknown): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  if (illness.status !== undefined) return send(illness.status, { error: { message: 'no entry for sk-secret-key-1' } })
  if (request.url === '/v1/models') return send(200, illness.models ?? { data: [{ id: 'm' }, { id: 'n' }] })
  const body = JSON.parse(Buffer.concat(parts).toString()) as Body
  if (body.prompt !== undefined && illness.raw === 'none') return send(404, { error: { message: 'no such path' } })
  if (body.tools !== undefined && illness.native === 'refused')
    return send(400, { error: { message: 'no tool parser' } })
  reply(response, body, { ...illness, said: cut(textFor(body, illness, requests), body, illness) })
}

function textFor(body: Body, { text, native }: Illness, requests: number): string {
  if (body.tools !== undefined) return native === 'in-text' ? NOUS : ''
  const isNous = body.messages?.[0]?.content.includes('<tools>') === true
  return text?.(body, requests) ?? (isNous ? NOUS : TEXT)
}

function cut(text: string, { stop }: Body, illness: Illness): string {
  const at = stop === undefined ? -1 : text.indexOf([stop].flat()[0] ?? '\0')
  if (at < 0 || illness.stop === 'ignored') return text
  return text.slice(0, at + (illness.stop === 'kept' ? String([stop].flat()[0]).length : 0))
}

function reply(response: ServerResponse, body: Body, illness: Illness & { readonly said: string }): void {
  const { said, native, finish = 'stop', readsCalls = false } = illness
  const calls = { index: 0, id: 'a', function: { name: 'calculator', arguments: native === 'broken' ? '{"e' : '{}' } }
  const hasCalls = (body.tools !== undefined && native !== 'in-text') || (readsCalls && said === NOUS)
  const message = { content: hasCalls ? null : said, ...(hasCalls ? { tool_calls: [calls] } : {}) }
  const usage = { prompt_tokens: 10, completion_tokens: 5 }
  if (body.stream !== true) {
    const choice = body.prompt === undefined ? { message } : { text: said }
    const counted = illness.usage === 'none' ? {} : { usage }
    const value = { id: 'c', choices: [{ index: 0, ...choice, finish_reason: finish }], ...counted }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    return
  }
  const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(event({ choices: [{ index: 0, delta: message, finish_reason: finish }] }))
  if (illness.usage === undefined) response.write(event({ choices: [], usage }))
  response.end('data: [DONE]\n\n')
}

async function report(illness: Illness, model: string | null = 'm'): Promise<DoctorReport> {
  return examine({ baseUrl: await serve(illness), apiKey: 'sk-secret-key-1', model, timeoutMs: 5000 })
}

function verdict({ findings }: DoctorReport, check: Check): readonly (string | null)[] {
  const found = findings.find((each) => each.check === check)
  return found === undefined ? [] : [found.verdict, found.evidence, found.whatToChange]
}

describe('the doctor', () => {
  it('finds nothing wrong with a server that does everything, in ten requests', async () => {
    const found = await report({})

    expect(found.findings.map(({ check, verdict: each }) => [check, each])).toEqual(
      CHECKS.map((check) => [check, 'ok']),
    )
    expect(found.findings.filter(({ whatToChange }) => whatToChange !== null)).toEqual([])
    expect(isHealthy(found)).toBe(true)
  })

  it('asks the first model of the list where none is named, and warns of one that is not in it', async () => {
    expect((await report({}, null)).model).toBe('m')
    expect(verdict(await report({}, 'x'), 'model')).toEqual([
      'warn',
      '"x" is not listed; there are "m", "n"',
      'Is the name right? It is asked all the same.',
    ])
  })

  it.each([
    ['stop words are ignored', { stop: 'ignored' }, 'stop-words', 'fail', '--stops off'],
    ['a stop word is left in the text', { stop: 'kept' }, 'stop-words', 'warn', 'cut off once'],
    ['nothing is counted', { usage: 'none' }, 'usage', 'warn', 'unknown'],
    ['streams are not counted', { usage: 'whole' }, 'usage', 'warn', '--no-stream'],
    ['tools are refused', { native: 'refused' }, 'native-calls', 'warn', 'tool parser'],
    ['calls are left in the text', { native: 'in-text' }, 'native-calls', 'fail', 'tool parser'],
    ['arguments are no JSON', { native: 'broken' }, 'native-calls', 'warn', 'tool parser'],
    ['there are no text completions', { raw: 'none' }, 'raw-completions', 'warn', '--api chat'],
    ['the finish reason is missing', { finish: null }, 'chat', 'warn', 'token limit'],
    ['calls are read that nobody asked to read', { readsCalls: true }, 'call-markers', 'fail', 'tool parser'],
    [
      'special tokens are stripped',
      { text: ({ messages }) => (messages?.[0]?.content.includes('<tools>') === true ? NOUS.slice(12, -13) : TEXT) },
      'call-markers',
      'warn',
      'skip_special_tokens',
    ],
    ['replies differ', { text: (_, requests) => `${TEXT}${requests}` }, 'seed', 'warn', '--repeat 3'],
    [
      'a stream says something else',
      { text: ({ stream }) => (stream === true ? 'Other.' : TEXT) },
      'stream',
      'fail',
      '--no-stream',
    ],
    [
      'a model runs on',
      { stop: 'ignored', text: ({ prompt }) => `${TEXT}${prompt === undefined ? '' : '<|im_end|>\n<|im_start|>user'}` },
      'raw-completions',
      'warn',
      'ChatML',
    ],
    [
      'a model answers without a call',
      { text: () => 'It is three hundred ninety one.' },
      'call-markers',
      'unknown',
      'another model',
    ],
  ] satisfies readonly (readonly [string, Illness, Check, string, string])[])(
    'sees that %s, and says what to do',
    async (_, illness, check, expected, change) => {
      const found = await report(illness)

      const [seen, , whatToChange] = verdict(found, check)
      expect([seen, whatToChange]).toEqual([expected, expect.stringContaining(change) as string])
      expect(isHealthy(found)).toBe(true)
    },
  )

  it('does not blame the stream where whole replies differ too', async () => {
    const found = await report({ text: (_, requests) => `${TEXT}${requests}` })

    expect(verdict(found, 'stream')[0]).toBe('unknown')
  })

  it.each([401, 403])('stops after a %i, without the key in what it says', async (status) => {
    const found = await report({ status })

    expect(found.findings).toEqual([
      {
        check: 'reachable',
        verdict: 'fail',
        evidence: `${status} no entry for [redacted]`,
        whatToChange: 'Set OPENAI_API_KEY to a key of this server.',
      },
    ])
    expect(isHealthy(found)).toBe(false)
  })

  it('asks a server without a list all the same', async () => {
    const found = await report({ models: 'hello' })

    expect(verdict(found, 'reachable')).toEqual(['ok', '0 models listed', null])
    expect(verdict(found, 'chat')[0]).toBe('ok')
  })

  it('says so when nobody is there', async () => {
    const baseUrl = await serve({})
    await new Promise((resolve) => open.splice(0)[0]?.close(resolve))

    const found = await examine({ baseUrl, apiKey: 'EMPTY', model: 'm' })

    expect(found.findings).toMatchObject([
      { check: 'reachable', verdict: 'fail', evidence: 'refused the connection. Is the server running?' },
    ])
  })

  it('ends with its budget, whatever a server does', async () => {
    const server = createServer((request, response) => {
      if (request.url === '/v1/models') response.end('{"data":[{"id":"m"}]}')
    })
    open.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

    const found = await examine({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      apiKey: 'EMPTY',
      budgetMs: 200,
      timeoutMs: 10_000,
    })

    expect(found.findings.slice(2).map((each) => each.verdict)).toEqual(Array.from({ length: 8 }, () => 'unknown'))
  })

  it('can be aborted', async () => {
    const controller = new AbortController()
    const server = createServer(() => controller.abort(new Error('enough')))
    open.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`

    await expect(examine({ baseUrl, apiKey: 'EMPTY', signal: controller.signal })).rejects.toThrow('enough')
  })

  it.each([
    ['sim/perfect', {}],
    ['sim/leaky-server', { 'stop-words': 'fail' }],
    ['sim/oracle?transport=ignore_seed', { seed: 'warn', stream: 'unknown', 'stop-words': 'unknown' }],
    ['sim/oracle?transport=include_stop', { 'stop-words': 'warn' }],
    ['sim/oracle?transport=no_usage', { usage: 'warn' }],
    ['sim/oracle?transport=finish(null)', { chat: 'warn' }],
    ['sim/oracle?transport=401', { chat: 'fail' }],
  ] as const)('finds of the simulated model %s what it is made of', async (model, ills) => {
    const server = await startSimServer()
    try {
      const found = await examine({ baseUrl: server.baseUrl, apiKey: 'EMPTY', model })

      const ill = found.findings.filter(({ check, verdict: each }) => check !== 'model' && each !== 'ok')
      expect(Object.fromEntries(ill.map(({ check, verdict: each }) => [check, each]))).toEqual(ills)
    } finally {
      await server.close()
    }
  })
})
