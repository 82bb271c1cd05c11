import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Validator } from '@cfworker/json-schema'
import { afterEach, describe, expect, it } from 'vitest'
import { startSimServer } from '@callspec/sim'
import { doctorJson, examine, isHealthy } from '../src/doctor/doctor.ts'
import { CHECKS, FURTHER_CHECKS } from '../src/doctor/finding.ts'
import type { Check } from '../src/doctor/finding.ts'
import { asksForNous, closeSick, ills, report, serve, SILENT, verdict } from './helpers/examine-sick.ts'
import { CALL, PROSE, REACT } from './helpers/sick-server.ts'
import type { Illness } from './helpers/sick-server.ts'

const SCHEMA = new URL('../schemas/doctor.schema.json', import.meta.url)

const open: Server[] = []
afterEach(async () => {
  for (const server of open.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
  await closeSick()
})

/** Without a response template nothing is predicted. */
const ALWAYS = CHECKS.filter((check) => check !== 'response-template')

describe('the doctor', () => {
  it('finds nothing wrong with a server that does everything', async () => {
    const found = await report({})

    expect(found.findings.map(({ check, verdict: each }) => [check, each])).toEqual(
      ALWAYS.map((check) => [check, 'ok']),
    )
    expect(found.findings.filter(({ whatToChange }) => whatToChange !== null)).toEqual([])
    expect(isHealthy(found)).toBe(true)
  })

  it('forces calls only where the model makes none by itself', async () => {
    const [calls, silent] = [await serve({}), await serve({ text: SILENT })]

    for (const { baseUrl } of [calls, silent]) await examine({ baseUrl, apiKey: 'EMPTY', model: 'm' })

    const named = { type: 'function', function: { name: 'calculator' } }
    expect(calls.bodies.filter((body) => body.tool_choice !== undefined)).toEqual([])
    expect(silent.bodies.flatMap((body) => body.tool_choice ?? [])).toEqual(['required', 'required', named, named])
    expect([calls.bodies.length, silent.bodies.length]).toEqual([14, 18])
  })

  it('asks the first model of the list where none is named, and warns of one that is not in it', async () => {
    expect((await report({}, null)).model).toBe('m')
    expect(verdict(await report({}, 'x'), 'model')).toEqual([
      'fail',
      '"x" is not listed; there are "m", "n"',
      'Is the name right? It is asked all the same.',
    ])
  })

  it('counts the events of a stream, also where they come in one piece', async () => {
    expect(verdict(await report({}), 'stream')[1]).toBe('equal to the whole reply, in 14 events')
  })

  it.each([
    ['nothing is counted', { usage: 'none' }, 'usage', 'unknown'],
    ['streams are not counted', { usage: 'whole' }, 'usage', '--no-stream'],
    ['a stop word is left in the text', { habits: ['keeps-stop'] }, 'stop-words', 'removes it and warns'],
    ['tools are refused', { refuses: ['tools'] }, 'native-calls', 'tool parser'],
    ['arguments are no JSON', { habits: ['breaks-arguments'], refuses: ['completions'] }, 'call-arguments', 'parser'],
    ['prose is perhaps dropped', { habits: ['drops-prose'], usage: 'none' }, 'call-prose', 'before a call'],
    ['arguments come as an object', { habits: ['gives-objects'] }, 'call-arguments', 'to text'],
    ['there are no text completions', { refuses: ['completions'] }, 'raw-completions', '--api chat'],
    ['the finish reason is missing', { finish: null }, 'chat', 'token limit'],
    [
      'special tokens are stripped',
      { text: (body) => (asksForNous(body) && body.tools === undefined ? CALL.slice(12, -13) : undefined) },
      'call-markers',
      'skip_special_tokens',
    ],
    ['replies differ', { text: (_, requests) => `${REACT}${requests}` }, 'seed', '--repeat 3'],
    [
      'three seeds reply alike',
      { text: (body) => (asksForNous(body) ? undefined : REACT) },
      'seed',
      '--repeat 1 shows',
    ],
    [
      'a model runs on',
      {
        text: ({ prompt }) => (prompt === undefined ? undefined : `${REACT}<|im_end|>\n<|im_start|>user`),
        habits: ['stops-at-nothing'],
      },
      'raw-completions',
      'ChatML',
    ],
    [
      'a bare prompt is answered with an endless nonsense',
      { text: ({ prompt }) => (prompt === undefined ? undefined : '"} }" '.repeat(200)) },
      'raw-completions',
      'ChatML',
    ],
    [
      'a bare prompt is not answered',
      { text: ({ prompt }) => (prompt === undefined ? undefined : ' ') },
      'raw-completions',
      'ChatML',
    ],
    [
      'tool_choice is passed over',
      { text: ({ tools }) => (tools === undefined ? undefined : 'It is 391.') },
      'native-calls',
      'ignores tool_choice, or it drops the call',
    ],
  ] satisfies readonly (readonly [string, Illness, Check, string])[])(
    'warns where %s, and says what to do',
    async (_, illness, check, change) => {
      const found = await report(illness)

      const [seen, , whatToChange] = verdict(found, check)
      expect([seen, whatToChange]).toEqual(['warn', expect.stringContaining(change) as string])
    },
  )

  it.each([
    ['stop words are ignored', { habits: ['stops-at-nothing'] }, 'stop-words', 'continued after', '--stops off'],
    [
      'the parser is one for other models',
      { habits: ['leaves-calls'] },
      'native-calls',
      'the replies are nous',
      '--tool-call-parser hermes',
    ],
    ['the parser breaks on the call', { habits: ['breaks-on-calls'] }, 'native-calls', 'cannot read', 'parser'],
    ['a call is announced and absent', { habits: ['drops-calls'] }, 'native-calls', 'no call arrives', 'parser'],
    [
      'a call is eaten, tokens are counted',
      { habits: ['drops-calls', 'drops-prose'], finish: 'stop' },
      'native-calls',
      'tokens were counted',
      'parser',
    ],
    [
      'a forced call is left in the text',
      { habits: ['leaves-calls'], text: SILENT },
      'native-calls',
      'the parser of this server does not match: the replies are nous',
      '--tool-call-parser hermes',
    ],
    [
      'a call vanishes from a text that the server shows the prompt of',
      { habits: ['drops-calls'], finish: 'stop', door: 'apply-template' },
      'native-calls',
      'no call arrives',
      'parser',
    ],
    [
      'prose behind a thought is dropped',
      {
        habits: ['drops-prose'],
        door: 'apply-template',
        reasoning: 'It is 17*23.',
        text: ({ prompt, tools }) =>
          prompt?.includes('<tools>') === true || tools !== undefined
            ? `${tools === undefined ? '<think>It is 17*23.</think>' : ''}${PROSE}\n${CALL}`
            : undefined,
      },
      'call-prose',
      `drop "${PROSE}"`,
      'before a call',
    ],
    ['prose before a call is dropped', { habits: ['drops-prose'] }, 'call-prose', `drop "${PROSE}"`, 'before a call'],
    [
      'prose is dropped where the server shows its prompt',
      { habits: ['drops-prose'], door: 'apply-template', usage: 'none' },
      'call-prose',
      `drop "${PROSE}"`,
      'before a call',
    ],
    [
      'prose is dropped where the server spells out tokens',
      { habits: ['drops-prose'], door: 'tokenize', usage: 'none' },
      'call-prose',
      `drop "${PROSE}"`,
      'before a call',
    ],
    ['arguments are swallowed', { habits: ['drops-arguments'] }, 'call-arguments', 'the model writes', 'loses them'],
    [
      'arguments are swallowed behind a chat alone',
      { habits: ['drops-arguments'], refuses: ['completions'] },
      'call-arguments',
      'a call is forced',
      'loses them',
    ],
    [
      'arguments of forced calls are swallowed',
      { habits: ['drops-arguments'], text: SILENT, refuses: ['completions'] },
      'call-arguments',
      'a call is forced',
      'loses them',
    ],
    [
      'arguments are swallowed behind a chat alone that cannot be forced',
      {
        habits: ['drops-arguments'],
        refuses: ['completions', 'tool_choice'],
        text: (body) => (asksForNous(body) ? CALL.replace('17*23', '17 * 23 + '.repeat(20)) : undefined),
      },
      'call-arguments',
      'tokens were counted',
      'loses them',
    ],
    ['ids are swallowed', { habits: ['drops-ids'] }, 'call-ids', 'no unique id', 'Update'],
    [
      'ids of forced calls are swallowed',
      { habits: ['drops-ids'], text: SILENT },
      'call-ids',
      'no unique id',
      'Update',
    ],
  ] satisfies readonly (readonly [string, Illness, Check, string, string])[])(
    'finds that %s: in whole replies, in streams, in both',
    async (_, illness, check, evidence, change) => {
      for (const only of ['whole', 'streamed', undefined] as const) {
        const found = await report(only === undefined ? illness : { ...illness, only })

        const seen = verdict(found, check)
        expect([only, ...seen]).toEqual([only, 'fail', expect.any(String), expect.any(String)])
        if (only === undefined) {
          expect(seen.slice(1)).toEqual([
            expect.stringContaining(evidence) as string,
            expect.stringContaining(change) as string,
          ])
        }
        expect(isHealthy(found)).toBe(false)
      }
    },
  )

  it.each([
    [
      'qwen3-coder or qwen3.5',
      '<tool_call>\n<function=calculator>\n<parameter=expression>\n17*23\n</parameter>\n</function>\n</tool_call>',
    ],
    ['pythonic, llama-4, lfm2 or lfm2.5', '[calculator(expression="17*23")]'],
    [
      'deepseek-v3.1',
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>calculator<｜tool▁sep｜>{"expression": "17*23"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    ],
    ['mistral-v3', '[TOOL_CALLS] [{"name": "calculator", "arguments": {"expression": "17*23"}}]'],
    ['nous', CALL],
    [null, '{"name": "calculator", "arguments": {"expression": "17*23"}}'],
    ['llama3-json', '{"name": "calculator", "parameters": {"expression": "17*23"}}'],
  ])('names the format of a call that was left in the text: %s', async (format, text) => {
    const found = await report({
      habits: ['leaves-calls'],
      text: ({ tools }) => (tools === undefined ? undefined : `${PROSE}\n${text}`),
    })

    const [seen, evidence] = verdict(found, 'native-calls')
    expect([seen, evidence]).toEqual([
      'fail',
      `${format === null ? 'the call was left in the text' : `the parser of this server does not match: the replies are ${format}`}: ${JSON.stringify(text.slice(0, 80).replaceAll(/\s+/g, ' ').trim())}`,
    ])
  })

  it.each([
    [
      'a stream says something else',
      { text: ({ stream }) => (stream === true ? 'Other.' : REACT) },
      'stream',
      '--no-stream',
    ],
    ['calls are read that nobody asked to read', { readsAllCalls: true }, 'call-markers', 'tool parser'],
  ] satisfies readonly (readonly [string, Illness, Check, string])[])(
    'finds that %s',
    async (_, illness, check, change) => {
      const [seen, , whatToChange] = verdict(await report(illness), check)
      expect([seen, whatToChange]).toEqual(['fail', expect.stringContaining(change) as string])
    },
  )

  it('quotes a stream where it differs, whole characters of it', async () => {
    const before = 'All is well, all will be fine'
    const found = await report({ text: ({ stream }) => `${before} ${stream === true ? '��' : '😀'} here` })

    expect(verdict(found, 'stream').slice(0, 2)).toEqual([
      'fail',
      'differs from the whole reply: "…l be fine 😀 here" there, "…l be fine �� here" in the stream',
    ])
  })

  it('waits longer for the call of a model that thinks', async () => {
    const thinks = 'Let me think about it. '.repeat(60)
    const { baseUrl, bodies } = await serve({
      text: (body) => `<think>${thinks}</think>${asksForNous(body) ? `${PROSE}\n${CALL}` : REACT}`,
    })

    await examine({ baseUrl, apiKey: 'EMPTY', model: 'm' })

    expect(new Set(bodies.map((body) => [body.tools !== undefined, body.max_tokens].join()))).toEqual(
      new Set(['false,200', 'false,1600', 'true,1600']),
    )
  })

  it('does not blame the stream where whole replies differ too', async () => {
    const found = await report({ text: (_, requests) => `${REACT}${requests}` })

    expect(verdict(found, 'stream')[0]).toBe('unknown')
  })

  it('asks no more of a simulated model that refuses its key', async () => {
    const server = await startSimServer()
    try {
      const found = await examine({
        baseUrl: server.baseUrl,
        apiKey: 'EMPTY',
        model: 'sim/oracle?transport=401',
        isNameKnown: true,
      })

      expect(ills(found)).toEqual({ model: 'warn', chat: 'fail' })
    } finally {
      await server.close()
    }
  })

  it.each([401, 403])('stops after a %i, without the key in what it says', async (status) => {
    const found = await report({ status })

    expect(found.findings).toEqual([
      {
        check: 'reachable',
        verdict: 'fail',
        evidence: `${status} no entry for [redacted]`,
        whatToChange: 'Put a key of this server into a variable, and name that with --api-key-env.',
      },
    ])
    expect(isHealthy(found)).toBe(false)
  })

  it('asks a server without a list all the same', async () => {
    const found = await report({ models: 'hello' })

    expect(verdict(found, 'reachable')).toEqual(['ok', '0 models listed', null])
    expect(verdict(found, 'chat')[0]).toBe('ok')
  })

  it('says so when no server is there', async () => {
    const { baseUrl } = await serve({})
    await closeSick()

    const found = await examine({ baseUrl, apiKey: 'EMPTY', model: 'm' })

    expect(found.findings).toMatchObject([
      { check: 'reachable', verdict: 'fail', evidence: 'refused the connection. Is the server running?' },
    ])
  })

  it('ends with its budget, with any server', async () => {
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

    expect(found.findings.slice(2).map((each) => each.verdict)).toEqual(
      Array.from({ length: ALWAYS.length - 2 }, () => 'unknown'),
    )
    expect(found.isAsked).toBe(false)
  })

  it('reports as its schema says', async () => {
    const schema = JSON.parse(readFileSync(SCHEMA, 'utf8')) as Readonly<Record<string, unknown>>
    const validator = new Validator(schema, '2020-12')
    const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

    for (const found of [await report({}), await report({ status: 401 })]) {
      expect(validator.validate(json(doctorJson(found))).errors).toEqual([])
    }
    const [first] = CHECKS
    const odd = { ...doctorJson(await report({ status: 401 })), findings: [{ check: first, verdict: 'good' }] }
    expect(validator.validate(json(odd)).valid).toBe(false)
    expect(schema).toMatchObject({
      $defs: { finding: { properties: { check: { enum: [...CHECKS, ...FURTHER_CHECKS] } } } },
    })
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
    ['sim/oracle?transport=ignore_seed', { stream: 'unknown', 'stop-words': 'unknown' }],
    ['sim/oracle?transport=include_stop', { 'stop-words': 'warn' }],
    ['sim/oracle?transport=no_usage', { usage: 'warn' }],
    ['sim/oracle?transport=finish(null)', { chat: 'warn' }],
    ['sim/oracle?transport=arguments_object', { 'call-arguments': 'warn' }],
  ] as const)('finds of the simulated model %s what it is made of', async (model, expected) => {
    const server = await startSimServer()
    try {
      const found = await examine({ baseUrl: server.baseUrl, apiKey: 'EMPTY', model })

      // A simulated model needs no temperature, and calls without a word.
      const { model: _listed, ...rest } = ills(found)
      expect(rest).toEqual({ seed: 'warn', 'call-prose': 'unknown', ...expected })
    } finally {
      await server.close()
    }
  })
})
