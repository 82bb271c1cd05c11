import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callspec } from './helpers/binary.ts'
import { folderWith, namesIn } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'

const CLOCK = `{ name: 'clock', description: 'Tells the time.', parameters: { type: 'object', properties: { n: { default: 1.0 } } } }`
const REQUEST = `{
  messages: [{ role: 'user', content: 'What time is it?' }],
  tools: [${CLOCK}],
}`
const NOUS_SYSTEM = `# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{"type": "function", "function": {"name": "clock", "description": "Tells the time.", "parameters": {"type": "object", "properties": {"n": {"default": 1.0}}}}}
</tools>

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>`

/** Renders the text of a request file named `request.json5`. */
async function render(request: string, ...words: string[]) {
  const cwd = folderWith({ 'request.json5': request })
  return inProcess(['render', 'request.json5', ...words], { cwd })
}

function contents(stdout: string): readonly (readonly [string, unknown])[] {
  return (JSON.parse(stdout) as { role: string; content: unknown }[]).map(({ role, content }) => [role, content])
}

describe('callspec render', () => {
  it('prints the messages as the service gets them, with 1.0 kept', async () => {
    const { code, stdout, stderr } = await render(REQUEST, '--format', 'nous')

    expect([code, stderr]).toEqual([0, ''])
    expect(contents(stdout)).toEqual([
      ['system', NOUS_SYSTEM],
      ['user', 'What time is it?'],
    ])
  })

  it('prints ChatML byte for byte, without a line break of its own', async () => {
    const { stdout } = await render(REQUEST, '--format', 'nous', '--as', 'chatml')

    expect(stdout).toBe(
      `<|im_start|>system\n${NOUS_SYSTEM}<|im_end|>\n` +
        '<|im_start|>user\nWhat time is it?<|im_end|>\n<|im_start|>assistant\n',
    )
  })

  it('prints the contents alone', async () => {
    const { stdout } = await render(REQUEST, '--format', 'nous', '--as', 'text')

    expect(stdout).toBe(`${NOUS_SYSTEM}\n\nWhat time is it?`)
  })

  it('prints the first prompt of the ReAct agent, which ends in a space', async () => {
    const { stdout } = await render(REQUEST, '--format', 'react', '--as', 'text')

    expect(stdout.startsWith('Answer the following questions as best you can.')).toBe(true)
    expect(stdout.endsWith('Begin!\n\nQuestion: What time is it?\nThought: ')).toBe(true)
  })

  it('reads every setting from the file, in any spelling, and lets the command line win', async () => {
    const request = `{
      format: 'qwen', lang: 'zh', parallel_function_calls: true,
      messages: [{ role: 'user', content: 'What time is it?' }],
      functions: [${CLOCK}],
    }`

    const fromFile = await render(request, '--as', 'text')
    const overridden = await render(request, '--as', 'text', '--lang', 'en', '--no-parallel')

    expect(fromFile.stdout).toContain('## 你可以在回复中插入以下命令以并行调用N个工具：')
    expect(overridden.stdout).toContain('which can be called zero or multiple times')
  })

  it('takes each version as it was: the default system message, and what a result may be', async () => {
    const old = await render(REQUEST, '--format', 'qwen', '--profile', 'v0.0.13')
    const full = await render(REQUEST, '--format', 'qwen', '--profile', 'qwen-agent@v0.0.26')

    expect(contents(old.stdout)[0]?.[1]).toMatch(/^You are a helpful assistant\.\n\n# Tools/)
    expect(contents(full.stdout)[0]?.[1]).toMatch(/^# Tools/)
  })

  it('rewrites calls and results where no tool may be called, as the chat call does', async () => {
    const request = `{
      messages: [
        { role: 'user', content: 'Time?' },
        { role: 'assistant', content: '', function_call: { name: 'clock', arguments: '{}' } },
        { role: 'function', name: 'clock', content: '12:00' },
      ],
      tools: [${CLOCK}],
    }`

    const { stdout } = await render(request, '--format', 'qwen', '--function-choice', 'none')

    expect(contents(stdout)).toEqual([
      [
        'user',
        'Time?\n\nThe tool "clock" was called with these arguments:\n{}' +
          '\n\nThe tool has returned the following result:\n12:00',
      ],
    ])
  })

  it('prints what the version raises as an outcome, and ends with 1', async () => {
    const { code, stdout, stderr } = await render(REQUEST, '--format', 'nous', '--function-choice', 'clock')

    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual({ kind: 'rejected', error: { type: 'NotImplementedError', message: '' } })
    expect(stderr).toBe(
      'callspec: request.json5: qwen-agent@main raises NotImplementedError here; nothing was rendered.\n',
    )
  })

  it('reads standard input', async () => {
    const { stdout } = await callspec(['render', '-', '--format', 'nous', '--as', 'text'], { input: REQUEST })

    expect(stdout).toContain('What time is it?')
  })

  it('writes a file instead, whole or not at all', async () => {
    const cwd = folderWith({ 'request.json5': REQUEST })

    const good = await callspec(['render', 'request.json5', '--format', 'nous', '--as', 'chatml', '-o', 'a.txt'], {
      cwd,
    })
    const bad = await callspec(['render', 'request.json5', '--format', 'nous', '-o', 'no/such/b.txt'], { cwd })

    expect([good.code, good.stdout]).toEqual([0, ''])
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8').endsWith('<|im_start|>assistant\n')).toBe(true)
    expect(bad.code).toBe(2)
    expect(bad.stderr).toBe('callspec: no/such/b.txt: cannot be written (the folder does not exist)\n')
    expect(namesIn(cwd)).toEqual(['a.txt', 'request.json5'])
  })

  it('renders with a format of the user, which gets plain data', async () => {
    const cwd = folderWith({
      'request.json5': `{ lang: 'zh', messages: [{ role: 'user', content: 'hi' }], tools: [{ name: 'x', limit: 2 }] }`,
      'mine.mjs': `export const format = {
        id: 'mine',
        render: (request) => [{ role: 'user', content: JSON.stringify(request) }],
      }`,
    })

    const { stdout, code } = await inProcess(['render', 'request.json5', '--format', './mine.mjs', '--as', 'text'], {
      cwd,
    })

    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      messages: [{ role: 'user', content: 'hi' }],
      tools: [{ name: 'x', limit: 2 }],
      language: 'zh',
      parallelCalls: false,
      toolChoice: 'auto',
      codeMode: false,
    })
  })
})

describe('the settings of the chat call', () => {
  const CALLS = `messages: [
    { role: 'user', content: 'Time?' },
    { role: 'assistant', content: '', function_call: { name: 'clock', arguments: '{}' } },
  ]`

  it('leave calls and tools as they are with the raw API', async () => {
    const request = `{ format: 'nous', raw_api: true, ${CALLS}, tools: [${CLOCK}] }`

    const raw = await render(request)
    const text = await render(request, '--no-raw-api')

    const printed = JSON.parse(raw.stdout) as { readonly messages: unknown; readonly tools: unknown }
    expect(printed.messages).toEqual([
      { role: 'user', content: 'Time?' },
      { role: 'assistant', content: '', function_call: { name: 'clock', arguments: '{}' } },
    ])
    expect(printed.tools).toMatchObject([{ type: 'function', function: { name: 'clock' } }])
    expect(raw.stdout).toContain('"default": 1.0')
    expect(contents(text.stdout).map(([role]) => role)).toEqual(['system', 'user'])
  })

  it('let ChatML hold calls when special roles are allowed', async () => {
    const request = `{ format: 'nous', rawApi: true, ${CALLS} }`

    const refused = await render(request, '--as', 'chatml')
    const allowed = await render(request, '--as', 'chatml', '--allow-special')

    expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('AssertionError')])
    expect(allowed.stdout).toContain('<tool_call>\n{\n  "name": "clock",\n  "arguments": {}\n}\n</tool_call>')
  })

  it('continue an answer as the client does', async () => {
    const request = `{ messages: [{ role: 'user', content: 'a' }, { role: 'assistant', content: 'b' }] }`

    const openai = await render(request, '--format', 'nous')
    const dashscope = await render(request, '--format', 'nous', '--client', 'dashscope')

    expect(contents(openai.stdout).map(([role]) => role)).toEqual(['user'])
    expect(contents(dashscope.stdout)).toEqual([
      ['user', 'a'],
      ['assistant', 'b'],
    ])
  })

  it('take further ones from generate_cfg, over which the options win', async () => {
    const request = `{ format: 'nous', generate_cfg: { lang: 'zh', max_input_tokens: 5, use_raw_api: true }, ${CALLS} }`
    const system = `{ format: 'qwen', generate_cfg: { lang: 'zh' }, messages: [{ role: 'user', content: 'a' }], tools: [${CLOCK}] }`

    const raw = await render(request, '--max-input-tokens', '0')
    const chinese = await render(system, '--as', 'text')
    const english = await render(system, '--as', 'text', '--lang', 'en')
    const short = await render(`{ format: 'nous', generate_cfg: { max_input_tokens: 1 }, ${CALLS} }`)

    expect(contents(raw.stdout).map(([role]) => role)).toEqual(['user', 'assistant'])
    expect(chinese.stdout).toContain('# 工具')
    expect(english.stdout).toContain('# Tools')
    expect(contents(short.stdout)).toEqual([['user', expect.stringContaining('omit')]])
  })

  it.each([
    ["client: 'aws'", '"client" is "aws". Known: openai, dashscope.'],
    ['raw_api: 1', '"raw_api" must be true or false.'],
    ["allowSpecial: 'yes'", '"allowSpecial" must be true or false.'],
    ['generate_cfg: []', '"generate_cfg" must be a map.'],
    ["generate_cfg: { max_retries: 'a' }", 'generate_cfg.max_retries: This must be a whole number.'],
    ["profile: 'v0.0.26', raw_api: true", 'raw_api: qwen-agent@v0.0.26 does not have this. Give --profile main.'],
    [
      "profile: 'v0.0.7', allow_special: true",
      'allow_special: qwen-agent@v0.0.7 does not have this. Give --profile main.',
    ],
  ])('that are wrong are one line with their place: %s', async (setting, message) => {
    const { code, stdout, stderr } = await render(`{ ${CALLS},\n ${setting} }`, '--format', 'qwen')

    expect([code, stdout, stderr]).toEqual([2, '', `callspec: request.json5:5: ${message}\n`])
  })
})

describe('a wrong request', () => {
  const tools = (text: string): string =>
    `{\n  messages: [{ role: 'user', content: 'hi' }],\n  tools: [\n    ${text}\n  ],\n}`

  it.each([
    ['is not JSON5', '{\n  messages: [}\n', 'request.json5:2:14: Unexpected "}". This is not JSON5.'],
    ['is empty', '', 'request.json5: the file is empty. It must hold an object with "messages".'],
    ['is a number', '1', 'request.json5: this is neither an object nor a list of messages.'],
    [
      'has no messages',
      '{ tools: [] }',
      `request.json5: there is no "messages". Give a list of messages: [{role: 'user', content: '…'}].`,
    ],
    ['has messages that are no list', '{\n messages: {} }', 'request.json5:2: "messages" must be a list.'],
    [
      'has an unknown key',
      '{ messages: [],\n tolls: [] }',
      'request.json5:2: unknown key "tolls". Did you mean tools?',
    ],
    ['has a setting of a wrong kind', '{ parallel: 1 }', 'request.json5:1: "parallel" must be true or false.'],
    [
      'says one thing twice',
      '{ tools: [],\n functions: [] }',
      'request.json5:2: "functions" and "tools" mean the same. Keep one.',
    ],
    [
      'has an unknown role',
      "{ messages: [\n { role: 'user', content: 'a' },\n { role: 'tool', content: 'b' } ] }",
      'request.json5:3: messages[1].role: The role "tool" is that of the OpenAI API. Give "function", with the name of the tool.',
    ],
    [
      'has a misspelt role',
      "[{ role: 'usr', content: 'a' }]",
      'request.json5:1: messages[0].role: "usr" is not a role. Give one of system, user, assistant, function.',
    ],
    [
      'has a message without a role',
      "[{ content: 'a' }]",
      'request.json5:1: messages[0]: There is no "role". Give one of system, user, assistant, function.',
    ],
    [
      'has a message without content',
      "[{ role: 'user' }]",
      'request.json5:1: messages[0]: There is no "content". Give a text, perhaps empty.',
    ],
    [
      'has a text for a message',
      "['a']",
      "request.json5:1: messages[0]: This is not a message. Give {role: 'user', content: '…'}.",
    ],
    [
      'has a number as content',
      "[{ role: 'user',\n content: 5 }]",
      'request.json5:2: messages[0].content: Give a text, or a list of items such as {text: "…"}.',
    ],
    [
      'has an item of the wire',
      "[{ role: 'user', content: [{ type: 'text', text: 'a' }] }]",
      'request.json5:1: messages[0].content[0]: This is an item of the OpenAI API. Give a map with one of text, image, file, audio, video, such as {text: "…"}.',
    ],
    [
      'has an item of two kinds',
      "[{ role: 'user', content: [{ text: 'a', image: 'b' }] }]",
      'request.json5:1: messages[0].content[0]: An item has exactly one of text, image, file, audio, video; this one has 2.',
    ],
    [
      'has a call without arguments',
      "[{ role: 'assistant', content: '', function_call: { name: 'a' } }]",
      "request.json5:1: messages[0].function_call: Give {name: '…', arguments: '…'}, with the arguments as JSON in a text.",
    ],
    [
      'has two system messages',
      "[{role: 'system', content: 'a'},\n {role: 'user', content: 'b'},\n {role: 'system', content: 'c'}]",
      'request.json5:3: messages[2].role: This is a second system message, after messages[0]. Make one of the two.',
    ],
    [
      'has a tool without description',
      tools("{ name: 'clock', parameters: {} }"),
      'request.json5:4: tools[0].description: The tool "clock" needs a description: a text, perhaps empty.',
    ],
  ])('that %s is one line with its place', async (_, request, message) => {
    const { code, stdout, stderr } = await inProcess(['render', 'request.json5', '--format', 'nous'], {
      cwd: folderWith({ 'request.json5': request }),
    })

    expect([code, stdout, stderr]).toEqual([2, '', `callspec: ${message}\n`])
  })

  it('that names an unknown tool as its choice gets a list of the tools', async () => {
    const { code, stderr } = await render(REQUEST, '--format', 'qwen', '--function-choice', 'clok')

    expect(code).toBe(2)
    expect(stderr).toBe(
      'callspec: request.json5:1: function_choice: No tool is named "clok". Did you mean clock? Known: auto, none, clock.\n',
    )
  })

  it('with a lone surrogate is shown in JSON, and refused where UTF-8 cannot carry it', async () => {
    const request = String.raw`[{ role: 'user', content: 'a\ud83db' }]`

    const json = await render(request, '--format', 'nous')
    const chatml = await render(request, '--format', 'nous', '--as', 'chatml')

    expect(json.stdout).toBe('[\n  {\n    "role": "user",\n    "content": "a\\ud83db"\n  }\n]\n')
    expect(chatml.code).toBe(2)
    expect(chatml.stderr).toBe(
      'callspec: request.json5: messages[0] of the prompt has a lone surrogate \\ud83d at offset 1, which UTF-8 cannot carry. ' +
        'Use --as messages.\n',
    )
  })

  it('that cannot be read at all says why', async () => {
    const cwd = folderWith({ 'latin1.json5': new Uint8Array([0x7b, 0x0a, 0xe9, 0x7d]) })

    const missing = await inProcess(['render', 'none.json5', '--format', 'nous'], { cwd })
    const latin1 = await inProcess(['render', 'latin1.json5', '--format', 'nous'], { cwd })
    const folder = await inProcess(['render', '.', '--format', 'nous'], { cwd })

    expect(missing.stderr).toBe('callspec: none.json5: no such file. Give a file, or - for standard input.\n')
    expect(latin1.stderr).toBe('callspec: latin1.json5:2: not UTF-8. Save the file as UTF-8.\n')
    expect(folder.stderr).toBe('callspec: .: this is a folder. Give a file, or - for standard input.\n')
    expect([missing.code, latin1.code, folder.code]).toEqual([2, 2, 2])
  })
})

describe('a wrong format or profile', () => {
  it.each([
    [
      ['--format', 'nuos'],
      'Unknown format "nuos". Did you mean nous? callspec formats lists all; a file such as ./my-format.mjs is one, too.',
    ],
    [
      ['--format', 'nous', '--profile', 'v0.0.7'],
      'The format nous did not exist in qwen-agent@v0.0.7. Profiles with nous: main, v0.0.26, v0.0.16, v0.0.13.',
    ],
    [
      ['--format', 'qwen', '--profile', 'v1'],
      'Unknown profile "v1". Known profiles: main, v0.0.26, v0.0.16, v0.0.13, v0.0.7, strict.',
    ],
    [['--format', './none.mjs'], './none.mjs: no such file. Give the path of a JavaScript module.'],
    [['--format', './bad.mjs'], './bad.mjs: no export named "format". It exports: formt. Export a Format as "format".'],
    [['--format', './throws.mjs'], './throws.mjs: render threw TypeError: no'],
    [['--format', './number.mjs'], './number.mjs: render gave back a number; a text or a list of messages is needed.'],
    [
      ['--format', './function.mjs'],
      './function.mjs: render: message 0.extra.f: A function is no data. Give what JSON can hold.',
    ],
    [
      [],
      'Which format? Give --format NAME (callspec formats lists them), or a file such as ./my-format.mjs; or "format" in the file.',
    ],
  ])('%j is one line that says what to do', async (words, message) => {
    const cwd = folderWith({
      'request.json5': REQUEST,
      'bad.mjs': 'export const formt = {}',
      'throws.mjs': "export const format = { id: 'x', render() { throw new TypeError('no') } }",
      'function.mjs':
        "export const format = { id: 'x', render: (f) => [{ role: 'user', content: '', extra: { f() {} } }] }",
      'number.mjs': "export const format = { id: 'x', render: () => 1 }",
    })

    const { code, stdout, stderr } = await inProcess(['render', 'request.json5', ...words], { cwd })

    expect([code, stdout, stderr]).toEqual([2, '', `callspec: ${message}\n`])
  })
})

describe('a format with a prompt of its own', () => {
  const messages = "messages: [{ role: 'user', content: 'Hi </s>' }]"

  it('is one text, in which members of the file are options', async () => {
    const cwd = folderWith({ 'a.json5': `{ ${messages}, format: 'kimi-k2', add_generation_prompt: false, note: 'x' }` })

    const { code, stdout } = await inProcess(['render', 'a.json5', '--profile', 'strict'], { cwd })

    expect([code, stdout]).toEqual([
      0,
      '<|im_system|>system<|im_middle|>You are Kimi, an AI assistant created by Moonshot AI.<|im_end|>' +
        '<|im_user|>user<|im_middle|>Hi </s><|im_end|>',
    ])
  })

  it('tells apart tokens and texts that spell them', async () => {
    const cwd = folderWith({ 'a.json5': `{ ${messages} }` })

    const { stdout } = await inProcess(['render', 'a.json5', '--format', 'mistral-v13', '--as', 'parts'], { cwd })

    expect(JSON.parse(stdout)).toEqual([
      { kind: 'token', text: '<s>' },
      { kind: 'token', text: '[INST]' },
      { kind: 'text', text: 'Hi </s>', spells: ['</s>'] },
      { kind: 'token', text: '[/INST]' },
    ])
  })

  it('refuses what its makers refuse, in one line', async () => {
    const cwd = folderWith({ 'a.json5': "{ messages: [{ role: 'tool', content: 'x' }] }" })

    const { code, stderr } = await inProcess(['render', 'a.json5', '--format', 'mistral-v11'], { cwd })

    expect([code, stderr]).toEqual([
      1,
      'callspec: a.json5: mistral-v11 refuses this: a message of role tool comes first. Nothing was rendered.\n',
    ])
  })

  it('has no messages to show, and says what it has', async () => {
    const cwd = folderWith({ 'a.json5': `{ ${messages} }` })

    const { code, stderr } = await inProcess(['render', 'a.json5', '--format', 'kimi-k2', '--as', 'chatml'], { cwd })

    expect([code, stderr]).toEqual([
      2,
      'callspec: a.json5: The format has a prompt of its own. Use --as text or --as parts.\n',
    ])
  })
})

describe('tools that a prompt cannot show', () => {
  it.each([
    ['deepseek-v3', 1],
    ['phi-4-mini', 1],
    ['functiongemma', 1],
    ['llama-4', 0],
    ['mistral-v13', 0],
  ])('are said to be missing, in one line: %s', async (format, lines) => {
    const request = {
      messages: [{ role: 'user', content: 'f?' }],
      tools: [{ name: 'f', parameters: { type: 'object' } }],
    }
    const cwd = folderWith({ 'r.json': JSON.stringify(request) })

    const { code, stderr } = await inProcess(['render', 'r.json', '--format', format], { cwd })

    expect([code, stderr]).toEqual([
      0,
      'callspec: warning: r.json: the prompt of this format does not show its tools: f. Write them into a message for the model to know them.\n'.repeat(
        lines,
      ),
    ])
  })
})
