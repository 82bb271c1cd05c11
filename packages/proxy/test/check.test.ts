import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTrafficChecker } from '../src/check/check-traffic.ts'
import type { TrafficReport } from '../src/check/check-traffic.ts'
import { makeCases } from '../src/check/make-cases.ts'
import type { MadeCase } from '../src/check/make-cases.ts'
import { readEventLog, readExchanges } from '../src/read/read-exchanges.ts'
import type { RecordedExchange } from '../src/read/read-exchanges.ts'

const CALL = '<tool_call>\n{"name": "clock", "arguments": {"zone": "UTC"}}\n</tool_call>'
const TOOLS = [{ type: 'function', function: { name: 'clock', parameters: { type: 'object', required: ['zone'] } } }]

function stream(...choices: readonly object[]): string {
  const [first = {}, ...more] = choices
  const delta = { role: 'assistant', ...('delta' in first ? (first.delta as object) : {}) }
  const all = [{ ...first, delta }, ...more]
  const events = all.map((choice) => ({ id: 'r', choices: [{ index: 0, finish_reason: null, ...choice }] }))
  return `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`
}

function whole(message: object, finish = 'stop', usage: object = {}): string {
  return JSON.stringify({ id: 'r', choices: [{ index: 0, message, finish_reason: finish }], usage })
}

function tokens(completion: number): object {
  return { prompt_tokens: 1, completion_tokens: completion }
}

function exchange(body: string | Buffer, more: Partial<RecordedExchange> = {}): RecordedExchange {
  const bytes = Buffer.from(body)
  const none = { method: 'POST', path: '/v1/chat/completions', request: null, status: 200, headers: {}, lacks: null }
  return { name: 'x#1', ...none, how: 'complete', isRedacted: false, chunks: [{ at: 0, bytes }], ...more }
}

function report(...exchanges: readonly RecordedExchange[]): TrafficReport {
  const checker = createTrafficChecker(3)
  for (const each of exchanges) checker.add(each)
  return checker.end()
}

function counts({ checks }: TrafficReport): Readonly<Record<string, string>> {
  return Object.fromEntries(
    checks.map(({ check, weight, exchanges, times }) => [check, `${weight} ${exchanges}/${times}`]),
  )
}

const GOOD = stream(
  { delta: { role: 'assistant', content: '' } },
  { delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'clock', arguments: '' } }] } },
  { delta: { tool_calls: [{ index: 0, function: { arguments: '{"zone": "UTC"}' } }] } },
  { delta: {}, finish_reason: 'tool_calls' },
)

describe('a check of traffic', () => {
  it('finds nothing in lawful streams, whole replies, errors, and what clients broke off', () => {
    const found = report(
      exchange(GOOD),
      exchange(gzipSync(GOOD), { headers: { 'content-encoding': 'gzip', 'content-type': 'text/event-stream' } }),
      exchange(whole({ content: 'Hello.' })),
      exchange('{"error": {"message": "no"}}', { status: 400 }),
      exchange(GOOD.slice(0, 120), { how: 'client-gone' }),
    )

    expect(counts(found)).toEqual({})
    expect(found).toMatchObject({ exchanges: 5, streamed: 3, refused: 1 })
  })

  it.each([
    ['no-status', exchange('', { status: null, how: 'no-upstream' })],
    ['other-status', exchange('', { status: 307 })],
    ['packed', exchange('x', { headers: { 'content-encoding': 'gzip' } })],
    ['packed', exchange('x', { headers: { 'content-encoding': 'unheard-of' } })],
    ['part', exchange('{"id": "r", "cho', { how: 'client-gone' })],
    ['part', exchange('', { lacks: 'not-redacted' })],
    ['empty', exchange(' ')],
    ['empty', exchange('data: [DONE]\n\n')],
    ['no-json', exchange('<html>')],
    ['no-json', exchange('data: hello\n\n')],
    ['no-completion', exchange('{"object": "list"}')],
  ] as const)('counts a reply that cannot be read as %s, beside one that can', (cause, each) => {
    const found = report(exchange(GOOD), each)

    expect(found).toMatchObject({ exchanges: 2, unreadable: 1, unread: [{ cause, exchanges: 1, first: 'x#1' }] })
  })

  it.each([
    ['call-in-text', exchange(stream({ delta: { content: CALL } }, { delta: {}, finish_reason: 'stop' }))],
    ['call-in-text', exchange(whole({ content: `I will look.\n${CALL}` }))],
    ['call-in-thought', exchange(whole({ content: '', reasoning_content: CALL }))],
    ['call-not-there', exchange(whole({ content: 'Hm.' }, 'tool_calls'))],
    ['reply-swallowed', exchange(whole({ content: '' }, 'stop', { prompt_tokens: 1, completion_tokens: 60 }))],
    [
      'arguments-swallowed',
      exchange(
        whole({ tool_calls: [{ id: 'a', function: { name: 'clock', arguments: '{}' } }] }, 'tool_calls', {
          prompt_tokens: 1,
          completion_tokens: 60,
        }),
        { request: Buffer.from(JSON.stringify({ tools: TOOLS })) },
      ),
    ],
    [
      'arguments-not-json',
      exchange(whole({ tool_calls: [{ id: 'a', function: { name: 'clock', arguments: '{"zone' } }] }, 'tool_calls')),
    ],
    ['C10', exchange(GOOD.replace('"arguments":""', '"arguments":{}'))],
    [
      'C6',
      exchange(
        GOOD.replaceAll('"index":0,"id"', '"index":2,"id"').replaceAll('"index":0,"function"', '"index":2,"function"'),
      ),
    ],
    ['C16', exchange(`data: {"id": "r", "cho\n\n${GOOD}`)],
    ['error-in-stream', exchange('data: {"error": {"message": "out of memory", "code": 500}}\n\n')],
    ['broke-off', exchange(GOOD.slice(0, 120), { how: 'upstream-gone' })],
  ])('finds %s', (check, each) => {
    expect(Object.keys(counts(report(each)))[0]).toBe(check)
  })

  it.each([
    ['odd 1/1', {}],
    ['broken 1/1', { tool_choice: 'required' }],
    ['broken 1/1', { tool_choice: { type: 'function', function: { name: 'clock' } } }],
  ])('finds a reply that is too short for its tokens: %s, asked with %j', (weight, asked) => {
    const request = Buffer.from(JSON.stringify({ tools: TOOLS, ...asked }))
    const found = report(exchange(whole({ content: 'Let me look.' }, 'stop', tokens(23)), { request }))

    expect(counts(found)).toEqual({ 'reply-swallowed': weight })
    expect(found.checks[0]?.examples[0]?.finding.evidence).toContain(
      '23 tokens were counted, and the 12 characters that arrived take 6 at most',
    )
  })

  it('accuses no server that speaks Chinese, hides thoughts, or makes its counts up', () => {
    const chinese = '我来看一下这个城市现在的天气如何，再告诉你结果。'
    const call = { content: null, tool_calls: [{ id: 'a', function: { name: 'clock', arguments: '{"zone":"UTC"}' } }] }

    expect(counts(report(exchange(whole({ content: chinese }, 'stop', tokens(34)))))).toEqual({})
    expect(
      counts(
        report(
          exchange(whole({ content: 'Let me look.' }, 'stop', tokens(300))),
          exchange(whole(call, 'tool_calls', tokens(310))),
        ),
      ),
    ).toEqual({})
    expect(
      counts(
        report(
          ...['Hi.', 'It is late.', 'Hello again. '.repeat(20), 'No.'].map((content) =>
            exchange(whole({ content }, 'stop', tokens(50))),
          ),
        ),
      ),
    ).toEqual({})
  })

  it('names the formats of calls that were left', () => {
    const mistral = '[TOOL_CALLS] [{"name": "clock", "arguments": {}}]'
    const found = report(...[CALL, CALL, mistral].map((content) => exchange(whole({ content }))))

    expect([...found.formats]).toEqual([
      ['nous', 2],
      ['mistral-v3', 1],
    ])
  })

  it('compares a stream with whole replies to the same request, where nothing is left to chance', () => {
    const asked = (body: object, reply: string): RecordedExchange =>
      exchange(reply, { request: Buffer.from(JSON.stringify(body)) })
    const hello = stream({ delta: { content: 'Hello' } }, { delta: {}, finish_reason: 'stop' })
    const pair = (temperature: number, content: string): readonly RecordedExchange[] => [
      asked({ temperature, stream: false }, whole({ content })),
      asked({ stream: true, temperature, stream_options: {} }, hello),
    ]

    expect(counts(report(...pair(0, 'Hello')))).toEqual({})
    expect(counts(report(...pair(0, 'Hello.')))).toEqual({ 'stream-differs': 'broken 1/1' })
    expect(counts(report(...pair(1, 'Hello.')))).toEqual({})
    expect(
      counts(report(asked({ temperature: 0, stream: false }, whole({ content: 'Hi' })), ...pair(0, 'Hello.'))),
    ).toEqual({})
    expect(report(...pair(0, 'Hello')).compared).toBe(1)
  })

  it('keeps the worst examples, and counts the rest', () => {
    const odd = GOOD.replace('{"index":0,"function"', '{"function"')
    const again = odd.replace('{"index":0,"id":"a"', '{"id":"a"')
    const found = report(...[odd, odd, odd, odd, again].map((body, at) => exchange(body, { name: `x#${at}` })))

    const [check] = found.checks
    expect([check?.exchanges, check?.times, check?.examples.length]).toEqual([5, 6, 3])
    expect(check?.examples[0]?.exchange).toBe('x#4')
  })

  it.each([
    ['C1', 'broken', GOOD.replace('"role":"assistant",', '')],
    [
      'C2',
      'odd',
      GOOD.replace(
        '"id":"r","choices":[{"index":0,"finish_reason":"tool_calls"',
        '"id":"s","choices":[{"index":0,"finish_reason":"tool_calls"',
      ),
    ],
    ['C4', 'broken', GOOD.replace('"id":"a",', '')],
    [
      'C5',
      'odd',
      GOOD.replace('{"index":0,"function":{"arguments":"{', '{"index":0,"function":{"name":"clock","arguments":"{'),
    ],
    [
      'C5',
      'broken',
      GOOD.replace('{"index":0,"function":{"arguments":"{', '{"index":0,"function":{"name":"time","arguments":"{'),
    ],
    ['C7', 'broken', GOOD.replace('"finish_reason":"tool_calls"', '"finish_reason":null')],
    ['C8', 'odd', GOOD.replace('data: [DONE]\n\n', '')],
    ['C9', 'odd', GOOD.replace('"finish_reason":"tool_calls"', '"finish_reason":"stop"')],
    ['C14', 'broken', GOOD.replace('"content":""', '"content":"\\ud83d"')],
    ['C17', 'odd', GOOD.replace('"content":""', '"content":"\ufffd"')],
    ['C16', 'broken', GOOD.replace('data: {', 'data: {"id\n\ndata: {')],
  ])('finds %s in chat as the clients do: %s', (check, weight, body) => {
    expect(counts(report(exchange(body)))).toEqual({ [check]: `${weight} 1/1` })
  })

  it('reads every choice of a reply, ignores the empty id of Azure, and asks no role of text completions', () => {
    const second = GOOD.replaceAll('"choices":[{"index":0', '"choices":[{"index":1').replace('"id":"a",', '')
    const both = `${GOOD.replace('data: [DONE]\n\n', '')}${second}`
    const azure = `data: {"id":"","object":"","model":"","choices":[]}\n\n${GOOD}`
    const text =
      'data: {"id":"r","choices":[{"index":0,"text":"Hi","finish_reason":null}]}\n\ndata: {"id":"r","choices":[{"index":0,"text":"","finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    // The arguments of the second choice alone.
    const at = both.lastIndexOf('UTC')
    const cut = `${both.slice(0, at)}${both.slice(at).replace('UTC\\"}', '')}`

    expect(counts(report(exchange(both)))).toEqual({ C4: 'broken 1/1' })
    expect(counts(report(exchange(cut)))).toEqual({ C4: 'broken 1/1', C10: 'broken 1/1' })
    expect(counts(report(exchange(azure)))).toEqual({})
    expect(counts(report(exchange(text, { path: '/v1/completions' })))).toEqual({})
  })

  it('bears what anybody may have written into a recording', () => {
    const bodies = [
      '',
      'null',
      '[]',
      'data: null\n\n',
      'data: {"choices": [[]]}\n\n',
      '{"choices": 1}',
      '\ufffd',
      `data: ${'['.repeat(100_000)}\n\n`,
    ]

    expect(() => report(...bodies.map((body) => exchange(body)))).not.toThrow()
    expect(report(exchange('x', { headers: { 'content-encoding': 'gzip' } })).unreadable).toBe(1)
  })
})

describe('cases that are made of findings', () => {
  it('hold a call that was left, as small as its reader still sees it', () => {
    const text = `Let me have a look at the clock for you.\n${CALL.replace('UTC', 'Europe/Berlin')}\nThere.`

    const [made] = makeCases(report(exchange(whole({ content: text }))))

    const value = JSON.parse(made?.text ?? '') as {
      readonly input: { readonly text: string }
      readonly expected: { readonly items: readonly object[] }
    }
    expect([made?.file, value.input.text.length < 60, value.expected.items.length]).toEqual([
      'call-in-text-nous.jsonl',
      true,
      1,
    ])
    expect(value).toMatchObject({ op: 'parse', format: 'nous', profile: 'strict' })
  })

  it('hold as few events as break the law again, in a log that can be checked', async () => {
    const body = GOOD.replace('"arguments":""', '"arguments":{}')

    const [made] = makeCases(report(exchange(body)))

    expect([made?.file, made?.text.match(/^data: \{/gm)?.length]).toEqual(['C10.sse', 1])
    const folder = mkdtempSync(join(tmpdir(), 'callspec-check-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'a.sse')
    writeFileSync(path, made?.text ?? '')
    const again: RecordedExchange[] = []
    for await (const each of readEventLog(path)) again.push(each)
    expect(Object.keys(counts(report(...again)))).toContain('C10')
  })
})

/** What is found in the files of cases. */
async function foundIn(made: readonly MadeCase[]): Promise<Readonly<Record<string, readonly string[]>>> {
  const folder = mkdtempSync(join(tmpdir(), 'callspec-check-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const found: Record<string, readonly string[]> = {}
  for (const { file, text } of made) {
    const path = join(folder, file)
    writeFileSync(path, text)
    const again: RecordedExchange[] = []
    for await (const each of file.endsWith('.sse') ? readEventLog(path) : readExchanges(path)) again.push(each)
    found[file] = Object.keys(counts(report(...again)))
  }
  return found
}

describe('cases of what no reader can be asked', () => {
  const request = Buffer.from(JSON.stringify({ model: 'm', user: 'someone', tools: TOOLS, temperature: 0 }))
  const usage = { prompt_tokens: 1, completion_tokens: 60 }
  const emptyCall = { index: 0, id: 'a', function: { name: 'clock', arguments: '{}' } }

  it('show swallowed arguments again, with no more of the request than the tool', async () => {
    const events = [
      { delta: {} },
      ...['Let ', 'me ', 'see.'].map((content) => ({ delta: { content } })),
      { delta: { tool_calls: [emptyCall] } },
      { delta: {}, finish_reason: 'tool_calls' },
    ]
    const body = stream(...events).replace(
      'data: [DONE]',
      `data: {"id":"r","choices":[],"usage":${JSON.stringify(usage)}}\n\ndata: [DONE]`,
    )

    const made = makeCases(report(exchange(body, { request })))

    expect(await foundIn(made)).toEqual({ 'arguments-swallowed.traffic': ['arguments-swallowed'] })
    expect(made[0]?.text).not.toMatch(/someone|Let /)
    expect(made[0]?.text).toContain('"required":["zone"]')
  })

  it.each([
    ['call-not-there.traffic', whole({ content: 'Hm.' }, 'tool_calls')],
    ['call-not-there.sse', stream({ delta: { content: 'Hm.' } }, { delta: {}, finish_reason: 'tool_calls' })],
    ['reply-swallowed.traffic', whole({ content: '' }, 'stop', usage)],
    [
      'arguments-not-json.sse',
      stream(
        { delta: { tool_calls: [{ ...emptyCall, function: { name: 'clock', arguments: '{"zone": ' } }] } },
        { delta: { tool_calls: [{ index: 0, function: { arguments: 'UTC}' } }] } },
        { delta: {}, finish_reason: 'tool_calls' },
      ),
    ],
    [
      'error-in-stream.sse',
      stream({ delta: { content: 'a' } }).replace('data: [DONE]', 'data: {"error": {"message": "no"}}'),
    ],
    ['call-in-text.traffic', whole({ content: '{"name": "clock", "arguments": {"zone": "UTC"}}' })],
  ])('show it again: %s', async (file, body) => {
    const found = await foundIn(makeCases(report(exchange(body))))

    expect(found[file]).toContain(file.slice(0, file.lastIndexOf('.')))
  })

  it('hold both replies where a stream differs from the whole', async () => {
    const pair = [
      whole({ content: 'Hello.' }),
      stream({ delta: { content: 'Hello' } }, { delta: {}, finish_reason: 'stop' }),
    ]

    const found = await foundIn(makeCases(report(...pair.map((body) => exchange(body, { request })))))

    expect(found).toEqual({ 'stream-differs.traffic': ['stream-differs'] })
  })

  it('are made of deeply nested JSON as it came', () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    const body = whole({ content: 'Hm.' }, 'tool_calls').replace('{"id"', `{"deep":${deep},"id"`)

    expect(makeCases(report(exchange(body))).map(({ file }) => file)).toEqual(['call-not-there.traffic'])
  })
})

describe('logs of others', () => {
  it('are split at [DONE], with any lines between the events', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'callspec-check-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'session.log')
    const log = `POST /v1/chat/completions\n${GOOD}# next\n${GOOD.replaceAll('data:', '2026-11-22 data:')}${GOOD.replace('data: [DONE]', '')}`
    writeFileSync(path, log.replaceAll('\n', '\r\n'))

    const found: RecordedExchange[] = []
    for await (const each of readEventLog(path)) found.push(each)

    expect(found.map(({ name }) => name)).toEqual(['session.log#1', 'session.log#2', 'session.log#3'])
    expect(counts(report(...found))).toEqual({})
  })

  it('of other kinds are not recordings, and nothing breaks on them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'callspec-check-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'odd.traffic')
    const lines = [
      '{"kind":"request","id":1,"bytes":-1}',
      '{"kind":"chunk","id":1,"at":0,"bytes":99999999}',
      'abc',
      '\u0000',
    ]
    writeFileSync(path, `${'x'.repeat(2_000_000)}\n[]\nnull\n${lines.join('\n')}`)

    const found: RecordedExchange[] = []
    for await (const each of readExchanges(path)) found.push(each)

    expect(found.length).toBe(1)
  })
})

/** Events of messages or responses, each named by its type. */
function typed(...events: readonly Readonly<Record<string, unknown> & { readonly type: string }>[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

const BLOCK = { type: 'content_block_start', content_block: { type: 'tool_use', id: 't', name: 'clock', input: {} } }
const MESSAGE = { content: [], stop_reason: null, usage: { input_tokens: 3, cache_read_input_tokens: 7 } }
/** A call without arguments; `input` is what its delta brings. */
function blocks(input: string, index = 0): string {
  return typed(
    { type: 'message_start', message: MESSAGE },
    { ...BLOCK, index },
    { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: input } },
    { type: 'content_block_stop', index },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 30 } },
    { type: 'message_stop' },
  )
}

describe('a check of messages and responses', () => {
  const path = '/v1/messages?beta=true'
  const tools = [{ name: 'clock', input_schema: { type: 'object', required: ['zone'] } }]
  const request = Buffer.from(JSON.stringify({ tools, messages: [{ role: 'user', content: 'Hi' }] }))

  it('finds nothing in lawful ones', () => {
    const found = report(exchange(blocks('{"zone": "UTC"}'), { path, request }))

    expect([counts(found), found.streamed, found.unreadable]).toEqual([{}, 1, 0])
  })

  it('names the broken law, and makes a case that breaks it again', async () => {
    const found = report(exchange(blocks('{"zone": "UTC"}', 1), { path, request }))

    expect(counts(found)).toEqual({ M2: 'broken 1/1' })
    expect(found.checks[0]?.examples[0]?.finding.evidence).toBe('event 2: block 1 has the index 1')
    expect(await foundIn(makeCases(found))).toEqual({ 'M2.sse': ['M2'] })
  })

  it('finds arguments that were swallowed, by the tools of the request', () => {
    expect(counts(report(exchange(blocks(''), { path, request })))).toEqual({ 'arguments-swallowed': 'broken 1/1' })
  })

  it('finds a call that was left in a text, and a stream that differs from the whole reply', () => {
    const body = Buffer.from('{"temperature": 0, "input": "Hi"}')
    const item = { type: 'message', id: 'm', content: [{ type: 'output_text', text: CALL }], status: 'completed' }
    const response = { object: 'response', status: 'completed', output: [item], usage: { input_tokens: 1 } }
    const streamed = typed(
      { type: 'response.created', ...{ sequence_number: 0, response: {} } },
      { type: 'response.completed', ...{ sequence_number: 1, response: { ...response, output: [] } } },
    )
    const both = [JSON.stringify(response), streamed].map((each) =>
      exchange(each, { path: '/v1/responses', request: body }),
    )

    expect(counts(report(...both))).toMatchObject({ 'call-in-text': 'broken 1/1', 'stream-differs': 'broken 1/1' })
  })

  it('reads them from logs without paths and names, each to its last event', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'callspec-log-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const log = `${blocks('{"zone": 1}')}${blocks('{"zone": 2}')}`.replaceAll(/^event:.*\n/gm, '12:00 ')
    writeFileSync(join(folder, 'a.sse'), log)
    const checker = createTrafficChecker(3)
    for await (const each of readEventLog(join(folder, 'a.sse'))) checker.add(each)

    expect(checker.end()).toMatchObject({ exchanges: 2, streamed: 2, unreadable: 0, checks: [] })
  })
})
