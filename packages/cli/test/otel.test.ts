import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { genAiRecords } from '@callspec/eval/outputs'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'

const FIXTURES = join(import.meta.dirname, 'fixtures/otel')
const fixture = (name: string): string => join(FIXTURES, `${name}.jsonl`)

/** A value as OTLP has it. */
function value(plain: unknown): object {
  if (typeof plain === 'string') return { stringValue: plain }
  if (typeof plain === 'number') return { intValue: String(plain) }
  if (Array.isArray(plain)) return { arrayValue: { values: plain.map(value) } }
  return { kvlistValue: { values: attributes(plain as Readonly<Record<string, unknown>>) } }
}

function attributes(members: Readonly<Record<string, unknown>>): readonly object[] {
  return Object.entries(members).map(([key, each]) => ({ key, value: value(each) }))
}

/** A batch with one span. */
function batch(members: Readonly<Record<string, unknown>>, more: Readonly<Record<string, unknown>> = {}): string {
  const span = { traceId: 'a', spanId: 'b', attributes: attributes(members), ...more }
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })
}

async function read(...lines: readonly string[]): Promise<readonly unknown[]> {
  async function* records(): AsyncGenerator<string> {
    yield* lines
  }
  const found: unknown[] = []
  for await (const record of genAiRecords(records())) found.push(JSON.parse(record))
  return found
}

const CHAT = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' }
const CALL = { type: 'tool_call', id: 'c', name: 'clock', arguments: { zone: 'UTC' } }

describe('GenAI spans that real instrumentations wrote', () => {
  it.each([
    ['openllmetry', 'perfect', ''],
    ['openai-v2-events', 'sim/perfect', '2 of 2 requests name no tools (gen_ai.tool.definitions)'],
  ])('are scored: %s', async (name, model, note) => {
    const { code, stdout, stderr } = await inProcess(['score', fixture(name), '--json'])

    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ scored: 2, unreadable: 0 })
    expect(stdout).toContain(`"${model}"`)
    expect(stderr).toContain(note)
  })

  it.each(['openllmetry', 'openai-v2-events'])('are checked as traffic: %s', async (name) => {
    const { code, stdout, stderr } = await inProcess(['proxy', 'check', fixture(name)])

    expect(code).toBe(0)
    expect(stdout).toContain('2 exchanges, 0 streamed; 0 answered with an error; 0 without a reply')
    expect(stdout).toContain('Nothing was found.')
    expect(stderr).toContain('no streams, no bytes, and arguments that it has parsed.')
  })

  it.each(['ai-sdk-6', 'ai-sdk-7'])('are scored with their tools, also those of the AI SDK: %s', async (name) => {
    const score = await inProcess(['score', fixture(name), '--json'])
    const check = await inProcess(['proxy', 'check', fixture(name)])

    const byModel = Object.fromEntries(
      (JSON.parse(score.stdout) as { models: { model: string; strict: unknown }[] }).models.map(({ model, strict }) => [
        model,
        strict,
      ]),
    )
    expect(byModel).toEqual({
      'sim/perfect': expect.objectContaining({ well_formed: 1, final_answer: 1 }) as unknown,
      'sim/oracle?fault=F23:1': expect.objectContaining({ bad_args_schema: 1, final_answer: 1 }) as unknown,
    })
    expect(check.stdout).toContain('4 exchanges, 0 streamed; 0 answered with an error; 0 without a reply')
    expect(check.stdout).toContain('2 of 2 requests that go on with a conversation repeat all of it')
    expect(score.stderr + check.stderr).not.toContain('name no tools')
  })

  it.each(['openllmetry-without-content', 'openai-v2-without-content', 'ai-sdk-6-without-content'])(
    'say how content is switched on where there is none: %s',
    async (name) => {
      const score = await inProcess(['score', fixture(name)])
      const check = await inProcess(['proxy', 'check', fixture(name)])

      expect([score.code, check.code]).toEqual([2, 3])
      for (const { stderr } of [score, check]) {
        expect(stderr).toContain('Set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true')
        expect(stderr).toContain('TRACELOOP_TRACE_CONTENT=true for OpenLLMetry')
        expect(stderr).toContain('let recordInputs and recordOutputs of the AI SDK be true')
      }
    },
  )
})

describe('genAiRecords', () => {
  it('reads messages with parts, as structures, with system text, results, thoughts and tools', async () => {
    const tool = { type: 'function', name: 'clock', parameters: { type: 'object' } }
    const span = batch({
      ...CHAT,
      'gen_ai.system_instructions': [{ type: 'text', content: 'Be short.' }],
      'gen_ai.input.messages': [
        { role: 'user', parts: [{ type: 'text', content: 'Time?' }] },
        { role: 'assistant', parts: [CALL] },
        { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c', response: '12:00' }] },
      ],
      'gen_ai.output.messages': [
        { role: 'assistant', parts: [{ type: 'reasoning', content: 'Hm.' }, CALL], finish_reason: 'tool_call' },
      ],
      'gen_ai.tool.definitions': JSON.stringify([tool]),
    })
    const call = { id: 'c', type: 'function', function: { name: 'clock', arguments: '{"zone":"UTC"}' } }

    expect(await read(span)).toEqual([
      {
        ...{ id: 'span', object: 'chat.completion', created: 0, model: 'm' },
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: '', reasoning_content: 'Hm.', tool_calls: [call] },
            finish_reason: 'tool_calls',
          },
        ],
        request: {
          model: 'm',
          tools: [{ type: 'function', function: { name: 'clock', parameters: { type: 'object' } } }],
          messages: [
            { role: 'system', content: 'Be short.' },
            { role: 'user', content: 'Time?' },
            { role: 'assistant', content: '', tool_calls: [call] },
            { role: 'tool', tool_call_id: 'c', content: '12:00' },
          ],
        },
      },
    ])
  })

  it('reads content of an event, and the numbered attributes of older instrumentations', async () => {
    const messages = [{ role: 'assistant', parts: [{ type: 'text', content: 'Hi' }] }]
    const events = [
      {
        name: 'gen_ai.client.inference.operation.details',
        attributes: attributes({ 'gen_ai.output.messages': messages }),
      },
    ]
    const old = {
      ...{ 'gen_ai.prompt.0.role': 'user', 'gen_ai.prompt.0.content': 'Time?' },
      ...{ 'gen_ai.completion.0.role': 'assistant', 'gen_ai.completion.0.finish_reason': 'tool_calls' },
      ...{ 'gen_ai.completion.0.tool_calls.0.name': 'clock', 'gen_ai.completion.0.tool_calls.0.arguments': '{bad' },
      ...{ 'llm.request.functions.0.name': 'clock', 'llm.request.functions.0.parameters': '{"type":"object"}' },
    }
    const [event, numbered] = await read(batch(CHAT, { events }), batch({ 'gen_ai.request.model': 'm', ...old }))

    expect(event).toMatchObject({ choices: [{ message: { content: 'Hi' } }] })
    expect(numbered).toMatchObject({
      choices: [{ message: { tool_calls: [{ function: { name: 'clock', arguments: '{bad' } }] } }],
      request: { messages: [{ role: 'user', content: 'Time?' }], tools: [{ function: { name: 'clock' } }] },
    })
  })

  it('reads the messages and replies of the AI SDK, of version 4 too', async () => {
    const prompt = (call: object, result: object): string =>
      JSON.stringify([
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: [{ type: 'text', text: 'Time?' }] },
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'clock', ...call }] },
        { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'clock', ...result }] },
      ])
    const own = { ...{ 'gen_ai.request.model': 'm', 'gen_ai.response.finish_reasons': ['tool-calls'] } }
    const call = { toolCallId: 'c', toolName: 'clock' }
    const tool = (schema: object): string => JSON.stringify({ type: 'function', name: 'clock', ...schema })
    const version6 = {
      ...own,
      'ai.prompt.messages': prompt({ input: {} }, { output: { type: 'json', value: { at: 12 } } }),
      'ai.prompt.tools': [tool({ inputSchema: { type: 'object' } })],
      'ai.response.toolCalls': JSON.stringify([{ ...call, input: '{bad' }]),
      'ai.response.reasoning': 'Hm.',
    }
    const version4 = {
      ...own,
      'ai.prompt.messages': prompt({ args: {} }, { result: { at: 12 } }),
      'ai.prompt.tools': [tool({ parameters: { type: 'object' } })],
      'ai.response.text': '',
      'ai.response.toolCalls': JSON.stringify([{ ...call, toolCallType: 'function', args: '{bad' }]),
    }
    const written = (text: string): object => ({
      id: 'c',
      type: 'function',
      function: { name: 'clock', arguments: text },
    })
    const request = {
      model: 'm',
      tools: [{ type: 'function', function: { name: 'clock', parameters: { type: 'object' } } }],
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'Time?' },
        { role: 'assistant', content: '', tool_calls: [written('{}')] },
        { role: 'tool', tool_call_id: 'c', content: '{"at":12}' },
      ],
    }
    const reply = { role: 'assistant', content: '', tool_calls: [written('{bad')] }

    expect(await read(batch(version6), batch(version4))).toMatchObject([
      { request, choices: [{ message: { ...reply, reasoning_content: 'Hm.' }, finish_reason: 'tool_calls' }] },
      { request, choices: [{ message: reply, finish_reason: 'tool_calls' }] },
    ])
  })

  it('keeps calls and texts next to results in one message', async () => {
    const call = { type: 'tool_call', id: 'c', name: 'search', arguments: {} }
    const result = { type: 'tool_call_response', id: 'c', response: 'found' }
    const text = (content: string): object => ({ type: 'text', content })
    const ran = [call, result, text('Here.')]
    const input = [
      { role: 'user', parts: [text('Search.')] },
      { role: 'assistant', parts: ran },
      { role: 'user', parts: [{ ...result, response: 'more' }, text('Well?')] },
    ]
    const attributesOf = {
      'gen_ai.input.messages': input,
      'gen_ai.output.messages': [{ role: 'assistant', parts: ran }],
    }

    const [answer] = await read(batch({ ...CHAT, ...attributesOf }))

    const said = { role: 'assistant', content: 'Here.', tool_calls: [{ id: 'c', function: { name: 'search' } }] }
    expect(answer).toMatchObject({
      choices: [{ message: said }],
      request: {
        messages: [
          { role: 'user', content: 'Search.' },
          said,
          { role: 'tool', tool_call_id: 'c', content: 'found' },
          { role: 'tool', tool_call_id: 'c', content: 'more' },
          { role: 'user', content: 'Well?' },
        ],
      },
    })
  })

  it('tells an empty reply of the AI SDK from one that was not recorded, and names its errors', async () => {
    const own = { 'gen_ai.request.model': 'm', 'ai.prompt.messages': '[]' }
    const events = [{ name: 'exception', attributes: attributes({ 'exception.type': 'AI_APICallError' }) }]

    expect(
      await read(
        batch({ ...own, 'ai.response.providerMetadata': '{}' }),
        batch(own),
        batch(own, { events, status: { code: 2 } }),
      ),
    ).toMatchObject([
      { choices: [{ message: { role: 'assistant', content: '' } }] },
      { not_recorded: expect.stringContaining('the reply was not recorded') as unknown },
      { error: { type: 'AI_APICallError' } },
    ])
  })

  it('leaves out spans of tools and agents, and names failed requests', async () => {
    const failed = batch({ ...CHAT, 'error.type': '500' }, { status: { code: 2 } })

    expect(await read(batch({ ...CHAT, 'gen_ai.operation.name': 'execute_tool' }), batch({ x: 'y' }), failed)).toEqual([
      { error: { type: '500' } },
    ])
  })

  it.each([
    ['no JSON', 'nope'],
    ['odd batches', '{"resourceSpans": [null, {"scopeSpans": [{"spans": [7, {"attributes": [{"key": 3}, null]}]}]}]}'],
    ['odd logs', '{"resourceLogs": [{"scopeLogs": [{"logRecords": [{"eventName": "gen_ai.choice", "body": 3}]}]}]}'],
    ['deep values', batch({ ...CHAT, 'gen_ai.output.messages': '['.repeat(100_000) })],
    [
      'odd numbers',
      batch({
        'gen_ai.completion.99999999.x': 'y',
        'gen_ai.completion.__proto__.x': 'y',
        'gen_ai.completion.0.__proto__': 'y',
      }),
    ],
  ])('does not throw for %s', async (_, line) => {
    await expect(read(line)).resolves.toBeDefined()
  })

  it('is scored with the tools of the request: a call of another tool is an invention', async () => {
    const output = [{ role: 'assistant', parts: [{ ...CALL, name: 'unknown' }], finish_reason: 'tool_call' }]
    const definitions = [{ type: 'function', name: 'clock', parameters: { type: 'object' } }]
    const line = batch({ ...CHAT, 'gen_ai.output.messages': output, 'gen_ai.tool.definitions': definitions })

    const { stdout } = await inProcess(['score', 'a.jsonl'], { cwd: folderWith({ 'a.jsonl': `${line}\n` }) })

    expect(stdout).toContain('hallucinated_tool')
  })
})
