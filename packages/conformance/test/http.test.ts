import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { fromPlain } from '@callspec/python'
import type { PlainValue, PyDict } from '@callspec/python'
import type { Case } from '../src/cases/case.ts'
import { openHttp } from '../src/drivers/http/http-implementation.ts'
import type { HttpOptions } from '../src/drivers/http/http-implementation.ts'
import { startUpstream } from '../src/drivers/http/upstream.ts'
import { builtInImplementation } from '../src/built-in/implementation.ts'
import { reasonOf, runSuite } from '../src/index.ts'
import type { CaseResult, Implementation } from '../src/index.ts'
import { CLOSED_PORT, engine, freePort, gateway, json, serve } from './helpers/servers.ts'
import type { Reading, TestServer } from './helpers/servers.ts'

const CALL = '<tool_call>\n{"name": "clock", "arguments": {"zone": "UTC"}}\n</tool_call>'
const CLOCK = { name: 'clock', description: 'Tells the time.', parameters: { type: 'object', properties: {} } }
const ASKED = [
  { role: 'user', content: 'Time?' },
  { role: 'assistant', content: '', function_call: { name: 'clock', arguments: '{"zone": "UTC"}' } },
  { role: 'function', name: 'clock', content: '12:00' },
]

let running: { close?(): Promise<void> }[] = []
let upstreamPort = 0
beforeEach(async () => {
  upstreamPort = await freePort()
})
afterEach(closeAll)

async function closeAll(): Promise<void> {
  for (const each of running.reverse()) await each.close?.()
  running = []
}

function closing<T extends { close?(): Promise<void> }>(opened: T): T {
  running.push(opened)
  return opened
}

async function over(server: Promise<TestServer>, options: Partial<HttpOptions> = {}): Promise<Implementation> {
  const { url } = closing(await server)
  return closing(await openHttp(url, { timeLimit: 5000, formats: ['nous'], ...options }))
}

function behind(reading: Reading): Promise<Implementation> {
  return over(gateway(upstreamPort, reading), { upstreamPort })
}

/** A case about nous whose answer is that of our own implementation. */
async function ask(op: string, input: { readonly [key: string]: PlainValue }): Promise<Case> {
  const question = { id: op, op, format: 'nous', profile: 'main', input: fromPlain(input) as PyDict }
  const reply = await builtInImplementation().answer(question)
  if (reply.kind !== 'returned') throw new Error(`the case ${op} has no answer`)
  const profile = op === 'render' ? 'main' : 'strict'
  return { ...question, profile, expected: reply, where: 'here' }
}

async function outcomes(implementation: Implementation, cases: readonly Case[]): Promise<readonly string[]> {
  const found: string[] = []
  for await (const result of runSuite(cases, implementation, { jobs: 4 })) found.push(outcomeOf(result))
  return found
}

function outcomeOf({ verdict }: CaseResult): string {
  return verdict.kind === 'passed' ? 'passed' : `${verdict.kind}: ${reasonOf(verdict) ?? ''}`
}

describe('a gateway that asks callspec as its upstream', () => {
  it('passes where it reads calls, whole and streamed, and writes tools into the prompt', async () => {
    const implementation = await behind('reads calls')

    const found = await outcomes(implementation, [
      await ask('parse', { text: `Let me look.\n${CALL}` }),
      await ask('parse', { text: 'It is noon, "\u00e9" \\ \n' }),
      await ask('stream', { chunks: ['Let me', ' look.\n<tool', '_call>', CALL.slice('<tool_call>'.length)] }),
      await ask('render', { messages: [{ role: 'user', content: 'Time?' }], tools: [CLOCK] }),
    ])

    expect(found).toEqual(['passed', 'passed', 'passed', 'passed'])
  })

  it('fails where it leaks markers, with the place', async () => {
    const implementation = await behind('leaks markers')

    const found = await outcomes(implementation, [
      await ask('parse', { text: CALL }),
      await ask('parse', { text: 'It is noon.' }),
      await ask('stream', { chunks: [CALL] }),
    ])

    expect(found.map((each) => each.slice(0, 6))).toEqual(['failed', 'passed', 'failed'])
    expect(found[0]).toContain('items')
  })

  it('is reported to reject a text that it answers with an HTTP error', async () => {
    const implementation = await behind('fails on calls')

    const [found] = await outcomes(implementation, [await ask('parse', { text: CALL })])

    expect(found).toBe('failed: other outcome: expected a map with items, got HTTP␣500: "list␣index␣out␣of␣range"')
  })

  it('is skipped where it does not stream, and judged in the rest', async () => {
    const implementation = await behind('does not stream')

    const found = await outcomes(implementation, [
      await ask('stream', { chunks: ['Hello.'] }),
      await ask('parse', { text: CALL }),
    ])

    expect(found).toEqual([
      'skipped: the server does not stream: it answered 400 with JSON: streams are not supported',
      'passed',
    ])
  })

  it('errs where it ends a stream twice', async () => {
    const implementation = await behind('ends twice')

    const found = await outcomes(implementation, [await ask('stream', { chunks: ['Hello.'] })])

    expect(found).toEqual(['errored: streamed 2 finish reasons; there must be one'])
  })

  it('has its prompts skipped where it hands tools on', async () => {
    const server = serve(async (path, body, response) => {
      if (path === '/v1/models') return json(response, 200, { data: [{ id: 'm' }] })
      if (path !== '/v1/chat/completions') return undefined
      const asked = { method: 'POST', body: JSON.stringify(body) }
      const answer = await fetch(`http://127.0.0.1:${upstreamPort}/v1/chat/completions`, asked)
      return json(response, answer.status, (await answer.json()) as object)
    })
    const implementation = await over(server, { upstreamPort })

    const found = await outcomes(implementation, [await ask('render', { messages: ASKED, tools: [CLOCK] })])

    expect(found).toEqual(['skipped: the server hands tools and calls on to its upstream; the prompt is made there'])
  })

  it('asks for the models of a gateway that hands this question on, too', async () => {
    const server = serve(async (path, body, response) => {
      const asked = path.endsWith('/models') ? {} : { method: 'POST', body: JSON.stringify(body) }
      const answer = await fetch(`http://127.0.0.1:${upstreamPort}${path}`, asked)
      json(response, answer.status, (await answer.json()) as object)
    })

    const implementation = await over(server, { upstreamPort })

    expect(implementation.about.name).toBe('callspec')
  })

  it('is broken when it redirects to another server', async () => {
    const server = closing(await engine('nothing'))

    const opening = openHttp(server.url, { timeLimit: 5000, formats: ['nous'], upstreamPort })

    await expect(opening).rejects.toThrow(
      `did not ask its upstream; it answered 200 with a JSON map. Point its upstream to http://127.0.0.1:${upstreamPort}/v1`,
    )
  })

  it('is no reason to listen on a port that is taken', async () => {
    const server = closing(await engine('nothing'))
    const taken = Number(new URL(server.url).port)

    const opening = openHttp(server.url, { timeLimit: 5000, formats: ['nous'], upstreamPort: taken })

    await expect(opening).rejects.toThrow(`--upstream-port ${taken}: cannot be listened on, it is taken.`)
  })
})

describe('an engine that cannot be pointed to an upstream', () => {
  it.each(['prompt', 'count', 'usage'] as const)('has its prompts compared by %s', async (shows) => {
    const implementation = await over(engine(shows))
    const right = await ask('render', { messages: [{ role: 'user', content: 'Zeit? 现在' }], tools: [CLOCK] })
    const wrong = { ...right, input: new Map([...right.input, ['tools', []]]) as PyDict }

    const [same, other] = await outcomes(implementation, [right, wrong])

    expect(same).toBe('passed')
    expect(other).toMatch(shows === 'prompt' ? /^failed: text: / : /^failed: prompt_tokens: /)
    expect(implementation.about).toMatchObject({ name: 'engine', version: '0.11.0' })
  })

  it('has its prompts skipped where its tokens are not those of Qwen', async () => {
    const implementation = await over(engine('another count'))

    const [found] = await outcomes(implementation, [await ask('render', { messages: ASKED, tools: [CLOCK] })])

    expect(found).toMatch(
      /^skipped: its POST \/tokenize counts \d+ tokens where the tokenizer of Qwen counts \d+, so numbers cannot be compared$/,
    )
  })

  it('has skipped, with the reason, what it does not show', async () => {
    const implementation = await over(engine('nothing'))

    const found = await outcomes(implementation, [
      await ask('render', { messages: ASKED, tools: [CLOCK] }),
      await ask('parse', { text: CALL }),
      await ask('stop', { text: 'a' }),
    ])

    expect(found).toEqual([
      'skipped: the server has no /apply-template, no /tokenize for messages, and no usage.prompt_tokens',
      'skipped: what a server makes of a text can be observed only where callspec plays its upstream: --upstream-port',
      'skipped: over HTTP, stop words are the matter of the engine, whose part callspec plays',
    ])
  })
})

describe('what a gateway answers to one case', () => {
  /** A gateway that asks its upstream as it should, and then answers in its own way. */
  async function answering(answer: (response: ServerResponse) => void): Promise<readonly string[]> {
    const server = serve(async (path, body, response) => {
      if (path === '/v1/models') return json(response, 200, { data: [{ id: 'm' }] })
      if (path !== '/v1/chat/completions') return undefined
      const asked = { method: 'POST', body: JSON.stringify(body) }
      await fetch(`http://127.0.0.1:${upstreamPort}/v1/chat/completions`, asked)
      return answer(response)
    })
    const implementation = await over(server, { upstreamPort })
    return outcomes(implementation, [
      await ask('parse', { text: 'It is noon.' }),
      await ask('stream', { chunks: ['It is noon.'] }),
    ])
  }

  const type = (response: ServerResponse, name: string): ServerResponse =>
    response.writeHead(200, { 'content-type': name })

  it('errs where it is an HTML page', async () => {
    const found = await answering((response) => type(response, 'text/html').end('<h1>It works!</h1>'))

    expect(found).toEqual(Array(2).fill('errored: answered with text/html instead of JSON: <h1>It works!</h1>'))
  })

  it('errs where a stream was asked for, or none', async () => {
    const [, streamed] = await answering((response) => json(response, 200, { choices: [] }))
    await closeAll()
    const [whole] = await answering((response) => type(response, 'text/event-stream').end('data: [DONE]\n\n'))

    expect(streamed).toBe('errored: answered with one JSON map, although a stream was asked for')
    expect(whole).toBe('errored: answered with text/event-stream instead of JSON: data: [DONE]')
  })

  it('errs where an event is no JSON, or says that something broke', async () => {
    const [, rubbish] = await answering((response) => type(response, 'text/event-stream').end('data: {"a\n\n'))
    await closeAll()
    const broken = 'data: {"error": {"message": "out of memory"}}\n\n'
    const [, failing] = await answering((response) => type(response, 'text/event-stream').end(broken))

    expect(rubbish).toBe('errored: streamed an event that is no JSON map: {"a')
    expect(failing).toBe('errored: streamed an error: {"error": {"message": "out of memory"}}')
  })

  it('errs where a call of a stream has no index', async () => {
    const call = { function: { name: 'clock', arguments: '{}' } }
    const events = [{ delta: { tool_calls: [call] } }, { delta: {}, finish_reason: 'tool_calls' }]
    const text = events.map((choice) => `data: ${JSON.stringify({ choices: [choice] })}\n\n`).join('')
    const [, found] = await answering((response) => type(response, 'text/event-stream').end(text))

    expect(found).toMatch(/^errored: gave an output that is not one of "stream": .*index/)
  })

  it('errs where it is longer than anybody wants to hold', async () => {
    const megabyte = Buffer.alloc(1024 * 1024, ' ')
    const [found] = await answering((response) => {
      type(response, 'application/json')
      for (let at = 0; at < 17; at += 1) response.write(megabyte)
      response.end()
    })

    expect(found).toBe('errored: sent a body of more than 16777216 bytes')
  })

  it('is an error if the server answers from a cache, without its upstream', async () => {
    let isProbed = false
    const server = serve(async (path, body, response) => {
      if (path === '/v1/models') return json(response, 200, { data: [{ id: 'm' }] })
      if (path !== '/v1/chat/completions') return undefined
      const asked = { method: 'POST', body: JSON.stringify(body) }
      if (!isProbed) await fetch(`http://127.0.0.1:${upstreamPort}/v1/chat/completions`, asked)
      isProbed = true
      return json(response, 200, { choices: [{ message: { content: 'It is noon.' } }] })
    })
    const implementation = await over(server, { upstreamPort })

    const found = await outcomes(implementation, [await ask('parse', { text: 'It is noon.' })])

    expect(found).toEqual(['errored: sent no request to its upstream; it answered 200 with a JSON map'])
  })

  it('errs where the connection is closed in the middle', async () => {
    const [found] = await answering((response) => {
      type(response, 'application/json').write('{"choices": [')
      setImmediate(() => response.destroy())
    })

    expect(found).toMatch(/^errored: (closed the connection|could not be asked)/)
  })
})

describe('callspec as an upstream', () => {
  it('turns away a request for a case that is over, and what it does not play', async () => {
    const upstream = closing(await startUpstream(0))
    const url = `http://127.0.0.1:${upstream.port}/v1`
    const post = async (path: string, content: string): Promise<number> => {
      const body = JSON.stringify({ messages: [{ role: 'user', content }] })
      return (await fetch(`${url}${path}`, { method: 'POST', body })).status
    }
    upstream.play({ mark: '2', chunks: ['Hello.'] })

    const statuses = [
      await post('/chat/completions', '[callspec:1]'),
      await post('/chat/completions', '[callspec:2]'),
      await post('/chat/completions', 'no mark'),
      await post('/embeddings', '[callspec:2]'),
    ]

    expect(statuses).toEqual([410, 200, 200, 404])
    expect(upstream.requests()).toHaveLength(2)
  })

  it('says every character of a text, also an unpaired surrogate', async () => {
    const upstream = closing(await startUpstream(0))
    const text = 'a\ud800"\\ \u2028 😀'
    upstream.play({ mark: '1', chunks: [text] })

    const answer = await fetch(`http://127.0.0.1:${upstream.port}/v1/completions`, { method: 'POST', body: '{}' })

    expect(await answer.json()).toMatchObject({ object: 'text_completion', choices: [{ text, finish_reason: 'stop' }] })
  })
})

describe('what is no such server', () => {
  it('is broken at a port that fetch blocks, and the port is named', async () => {
    const url = 'http://127.0.0.1:6666/v1'

    await expect(openHttp(url, { timeLimit: 5000, formats: ['nous'] })).rejects.toThrow(
      `${url}: the server cannot be asked: fetch blocks port 6666, as browsers do; start it on another. Is it running`,
    )
  })

  it('is broken when no server listens', async () => {
    const url = `http://127.0.0.1:${CLOSED_PORT}/v1`

    const opening = openHttp(url, { timeLimit: 5000, formats: ['nous'] })

    await expect(opening).rejects.toThrow(
      `${url}: the server refuses connections (ECONNREFUSED). Is it running, and is this its address?`,
    )
  })

  it('is broken when it answers HTML', async () => {
    const server = await serve((_path, _body, response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end('<!doctype html>\n<title>Welcome</title>')
    })

    const opening = openHttp(closing(server).url, { timeLimit: 5000, formats: ['nous'] })

    await expect(opening).rejects.toThrow(
      'gives no list of models; it answered 200 with text/html: <!doctype html> <title>Welcome</title>. Is this an',
    )
  })

  it.each([
    [200, { data: [] }, 'the server lists no model. Load one, or name it with --model.'],
    [401, { error: { message: 'who?' } }, 'it answered 401 with JSON: who?. Put its key into OPENAI_API_KEY.'],
    [302, {}, 'it answered 302, a redirect, which is not followed. Is this an OpenAI-compatible server?'],
  ])('is broken when it answers the question for its models with %i %j', async (status, body, message) => {
    const server = await serve((_path, _body, response) => json(response, status, body))

    const opening = openHttp(closing(server).url, { timeLimit: 5000, formats: ['nous'] })

    await expect(opening).rejects.toThrow(message)
  })

  it('is broken when it hangs', async () => {
    const server = await serve(() => new Promise(() => undefined))

    const opening = openHttp(closing(server).url, { timeLimit: 100, formats: ['nous'] })

    await expect(opening).rejects.toThrow('gave no answer within 100 ms')
  })

  it('costs one time limit per case when it hangs later', async () => {
    const server = serve(async (path, body, response) => {
      if (path === '/v1/models') return json(response, 200, { data: [{ id: 'm' }] })
      if (path !== '/v1/chat/completions') return undefined
      const asked = { method: 'POST', body: JSON.stringify({ ...body, tools: undefined }) }
      const answer = await fetch(`http://127.0.0.1:${upstreamPort}/v1/chat/completions`, asked)
      const text = await answer.text()
      if (text.includes('tool_call')) return new Promise(() => undefined)
      return json(response, 200, JSON.parse(text) as object)
    })
    const implementation = await over(server, { upstreamPort, timeLimit: 300 })

    const found = await outcomes(implementation, [
      await ask('parse', { text: CALL }),
      await ask('parse', { text: 'It is noon.' }),
    ])

    expect(found).toEqual(['errored: gave no answer within 300 ms', 'passed'])
  })
})
