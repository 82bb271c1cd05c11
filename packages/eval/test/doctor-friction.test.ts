import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { examine, isHealthy } from '../src/doctor/doctor.ts'
import { examineQuickly } from './helpers/examine-quickly.ts'
import type { Finding } from '../src/doctor/finding.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A server on 127.0.0.1 with these models, and what it answers to chats. */
async function serve(models: readonly string[], chat: Answer): Promise<{ baseUrl: string; chats: () => number }> {
  let chats = 0
  const server = createServer((request, response) => {
    request.resume()
    if (request.url === '/v1/models') {
      response.end(JSON.stringify({ data: models.map((id) => ({ id })) }))
      return
    }
    if (request.url?.startsWith('/v1/') === true) chats += 1
    chat(request, response)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, chats: () => chats }
}

/** Says the same to everything, under a name. */
const sayingAs =
  (model: string): Answer =>
  (_, response) => {
    const message = { role: 'assistant', content: 'It is three hundred ninety one, as far as I know.' }
    const usage = { prompt_tokens: 9, completion_tokens: 12 }
    response.end(JSON.stringify({ id: 'c', model, choices: [{ index: 0, message, finish_reason: 'stop' }], usage }))
  }

function ofModel(findings: readonly Finding[]): Finding | undefined {
  return findings.find(({ check }) => check === 'model')
}

describe('the doctor, quick and whole,', () => {
  it('reports that another model answers', async () => {
    const { baseUrl } = await serve(['m', 'n'], sayingAs('n'))
    const asked = { baseUrl, apiKey: 'EMPTY', model: 'm', timeoutMs: 5000 }

    for (const { findings } of [await examine(asked), await examineQuickly(asked)])
      expect(ofModel(findings)).toMatchObject({ verdict: 'warn', evidence: 'asked for "m", answered by "n"' })
  })

  it('takes a date, a path and a tag for the same model', async () => {
    for (const name of ['m', 'org/m', 'm-2024-08-06', 'm:latest']) {
      const { baseUrl } = await serve(['m'], sayingAs(name))

      expect(ofModel((await examine({ baseUrl, apiKey: 'EMPTY', timeoutMs: 5000 })).findings)?.verdict).toBe('ok')
    }
  })

  it('asks a server that hangs once, and says so', async () => {
    const { baseUrl, chats } = await serve(['m'], () => {})
    const asked = { baseUrl, apiKey: 'EMPTY', timeoutMs: 200 }

    const whole = await examine(asked)
    expect([chats(), whole.isAsked]).toEqual([1, false])
    expect(whole.findings.at(-1)).toMatchObject({
      check: 'chat',
      verdict: 'fail',
      evidence: 'the server did not finish its answer in time',
      whatToChange: expect.stringContaining('raise --timeout') as string,
    })
    const quick = await examineQuickly(asked)
    expect([chats(), quick.isAsked, quick.scripts.length]).toEqual([2, false, 1])
    expect(quick.scripts[0]?.whole).toMatchObject({
      verdict: 'fail',
      whatToChange: expect.stringContaining('raise --timeout') as string,
    })
  })

  it.each([401, 403])('asks for a key after %i to a chat', async (status) => {
    const { baseUrl } = await serve(['m'], (_, response) => void response.writeHead(status).end('{}'))
    const asked = { baseUrl, apiKey: 'EMPTY', timeoutMs: 5000 }
    const change = 'Put a key of this server into a variable, and name that with --api-key-env.'

    expect((await examine(asked)).findings.at(-1)).toMatchObject({ check: 'chat', whatToChange: change })
    expect((await examineQuickly(asked)).scripts[0]?.whole).toMatchObject({ whatToChange: change })
  })

  it.each([
    [['m'], '"m" is listed, and no other'],
    [['m', 'n', 'o'], '"m" is the first one listed; --model takes another: "n", "o"'],
    [
      ['m', ...Array.from({ length: 14 }, (_, at) => `n${at}`)],
      '"m" is the first one listed; --model takes another: "n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9", "n10", "n11", … (2 more)',
    ],
  ])('takes the first of %j where none is named, and names the others', async (listed, evidence) => {
    const { baseUrl } = await serve(listed, sayingAs('m'))

    const { model, findings } = await examine({ baseUrl, apiKey: 'EMPTY', model: null, timeoutMs: 5000 })

    expect([model, ofModel(findings)]).toMatchObject(['m', { verdict: 'ok', evidence, whatToChange: null }])
  })

  it('fails for a model that is not listed where others are', async () => {
    const { baseUrl } = await serve(['m'], sayingAs('nope'))

    const found = await examine({ baseUrl, apiKey: 'EMPTY', model: 'nope', timeoutMs: 5000 })
    expect([ofModel(found.findings)?.verdict, isHealthy(found)]).toEqual(['fail', false])
    const known = await examine({ baseUrl, apiKey: 'EMPTY', model: 'm:free', timeoutMs: 5000 })
    expect(ofModel(known.findings)?.verdict).toBe('warn')
  })
})
