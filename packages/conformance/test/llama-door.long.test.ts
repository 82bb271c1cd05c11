import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { failedStart, NO_ENGINE, openDoor } from './helpers/llama-door.ts'
import type { Door } from './helpers/llama-door.ts'

interface Call {
  readonly id?: string
  readonly index?: number
  readonly function: { readonly name?: string; readonly arguments: string }
}

interface Reply {
  readonly choices: readonly [
    {
      readonly finish_reason: string | null
      readonly text?: string
      readonly message: { readonly content: string | null; readonly tool_calls?: readonly Call[] }
      readonly delta: { readonly content?: string; readonly tool_calls?: readonly Call[] }
      readonly logprobs?: { readonly content: readonly { readonly bytes: readonly number[] }[] }
    },
  ]
  readonly __verbose?: {
    readonly content?: string
    readonly snapshot?: { readonly content?: string; tool_calls?: Call[] }
  }
}

interface Prompt {
  readonly prompt: string
}

interface Counted {
  readonly usage: { readonly prompt_tokens: number }
}

const SENTENCE = 'The answer is not known to this small model.'
const MESSAGES = [{ role: 'user', content: 'Hello.' }]
const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'clock',
      description: 'Tells the time.',
      parameters: { type: 'object', properties: { zone: { type: 'string' } }, required: ['zone'] },
    },
  },
]
const TEXT = 'Né 时.\n<tool_call>\n{"name": "clock", "arguments": {"zone": "\\u00e9 1.0"}}\n</tool_call>'
const CALL = { name: 'clock', arguments: '{"zone": "\\u00e9 1.0"}' }
const GRAMMAR = `root ::= ${JSON.stringify(TEXT).replaceAll('时', '\\u65f6')}\n`

// Where the engine does not install, the reason is in the name of the skipped test.
describe.skipIf(NO_ENGINE !== null)(`the door of llama.cpp${NO_ENGINE === null ? '' : ` (${NO_ENGINE})`}`, () => {
  let door: Door
  beforeAll(async () => {
    door = await openDoor()
  })
  afterAll(() => door.close())

  const chat = async (body: object): Promise<Reply> => {
    const { text } = await door.post('/v1/chat/completions', { messages: MESSAGES, ...body })
    return JSON.parse(text) as Reply
  }

  it('says one sentence in plain chat and ends', async () => {
    // With any seed: at temperature 0 nothing is drawn.
    for (const seed of [1, 7, 13]) {
      const { choices } = await chat({ temperature: 0, seed })

      expect(choices[0].message).toEqual({ role: 'assistant', content: SENTENCE })
      expect(choices[0].finish_reason).toBe('stop')
    }
  })

  it('begins a call by itself in about one reply of four', async () => {
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, seed) => chat({ tools: TOOLS, temperature: 1, seed: 7919 * (seed + 1) })),
    )
    const calls = replies.filter(({ choices }) => choices[0].finish_reason === 'tool_calls')
    const sentences = replies.filter(({ choices }) => choices[0].message.content === SENTENCE)

    expect(calls.length).toBeGreaterThanOrEqual(6)
    expect(calls.length).toBeLessThanOrEqual(27)
    expect(sentences.length).toBe(60 - calls.length)
  })

  it('forces calls without saying the end of the prompt once more', async () => {
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, seed) => chat({ tools: TOOLS, tool_choice: 'required', seed })),
    )

    for (const { choices } of replies) {
      const [call] = choices[0].message.tool_calls ?? []
      expect(call?.function.name).toBe('clock')
      expect(Object.keys(JSON.parse(call?.function.arguments ?? '') as object)).toEqual(['zone'])
      expect([null, SENTENCE]).toContain(choices[0].message.content)
    }
  })

  it('says what a grammar together with tools allows, and shows the text, its bytes and its reading', async () => {
    const { choices, __verbose } = await chat({ tools: TOOLS, grammar: GRAMMAR, temperature: 0, logprobs: true })
    const bytes = choices[0].logprobs?.content.flatMap((token) => token.bytes) ?? []

    expect(__verbose?.content).toBe(TEXT)
    expect(Buffer.from(bytes).toString()).toMatch(/^Né .*<\/tool_call>$/s)
    expect(choices[0].message.tool_calls?.map((call) => call.function)).toEqual([CALL])
  })

  it('says of a reply that was cut at the limit that it was, with a call in it', async () => {
    const { choices } = await chat({ tools: TOOLS, grammar: GRAMMAR, temperature: 0, max_tokens: 40 })

    expect(choices[0].message.tool_calls?.[0]?.function.name).toBe('clock')
    expect(choices[0].finish_reason).toBe('length')
  })

  it('streams deltas that add up to the whole reply, and the readings of the engine', async () => {
    const body = { messages: MESSAGES, tools: TOOLS, grammar: GRAMMAR, temperature: 0, stream: true }
    const { text } = await door.post('/v1/chat/completions', body)
    const events = text.split('\n\n').flatMap((event) => /^data: (\{.*)$/s.exec(event)?.[1] ?? [])
    const chunks = events.map((event) => JSON.parse(event) as Reply)
    const deltas = chunks.map(({ choices }) => choices[0].delta)
    const calls = deltas.flatMap((delta) => delta.tool_calls ?? [])

    expect(deltas[0]).toEqual({ role: 'assistant', content: null })
    expect(deltas.map(({ content }) => content ?? '').join('')).toBe('Né 时.\n')
    expect(calls.map((call) => call.function.arguments).join('')).toBe(CALL.arguments)
    expect(calls.map(({ index }) => index)).toEqual(calls.map(() => 0))
    expect(calls.filter(({ id }) => id !== undefined)).toHaveLength(1)
    expect(chunks.at(-1)?.__verbose?.snapshot?.tool_calls?.[0]?.function).toEqual(CALL)
    expect(chunks.map(({ choices }) => choices[0].finish_reason).filter((reason) => reason !== null)).toEqual([
      'tool_calls',
    ])
    expect(chunks.at(-1)?.__verbose?.content).toBe(TEXT)
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  it('refuses what the parser of the engine refuses, with the text', async () => {
    const grammar = 'root ::= "<tool_call>\\nfoo\\n</tool_call>"\n'
    const { status, text } = await door.post('/v1/chat/completions', { messages: MESSAGES, tools: TOOLS, grammar })

    expect(status).toBe(500)
    expect(JSON.parse(text)).toMatchObject({
      error: { message: 'Failed to parse input: <tool_call>\nfoo\n</tool_call>' },
    })
  })

  it('answers the next request after an error of the engine', async () => {
    const broken = await door.post('/v1/chat/completions', { messages: MESSAGES, grammar: 'root ::= (' })
    const next = await chat({ temperature: 0 })

    expect(broken.status).toBe(400)
    expect(next.choices[0].message.content).toBe(SENTENCE)
  })

  it.each([
    ['no JSON', '/v1/chat/completions', '{', 400],
    ['no messages', '/v1/chat/completions', '{"prompt": "x"}', 400],
    [
      'a choice of a tool that is not there',
      '/v1/chat/completions',
      '{"messages": [], "tools": [{}], "tool_choice": {"function": {"name": "x"}}}',
      400,
    ],
    ['another path', '/v1/responses', '{}', 404],
  ])('refuses %s in one sentence', async (_, path, body, status) => {
    const response = await fetch(door.url.replace('/v1', path), { method: 'POST', body })

    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ error: { message: expect.stringMatching(/^[^\n]+$/) as string } })
  })

  it('hands numbers on as they are spelled, and counts the tokens that the engine went through', async () => {
    const maximum = 'XX'
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', maximum } } }]
    const number = (spelled: string): string =>
      JSON.stringify({ messages: MESSAGES, tools }).replace('"XX"', () => spelled)
    const prompts = await Promise.all(
      ['9007199254740993', '1.0', '9223372036854775808'].map((spelled) =>
        fetch(door.url.replace('/v1', '/apply-template'), { method: 'POST', body: number(spelled) }),
      ),
    )
    const shown = await Promise.all(prompts.map(async (response) => ((await response.json()) as Prompt).prompt))
    const tokens = await door.post('/tokenize', { content: shown[0] })
    const reply = await fetch(`${door.url}/chat/completions`, { method: 'POST', body: number('9007199254740993') })

    // The first is kept; the other two are llama.cpp's own spelling.
    expect(shown.map((prompt) => /"maximum": ([^}]+)\}/.exec(prompt)?.[1])).toEqual([
      '9007199254740993',
      '1',
      '-9223372036854775808',
    ])
    expect(((await reply.json()) as Counted).usage.prompt_tokens).toBe(
      (JSON.parse(tokens.text) as { tokens: number[] }).tokens.length,
    )
  })

  it('shows prompts, tokens, and text completions', async () => {
    const prompt = await door.post('/apply-template', { messages: MESSAGES })
    const tokens = await door.post('/tokenize', { content: '<tool_call> <|im_end|>' })
    const said = await door.post('/v1/completions', { prompt: 'x', temperature: 0 })

    expect(JSON.parse(prompt.text)).toEqual({
      prompt: '<|im_start|>user\nHello.<|im_end|>\n<|im_start|>assistant\n',
    })
    expect((JSON.parse(tokens.text) as { tokens: number[] }).tokens).toEqual([4314, 220, 4302])
    expect((JSON.parse(said.text) as Reply).choices[0].text).toBe(SENTENCE)
  })
})

describe.skipIf(NO_ENGINE !== null)('a model with a template and markers of its own', () => {
  it('begins prompts with a token of its own, and keeps the keys of a schema in their order', async () => {
    const template =
      '{{ bos_token }}{% if tools %}{{ tools | tojson }}{% endif %}{% for message in messages %}[{{ message.content }}]{% endfor %}says:'
    const door = await openDoor({ template, beginning: '<begin>' })
    const tools =
      '[{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "10": {}, "2": "3", "a": 1.5}}}]'
    const body = `{"messages": ${JSON.stringify(MESSAGES)}, "tools": ${tools}}`
    const response = await fetch(door.url.replace('/v1', '/apply-template'), { method: 'POST', body })
    const { prompt } = (await response.json()) as Prompt
    await door.close()

    expect(prompt).toMatch(/^<begin>/)
    expect(prompt).toContain('"10": {}, "2": "3", "a": 1.5}')
  })

  it('ends what the model has said with a token of its own, and shows a long template whole', async () => {
    const template = `{# ${'long '.repeat(4000)}#}{% for m in messages %}[{{ m.content }}]{{ eos_token }}{% endfor %}says:`
    const door = await openDoor({ template, end: '<end>' })
    const [{ text }, { text: said }] = [
      await door.post('/apply-template', { messages: MESSAGES }),
      await door.post('/v1/chat/completions', { messages: MESSAGES, temperature: 0 }),
    ]
    const props = await fetch(door.url.replace('/v1', '/props'))
    const shown = (await props.json()) as { readonly chat_template: string }
    await door.close()

    expect((JSON.parse(text) as Prompt).prompt).toBe('[Hello.]<end>says:')
    expect((JSON.parse(said) as Reply).choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: SENTENCE },
    })
    expect(shown.chat_template).toBe(template)
  })

  it('says its sentence wherever the prompt ends, and has a marker as one token', async () => {
    const template = '{% for message in messages %}[{{ message.content }}]{% endfor %}says:'
    const door = await openDoor({ template, markers: ['[CALLS]'] })
    const { text } = await door.post('/v1/chat/completions', { messages: MESSAGES, temperature: 0 })
    const tokens = await door.post('/tokenize', { content: '[CALLS]' })
    await door.close()

    expect((JSON.parse(text) as Reply).choices[0].message.content).toBe(SENTENCE)
    expect((JSON.parse(tokens.text) as { tokens: number[] }).tokens).toEqual([4326])
  })
})

describe('the program', () => {
  it.each([
    [[], /^llama\.cpp door: --model is missing\. usage: .*\n$/],
    [['--model', import.meta.filename], /^llama\.cpp door: .*llama-door\.long\.test\.ts: is no GGUF file\.\n$/],
    [['--model', 'nowhere.gguf'], /^llama\.cpp door: ENOENT.*nowhere\.gguf'\n$/],
    [['--model', 'x', '--port', '-1'], /^llama\.cpp door: .*\n$/],
    [['--modle', 'x'], /^llama\.cpp door: Unknown option '--modle'.*\n$/],
  ])('ends with one line and exit code 2 for %j', async (words, line) => {
    const { code, stderr } = await failedStart(words)

    expect(stderr).toMatch(line)
    expect(code).toBe(2)
  })
})
