import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EarlierMessage } from '@callspec/eval'
import { describe, expect, it } from 'vitest'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'
import { runIn } from './helpers/own-server.ts'

interface Listed {
  readonly messages?: readonly EarlierMessage[]
  readonly query: string
}

const words = (line: string): readonly string[] => line.split(' ')
const lines = (...rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

/** The only task of a file without faults. */
async function taskIn(name: string, text: string): Promise<Listed | undefined> {
  const { stdout, stderr } = await inProcess(words(`tasks list --json --suite ${name}`), {
    cwd: folderWith({ [name]: text }),
  })
  expect(stderr).toBe('')
  return (JSON.parse(stdout) as readonly Listed[])[0]
}

/** A call and its result, as four harnesses write them. */
const CONVERSATIONS = {
  'openai.jsonl': [
    { role: 'user', content: 'Weather?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'rain' },
    { role: 'assistant', content: 'It rains.' },
    { role: 'user', content: 'And now?' },
  ],
  'old-openai.jsonl': [
    { role: 'user', content: 'Weather?' },
    { role: 'assistant', content: null, function_call: { name: 'get_weather', arguments: '{"city":"Oslo"}' } },
    { role: 'function', name: 'get_weather', content: 'rain' },
    { role: 'assistant', content: 'It rains.' },
    { role: 'user', content: 'And now?' },
  ],
  'inspect.jsonl': [
    { role: 'user', content: 'Weather?', source: 'input' },
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'a', type: 'function', function: 'get_weather', arguments: { city: 'Oslo' } }],
    },
    { role: 'tool', tool_call_id: 'a', function: 'get_weather', content: [{ type: 'text', text: 'rain' }] },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', reasoning: 'Hm.' },
        { type: 'text', text: 'It rains.' },
      ],
    },
    { role: 'user', content: 'And now?' },
  ],
  'messages-api.jsonl': [
    { role: 'user', content: 'Weather?' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'get_weather', input: { city: 'Oslo' } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'rain' }] }] },
    { role: 'assistant', content: 'It rains.' },
    { role: 'user', content: 'And now?' },
  ],
}

describe('a conversation in a file of another harness', () => {
  it.each(Object.entries(CONVERSATIONS))('becomes earlier messages and a question: %s', async (name, input) => {
    const task = await taskIn(name, lines({ input, target: 'rain' }))

    const [asked, called, answered, said] = task?.messages ?? []
    expect([task?.query, asked, answered?.content, said]).toEqual([
      'And now?',
      { role: 'user', content: 'Weather?' },
      'rain',
      { role: 'assistant', content: 'It rains.' },
    ])
    const [call] = called?.tool_calls ?? []
    expect([called?.content, call?.function.name, JSON.parse(call?.function.arguments ?? '')]).toEqual([
      '',
      'get_weather',
      { city: 'Oslo' },
    ])
    expect(answered?.tool_call_id).toBe(call?.id)
  })

  it('whose result holds 20,000 results, one in the other, is a fault', async () => {
    const open = '{"type":"tool_result","tool_use_id":"a","content":['
    const nested = `${open.repeat(20_000)}${']}'.repeat(20_000)}`
    const cwd = folderWith({ 'a.jsonl': `{"input": [{"role": "user", "content": [${nested}]}], "ideal": "x"}\n` })

    const { code, stdout } = await inProcess(['tasks', 'check', 'a.jsonl'], { cwd })

    expect([code, stdout.split('\n')[0]]).toEqual([
      1,
      'a.jsonl:1: a result with a part that is no text: only texts can be played.',
    ])
  })

  it('may have 150,000 results in one message', async () => {
    const many = Array.from({ length: 150_000 }, (_, at) => at)
    const input = [
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: many.map((at) => ({ type: 'tool_use', id: `a${at}`, name: 'f', input: {} })) },
      { role: 'user', content: many.map((at) => ({ type: 'tool_result', tool_use_id: `a${at}`, content: 'x' })) },
      { role: 'user', content: 'Done?' },
    ]
    const cwd = folderWith({ 'a.jsonl': lines({ input, target: 'y' }) })

    const { code, stdout } = await inProcess(['tasks', 'check', 'a.jsonl'], { cwd })

    expect([code, stdout]).toEqual([0, 'a.jsonl: 1 task in the form of inspect, 0 faults\n'])
  })

  it('may be a prompt of promptfoo, with variables in its texts, a question of BFCL, or a column', async () => {
    const messages = [
      { role: 'system', content: 'For {{who}}.' },
      { role: 'user', content: 'Say {{what}}.' },
    ]
    const talk = [...messages, { role: 'assistant', content: 'Yes?' }, { role: 'user', content: 'Go.' }]
    const config = { prompts: [JSON.stringify(talk)], tests: [{ vars: { who: 'me', what: 'a "b"' } }] }
    const filled = await taskIn('config.json5', JSON.stringify(config))
    const bfcl = await taskIn('q.json', lines({ id: 'x_0', question: [messages], function: [] }))
    const cell = await taskIn(
      't.csv',
      'query,tools,messages\nGo.,get_time,"[{""role"": ""user"", ""content"": ""Hi""}]"\n',
    )

    expect(filled).toMatchObject({
      query: 'Go.',
      messages: [{ content: 'For me.' }, { content: 'Say a "b".' }, { role: 'assistant', content: 'Yes?' }],
    })
    expect(bfcl).toMatchObject({ query: 'Say {{what}}.', messages: [{ role: 'system', content: 'For {{who}}.' }] })
    expect(cell).toMatchObject({ query: 'Go.', messages: [{ role: 'user', content: 'Hi' }] })
  })

  it.each([
    [
      'a.yaml',
      '- input:\n    - {role: user, content: x}\n    - {role: assistant, tool_calls: [{function: f, arguments: {}}]}\n    - {role: user, content: y}\n  target: z\n',
      'a.yaml:3: the call has no result. Add a message of the role tool after it.',
    ],
    [
      'b.yaml',
      '- input:\n    - {role: narrator, content: x}\n  target: y\n',
      'b.yaml:2: a message of the role "narrator". Known: system, developer, user, assistant, tool, function.',
    ],
    [
      'c.jsonl',
      lines({ input: [{ role: 'user', content: [{ type: 'image_url', image_url: 'x' }] }], target: 'y' }),
      'c.jsonl:1: a part of the type "image_url": only texts, calls and results can be played.',
    ],
    [
      'd.yaml',
      `prompts: ['[{"role": "tool", "content": "x"}, {"role": "user", "content": "y"}]']\ntests:\n  - vars: {a: b}\n`,
      'd.yaml:3: message 1 of the prompt: a result without a call.',
    ],
    [
      'e.csv',
      'query,messages\nx,[\n',
      'e.csv:2: messages is not JSON. Write a message as {"role": "…", "content": "…"}',
    ],
    [
      'f.yaml',
      'tasks:\n  - id: a\n    query: x\n    tools: []\n    messages:\n      - {role: user, content: y}\n      - {role: tool, content: z}\n',
      'f.yaml:7: tasks[0].messages[1]: a result without a call.',
    ],
    [
      'g.yaml',
      'tasks:\n  - {id: a, query: x, tools: [], messages: [{role: usr, content: y}]}\n',
      'g.yaml:2: tasks[0].messages[0].role: is "usr". Known: system, user, assistant, tool.',
    ],
    [
      'h.jsonl',
      lines({ input: Array.from({ length: 3 }, () => 7), target: 'y' }),
      'h.jsonl:1: this is no message with',
    ],
  ])('has its faults named with a line: %s', async (name, text, fault) => {
    const { code, stdout } = await inProcess(words(`tasks check ${name}`), { cwd: folderWith({ [name]: text }) })

    expect([code, stdout.split('\n')[0]]).toEqual([1, expect.stringContaining(fault)])
  })

  it('is printed with its task, and shown in the report before the question', async () => {
    const reference = { plan: [], observations: [], final: 'rain' }
    const [messages, query] = [CONVERSATIONS['openai.jsonl'].slice(0, -1), 'And now?']
    const suite = { tasks: [{ id: 'a', messages, query, tools: ['get_weather'], verdict: { maxCalls: 0 }, reference }] }
    const cwd = folderWith({ 'own.json': JSON.stringify(suite) })

    const { stdout } = await inProcess(words('tasks show a --suite own.json'), { cwd })
    const run = await inProcess(words('eval --suite own.json -m sim/perfect -f nous --repeat 1 --json'), { cwd })

    expect(stdout).toContain(
      'user: Weather?\nassistant: get_weather({"city":"Oslo"})\ntool: rain\nassistant: It rains.\nuser: And now?\n',
    )
    expect(JSON.parse(run.stdout)).toMatchObject({ rows: [{ rates: { task_success: { hits: 1, of: 1 } } }] })
    const folder = runIn(cwd)
    const [turn] = readFileSync(join(folder, 'turns.jsonl'), 'utf8').split('\n')
    expect(turn).toContain('Weather?')
    expect(readFileSync(join(folder, 'suite.json'), 'utf8')).toContain('"tool_call_id":"a"')
  })
})
