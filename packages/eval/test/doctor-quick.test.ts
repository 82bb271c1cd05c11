import { readFileSync } from 'node:fs'
import { Validator } from '@cfworker/json-schema'
import { describe, expect, it } from 'vitest'
import { readReferences, startSimServer } from '@callspec/sim'
import { doctorJson, isHealthy } from '../src/doctor/doctor.ts'
import { quickSuite, SCRIPTS } from '../src/doctor/scripts.ts'
import type { ScriptFinding } from '../src/doctor/finding.ts'
import { examineQuickly } from './helpers/examine-quickly.ts'
import type { QuickReport } from './helpers/examine-quickly.ts'
import { withOtherApis } from './helpers/other-api.ts'
import { quickServer } from './helpers/quick-server.ts'
import type { Defect, WireCall, WireReply } from './helpers/quick-server.ts'

async function report(defect: Defect): Promise<QuickReport> {
  const { baseUrl } = await quickServer(defect)
  return examineQuickly({ baseUrl, apiKey: 'sk-secret-key-1', model: 'm', timeoutMs: 5000 })
}

/** What is not ok: `script whole/streamed`, and the first words about it. */
function ills({ scripts }: QuickReport): Readonly<Record<string, string>> {
  const ill = scripts.filter(({ whole, streamed }) => whole.verdict !== 'ok' || streamed.verdict !== 'ok')
  return Object.fromEntries(ill.map(({ script, whole, streamed }) => [script, `${whole.verdict}/${streamed.verdict}`]))
}

function evidence({ scripts }: QuickReport, script: string): readonly (string | null)[] {
  const row = scripts.find((each) => each.script === script)
  const said = row?.whole.verdict === 'ok' ? row.streamed : row?.whole
  return [said?.evidence ?? null, said?.whatToChange ?? null]
}

/** Changes the calls of replies that have some. */
function calls(change: (call: WireCall, at: number) => WireCall): Defect {
  return {
    reply: (reply) => (reply.tool_calls === undefined ? reply : { ...reply, tool_calls: reply.tool_calls.map(change) }),
  }
}

/** Changes the arguments of calls, which are texts. */
function args(change: (text: string) => unknown): Defect {
  return calls(({ function: called, ...call }) => ({
    ...call,
    function: { ...called, arguments: change(String(called.arguments)) },
  }))
}

/** The reply of a server that reads no calls. */
function unread(reply: WireReply): WireReply {
  const text = (reply.tool_calls ?? [])
    .map(
      ({ function: { name, arguments: json } }) =>
        `<tool_call>\n{"name": "${name}", "arguments": ${String(json)}}\n</tool_call>`,
    )
    .join('\n')
  return text === '' ? reply : { content: text, finish: 'stop' }
}

const ALL_CALLS = SCRIPTS.filter((script) => script.calls.length > 0).map(({ id }) => id)

describe('the quick doctor', () => {
  it('finds nothing wrong with a server that does everything, in ten requests of each kind', async () => {
    const { baseUrl, requests } = await quickServer()

    const found = await examineQuickly({ baseUrl, apiKey: 'EMPTY' })

    expect(ills(found)).toEqual({})
    expect(isHealthy(found)).toBe(true)
    const streamed = requests.map(({ body }) => body.includes('"stream":true'))
    expect([streamed.length, streamed.filter(Boolean).length]).toEqual([21, 10])
  })

  it('finds nothing wrong with a simulated model that knows the answers', async () => {
    const server = await startSimServer({ references: readReferences(quickSuite()) })
    try {
      const found = await examineQuickly({ baseUrl: server.baseUrl, apiKey: 'EMPTY', model: 'sim/perfect' })

      expect(ills(found)).toEqual({})
    } finally {
      await server.close()
    }
  })

  it.each([
    ['arguments_object', 'fail/fail', 'are a value'],
    ['finish(stop)', 'warn/warn', 'the finish reason is "stop"'],
    ['finish(null)', 'warn/fail', 'finish_reason'],
    ['stream_end(2)', 'fail/fail', 'broke off'],
  ])('finds what a simulated server does: %s', async (transport, verdicts, says) => {
    const server = await startSimServer({ references: readReferences(quickSuite()) })
    try {
      const model = `sim/oracle?transport=${transport}`
      const found = await examineQuickly({ baseUrl: server.baseUrl, apiKey: 'EMPTY', model, timeoutMs: 5000 })

      const row = ills(found)['nested-arguments']
      expect([row, evidence(found, 'nested-arguments')[0]]).toEqual([verdicts, expect.stringContaining(says)])
    } finally {
      await server.close()
    }
  })

  it.each([
    ['no parser reads the calls', { reply: unread }, ALL_CALLS, 'the replies are nous', '--tool-call-parser hermes'],
    [
      'a second call is left in the text',
      {
        reply: (reply) =>
          (reply.tool_calls ?? []).length < 2
            ? reply
            : {
                ...reply,
                content: unread({ ...reply, tool_calls: (reply.tool_calls ?? []).slice(1) }).content,
                tool_calls: (reply.tool_calls ?? []).slice(0, 1),
              },
      },
      ['parallel-calls'],
      'the replies are nous',
      'hermes',
    ],
    [
      'calls are announced and absent',
      { reply: ({ tool_calls: _calls, ...reply }) => reply },
      ALL_CALLS,
      'no call arrives',
      'parser',
    ],
    [
      'a call is left in the reasoning',
      {
        reply: (reply) =>
          reply.tool_calls === undefined
            ? reply
            : { content: null, reasoning_content: unread(reply).content ?? '', finish: 'stop' },
      },
      ALL_CALLS,
      'left in the reasoning',
      'hermes',
    ],
    ['ids are missing', calls(({ id: _id, ...call }) => call), ALL_CALLS, 'no unique id', 'ids'],
    ['ids are the same', calls((call) => ({ ...call, id: 'x' })), ['parallel-calls'], 'no unique id', 'ids'],
    ['arguments are values', args((text) => JSON.parse(text) as unknown), ALL_CALLS, 'are a value', 'text of JSON'],
    [
      'no arguments are an empty text',
      args((text) => (text === '{}' ? '' : text)),
      ['no-arguments'],
      'not a JSON object',
      'parser',
    ],
    ['arguments are cut off', args((text) => text.slice(0, -1)), ALL_CALLS, 'not a JSON object', 'parser'],
    [
      'arguments are swallowed',
      args(() => '{}'),
      ALL_CALLS.filter((id) => id !== 'no-arguments'),
      '64 tokens were counted',
      'loses them',
    ],
    [
      'characters are damaged',
      args((text) => text.replace('ü', '\ufffd')),
      ['unicode-arguments'],
      'damaged',
      'between chunks',
    ],
    [
      'characters are escaped twice',
      args((text) => text.replace('ü', '\\\\u00fc')),
      ['unicode-arguments'],
      'damaged',
      'between chunks',
    ],
    [
      'a forced call does not come',
      { reply: (reply, { choice }) => (choice === undefined ? reply : { content: 'It is cold.', finish: 'stop' }) },
      ['forced-call', 'forced-tool'],
      'although tool_choice asks for one',
      'tool_choice',
    ],
    [
      'another tool is called than the one that was named',
      calls((call) =>
        String(call.function.arguments).includes('Madrid')
          ? { ...call, function: { name: 'get_time', arguments: '{}' } }
          : call,
      ),
      ['forced-tool'],
      'not the tool that was named',
      'tool_choice',
    ],
  ] satisfies readonly (readonly [string, Defect, readonly string[], string, string])[])(
    'finds that %s, whole and streamed',
    async (_, defect, scripts, says, change) => {
      const found = await report(defect)

      expect(ills(found)).toEqual(Object.fromEntries(scripts.map((id) => [id, 'fail/fail'])))
      expect(evidence(found, scripts[0] ?? '')).toEqual([
        expect.stringContaining(says),
        expect.stringContaining(change),
      ])
      expect(isHealthy(found)).toBe(false)
    },
  )

  it.each([
    [
      'calls are lost',
      ({ delta, ...rest }) => ({ ...rest, delta: 'tool_calls' in delta ? {} : delta }),
      'no call arrives',
    ],
    ['every call has the index 0', (each) => withCall(each, (call) => ({ ...call, index: 0 })), 'C3 ('],
    ['no call has an index', (each) => withCall(each, ({ index: _index, ...call }) => call), 'C3 ('],
    [
      'the last pieces of arguments are lost',
      (each) => (JSON.stringify(each).includes('"}"') ? { ...each, delta: {} } : each),
      'not a JSON object',
    ],
    [
      'every delta has another id',
      (each, at) => withCall(each, (call) => ({ ...call, id: `call_${at}` })),
      'changes within a call',
    ],
    [
      'characters are cut in half',
      (each) =>
        withCall(each, (call) =>
          JSON.stringify(call).includes('🎉') ? { ...call, function: { arguments: '\ud83c' } } : call,
        ),
      'inside a character',
    ],
    [
      'the end comes too early',
      (each, at) => (at === 1 ? { ...each, finish_reason: 'stop' } : each),
      'a second finish reason comes',
    ],
  ] satisfies readonly (readonly [string, (delta: WireDeltaLike, at: number) => WireDeltaLike, string])[])(
    'finds that in streams alone %s',
    async (_, change, says) => {
      const found = await report({ deltas: (deltas) => deltas.map(change) })

      const verdicts = new Set(Object.values(ills(found)))
      const said = found.scripts.map(({ streamed }) => streamed.evidence).join('\n')
      expect([...verdicts]).toEqual(['ok/fail'])
      expect(said).toContain(says)
    },
  )

  it.each([
    [
      'a thought stands in the text',
      { reply: (reply) => ({ ...reply, content: `<think>Hm.</think>${reply.content ?? ''}` }) },
      'one-call',
      'reasoning parser',
    ],
    [
      'the result is passed over',
      { reply: (reply, { id }) => (id === 'after-result' ? { ...reply, content: 'I do not know.' } : reply) },
      'after-result',
      'result',
    ],
    [
      'a call comes that nobody asked for',
      {
        reply: (reply, { id }) =>
          id === 'no-call'
            ? {
                content: null,
                tool_calls: [{ id: 'c', type: 'function', function: { name: 'get_time', arguments: '{}' } }],
                finish: 'tool_calls',
              }
            : reply,
      },
      'no-call',
      'Is it the model',
    ],
    ['a type is another one', args((text) => text.replace('14', '"14"')), 'nested-arguments', 'Is it the model'],
    ['other arguments come', args((text) => text.replace('Paris', 'London')), 'one-call', 'Is it the model'],
    [
      'tool_choice is refused',
      {
        answer: (_, response, script) => {
          if (script?.choice === undefined) return false
          response.writeHead(400).end('{"error":{"message":"no tool_choice here"}}')
          return true
        },
      },
      'forced-call',
      null,
    ],
  ] satisfies readonly (readonly [string, Defect, string, string | null])[])(
    'warns and fails nothing where %s',
    async (_, defect, script, change) => {
      const found = await report(defect)

      expect(ills(found)[script]).toBe('warn/warn')
      expect(evidence(found, script)[1]).toEqual(change === null ? null : expect.stringContaining(change))
      expect(isHealthy(found)).toBe(true)
    },
  )

  it.each([
    [
      'a model calls nothing by itself',
      { reply: (reply, { choice }) => (choice === undefined ? { content: 'It is 37.', finish: 'stop' } : reply) },
      'one-call',
    ],
    [
      'a model makes one call of two',
      {
        reply: (reply) => ({
          ...reply,
          ...(reply.tool_calls === undefined ? {} : { tool_calls: reply.tool_calls.slice(0, 1) }),
        }),
      },
      'parallel-calls',
    ],
    [
      'a reply is cut off',
      { reply: (reply, { id }) => (id === 'one-call' ? { content: 'I will', finish: 'length' } : reply) },
      'one-call',
    ],
    [
      'there were too many requests',
      {
        answer: (_, response, script) => {
          if (script?.id !== 'one-call') return false
          response.writeHead(429).end('{"error":{"message":"slow down"}}')
          return true
        },
      },
      'one-call',
    ],
  ] satisfies readonly (readonly [string, Defect, string])[])('does not know where %s', async (_, defect, script) => {
    const found = await report(defect)

    expect(ills(found)[script]).toBe('unknown/unknown')
    expect(isHealthy(found)).toBe(true)
  })

  it('blames a stream that says something else only where whole replies agree with themselves', async () => {
    let count = 0
    const text = (reply: WireReply): WireReply => ({
      ...reply,
      content: reply.content === null ? null : `37 ${count++}`,
    })

    const steady = await report({
      deltas: (deltas) =>
        deltas.map((each) => ('content' in each.delta ? { ...each, delta: { content: '37 C' } } : each)),
    })
    const varied = await report({ reply: text })

    expect([ills(steady)['after-result'], ills(varied)['after-result']]).toEqual(['ok/fail', undefined])
  })

  it('asks a server that refuses the key once, and says so without the key', async () => {
    const { baseUrl, requests } = await quickServer({
      answer: (_, response, script) => {
        if (script === null) return false
        response.writeHead(401).end('{"error":{"message":"sk-secret-key-1 is no key"}}')
        return true
      },
    })

    const found = await examineQuickly({ baseUrl, apiKey: 'sk-secret-key-1', model: 'm' })

    expect(requests.length).toBe(2)
    expect([found.scripts.length, JSON.stringify(found).includes('secret')]).toEqual([1, false])
    expect(isHealthy(found)).toBe(false)
  })

  it('goes to no other server, and takes no key there', async () => {
    const elsewhere = await quickServer()
    for (const status of [301, 302, 307, 308]) {
      const { baseUrl } = await quickServer({
        answer: (_, response, script) => {
          if (script === null) return false
          response.writeHead(status, { location: `${elsewhere.baseUrl}/chat/completions` }).end()
          return true
        },
      })

      const found = await examineQuickly({ baseUrl, apiKey: 'sk-secret-key-1', model: 'm' })

      expect([status, found.scripts[0]?.whole]).toEqual([
        status,
        {
          verdict: 'fail',
          evidence: expect.stringContaining('the server redirects') as string,
          whatToChange:
            'Redirects are not followed. If the target is the server you mean, give its address with --base-url.',
        },
      ])
    }
    expect(elsewhere.requests).toEqual([])
  })

  it('ends with its budget, with any server', async () => {
    const { baseUrl } = await quickServer({ answer: (_, __, script) => script !== null })

    const found = await examineQuickly({ baseUrl, apiKey: 'EMPTY', model: 'm', budgetMs: 200, timeoutMs: 10_000 })

    expect(new Set(found.scripts.flatMap(({ whole, streamed }) => [whole.verdict, streamed.verdict]))).toEqual(
      new Set(['unknown']),
    )
    expect(found.isAsked).toBe(false)
  })

  it.each(['doctor', 'doctor-quick'])('reports as %s.schema.json says', async (name) => {
    const path = new URL(`../schemas/${name}.schema.json`, import.meta.url)
    const schema = JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, unknown>>
    const validator = new Validator(schema, '2020-12')

    const json = JSON.parse(JSON.stringify(doctorJson(await report({ reply: unread })))) as Readonly<
      Record<string, unknown>
    >

    expect(validator.validate(json).errors).toEqual([])
    expect(validator.validate({ ...json, isHealthy: 'no' }).valid).toBe(false)
    expect(schema).toMatchObject({
      properties: { scripts: { items: { properties: { script: { enum: SCRIPTS.map(({ id }) => id) } } } } },
    })
  })
})

type WireDeltaLike = Parameters<NonNullable<Defect['deltas']>>[0][number]

function withCall(each: WireDeltaLike, change: (call: Readonly<Record<string, unknown>>) => object): WireDeltaLike {
  const [call] = (each.delta['tool_calls'] ?? []) as readonly Readonly<Record<string, unknown>>[]
  return call === undefined ? each : { ...each, delta: { tool_calls: [change(call)] } }
}

describe('the quick doctor over several APIs', () => {
  const APIS = ['chat', 'messages', 'responses'] as const
  const over = async (defect: Defect, fetch = withOtherApis(globalThis.fetch)): Promise<QuickReport> => {
    const { baseUrl } = await quickServer(defect)
    return examineQuickly({ baseUrl, apiKey: 'sk-secret-key-1', model: 'm', timeoutMs: 5000, apis: APIS, fetch })
  }
  /** The rows of each API, without its name. */
  const byApi = ({ scripts }: QuickReport): readonly unknown[] =>
    APIS.map((api) =>
      scripts
        .filter((row) => (row.api ?? 'chat') === api)
        .map(({ script, whole, streamed }) => [script, told(whole), told(streamed)]),
    )
  // Messages have the values of arguments, which are spelled otherwise.
  const told = ({ verdict, evidence: text, whatToChange }: ScriptFinding): unknown => [
    verdict,
    text.replace(/\s+/g, '').slice(0, 40),
    whatToChange,
  ]

  it.each([
    ['a server that does everything', {}],
    ['one that reads no calls', { reply: unread }],
    ['calls without arguments', args(() => '{}')],
  ])('says the same of %s over each', async (_, defect) => {
    const [chat, messages, responses] = byApi(await over(defect))

    expect(messages).toEqual(chat)
    expect(responses).toEqual(chat)
  })

  it('does not blame a server for an API that it lacks', async () => {
    const send = withOtherApis(globalThis.fetch)
    const lacking: typeof fetch = (url, init) =>
      String(url).endsWith('/messages') ? Promise.resolve(new Response('no', { status: 404 })) : send(url, init)
    const report = await over({}, lacking)

    const rows = report.scripts.filter(({ api }) => api === 'messages')
    expect(rows.map(({ whole, streamed }) => [whole.verdict, streamed.verdict])).toEqual([['unknown', 'unknown']])
    expect(rows[0]?.whole.evidence).toMatch(/^the server does not have it: /)
    expect(isHealthy(report)).toBe(true)
    expect(report.scripts).toHaveLength(21)
  })
})
