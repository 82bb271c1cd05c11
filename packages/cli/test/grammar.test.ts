import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'

const TOOLS = JSON.stringify([
  { name: 'clock', parameters: { type: 'object', properties: {} } },
  { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
])

describe('callspec grammar accept', () => {
  it('says where a text is refused, and what was expected', async () => {
    const cwd = folderWith({ 'g.gbnf': 'root ::= "a"+ "b"', 'good.txt': 'aab', 'bad.txt': 'aac', 'short.txt': 'aa' })

    const runs = []
    for (const text of ['good.txt', 'bad.txt', 'short.txt'])
      runs.push(await inProcess(['grammar', 'accept', 'g.gbnf', text], { cwd }))

    expect(runs.map(({ code, stdout }) => [code, stdout])).toEqual([
      [0, 'accepted\n'],
      [1, 'refused at byte 2: c after aa. Expected: "a", "b"\n'],
      [1, 'refused: the text ends at byte 2, but may not end here. Expected: "a", "b"\n'],
    ])
  })

  it('answers every line of a batch, bad ones too', async () => {
    const lines = [
      { id: 1, kind: 'gbnf', grammar: 'root ::= "a"{2,1}', text: 'a' },
      { id: 2, kind: 'regex', grammar: 'a+', text: 'aab' },
      { id: 3, kind: 'structural_tag', grammar: { format: { type: 'const_string', value: 'ab' } }, text: 'a' },
      { id: 4, kind: 'gbnf', grammar: 'root ::= "a"', text: 'a' },
      { id: 5, kind: 'lark', grammar: 'start: "a"', text: 'a' },
    ]
    const cwd = folderWith({ 'b.jsonl': `${lines.map((line) => JSON.stringify(line)).join('\n')}\nnot JSON\n` })

    const run = await inProcess(['grammar', 'accept', '--batch', 'b.jsonl'], { cwd })

    expect(run.code).toBe(0)
    expect(
      run.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { id: 1, accepted: false, error: expect.stringContaining('a minimum above its maximum') as string },
      { id: 2, accepted: false, at: 2 },
      { id: 3, accepted: false, at: 1, incomplete: true },
      { id: 4, accepted: true },
      { id: 5, accepted: false, error: 'b.jsonl:5: "kind" must be one of structural_tag, gbnf, ebnf, regex.' },
      { id: null, accepted: false, error: 'b.jsonl:6: the line is not JSON.' },
    ])
  })

  it('refuses a grammar that cannot be read, in one line', async () => {
    const cwd = folderWith({ 'g.json': '{"format": {"type": "x"}}', 'bad.json': '{', t: '' })

    const unknown = await inProcess(['grammar', 'accept', 'g.json', 't'], { cwd })
    const broken = await inProcess(['grammar', 'accept', 'bad.json', 't'], { cwd })

    expect([unknown.code, unknown.stderr]).toEqual([2, 'callspec: g.json: format has the unknown type "x".\n'])
    expect([broken.code, broken.stderr]).toEqual([
      2,
      'callspec: bad.json: begins with "{", but is not JSON. Give --kind for a grammar of another kind.\n',
    ])
  })
})

describe('callspec grammar export', () => {
  const flags = ['grammar', 'export', '--format', 'mistral-v13', '--tools', 'tools.json']
  const clock = JSON.stringify([
    { name: 'clock', parameters: { type: 'object', properties: { at: { type: 'integer' } } } },
  ])

  it('prints a grammar that check accepts, and what it cannot say on stderr', async () => {
    const cwd = folderWith({ 'tools.json': clock })

    const run = await inProcess([...flags, '--choice', 'required', '--no-parallel'], { cwd })
    const cwd2 = folderWith({ 'tools.json': clock, 'tag.json': run.stdout })
    const check = await inProcess(
      ['grammar', 'check', 'tag.json', ...flags.slice(2), '--choice', 'required', '--no-parallel'],
      { cwd: cwd2 },
    )

    expect([run.code, check.code]).toEqual([0, 0])
    expect(JSON.parse(run.stdout)).toMatchObject({ format: { elements: [{}, { begin: '[TOOL_CALLS]clock[ARGS]' }] } })
    expect(run.stderr).toBe(
      'callspec: 1 loss: what the grammar cannot say\n' +
        '  refused: clock: an argument that the schema does not list, although it does not forbid it: [TOOL_CALLS]clock[ARGS]{"extra": ""}\n',
    )
  })

  it('writes GBNF for llama.cpp, and losses into JSON', async () => {
    const cwd = folderWith({ 'tools.json': clock })

    const run = await inProcess([...flags, '--for', 'llama.cpp@v0.5.0', '--json'], { cwd })

    expect(JSON.parse(run.stdout)).toMatchObject({
      format: 'mistral-v13',
      for: 'llama.cpp@v0.5.0',
      kind: 'gbnf',
      grammar: expect.stringMatching(/^root ::= /) as string,
      losses: [{ kind: 'refused' }],
    })
  })

  it.each([
    [['--for', 'vllm@0.1'], 'callspec: --for "vllm@0.1" is unknown.'],
    [
      ['--for', 'vllm@0.33.0', '--as', 'gbnf'],
      'callspec: vllm@0.33.0 does not read gbnf. Leave out --as, or give --as',
    ],
    [['--choice', 'clok'], 'callspec: --choice "clok" is neither auto, none, required nor a tool: clock. Did you mean'],
    [['tag.json'], 'callspec: unexpected argument "tag.json".'],
  ])('refuses %j', async (words, message) => {
    const cwd = folderWith({ 'tools.json': clock })

    const run = await inProcess([...flags, ...words], { cwd })

    expect(run.code).toBe(2)
    expect(run.stderr).toContain(message)
  })
})

describe('callspec grammar check', () => {
  const flags = ['grammar', 'check', '--format', 'qwen3-coder', '--tools', 'tools.json']

  it('prints findings with their smallest texts, and writes a page', async () => {
    const cwd = folderWith({ 'tools.json': TOOLS })

    const run = await inProcess([...flags, '--shipped', 'qwen_3_coder', '--html', 'page.html'], { cwd })

    expect(run.code).toBe(1)
    expect(run.stdout).toContain('refused, written by the writer (clock, no arguments')
    expect(run.stdout).toContain('"<tool_call>\\n<function=clock>\\n</function>\\n</tool_call>"')
    expect(readFileSync(join(cwd, 'page.html'), 'utf8')).toContain('&lt;function=clock&gt;')
  })

  it('begins with the generation prompt where the grammar does, or at a trigger', async () => {
    const call = '<tool_call>\\n<function=clock>\\n</function>\\n</tool_call>'
    const before = { kind: 'gbnf', grammar: `root ::= "P:${call}"`, before: 'P:' }
    const lazy = {
      kind: 'gbnf',
      grammar: `root ::= "${call}"`,
      lazy: true,
      triggers: [{ type: 1, value: '<tool_call>' }],
    }
    const cwd = folderWith({
      'tools.json': JSON.stringify([{ name: 'clock', parameters: { type: 'object', properties: {} } }]),
      'before.json': JSON.stringify(before),
      'lazy.json': JSON.stringify(lazy),
    })

    const required = await inProcess([...flags, 'before.json', '--choice', 'clock', '--no-parallel'], { cwd })
    const auto = await inProcess([...flags, 'lazy.json', '--no-parallel'], { cwd })

    expect([required.stdout, required.code]).toEqual([expect.stringContaining('complete: 0 of 1 text'), 0])
    expect([auto.stdout, auto.code]).toEqual([expect.stringContaining('complete: 0 of 3 texts'), 0])
  })

  it.each([
    [['--shipped', 'qwen_4'], '--shipped "qwen_4" is unknown. Did you mean qwen_3?'],
    [['g.gbnf', '--shipped', 'qwen_3'], 'needs a GRAMMAR, or --shipped NAME: one of the two.'],
    [
      ['--shipped', 'qwen_3', '--choice', 'clok'],
      '--choice "clok" is neither auto, required nor a tool: clock, get_weather. Did you mean clock?',
    ],
  ])('%j is a mistake', async (more, message) => {
    const run = await inProcess([...flags, ...more], { cwd: folderWith({ 'tools.json': TOOLS }) })

    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(message)])
  })
})

it('callspec grammar lint and show read a grammar without a text', async () => {
  const cwd = folderWith({ 'g.gbnf': 'root ::= [ \\t]* x\nx ::= "a"?' })

  const lint = await inProcess(['grammar', 'lint', 'g.gbnf'], { cwd })
  const show = await inProcess(['grammar', 'show', 'g.gbnf'], { cwd })

  expect([lint.code, lint.stdout]).toEqual([
    0,
    'note white-space-loop at root: White space has no limit, so that a model can write it without end.\n',
  ])
  expect([show.code, show.stdout]).toEqual([0, 'root ::= [\\t ]* x\nx ::= "a"?\n'])
})

describe('callspec grammar check --shipped', { timeout: 60_000 }, () => {
  it('knows the format of a grammar, and has tools of its own', async () => {
    const { code, stdout } = await inProcess(['grammar', 'check', '--shipped', 'vllm/hermes', '--choice', 'required'])

    expect(code).toBe(1)
    expect(stdout).toContain('vllm/hermes of vllm 0.33.0 (2026-11-02), against nous')
    expect(stdout).toContain('refused, written by the writer (two calls; 1 text)')
  })

  it('fits tags to other tools, and says where it cannot', async () => {
    const tools = JSON.stringify([{ name: 'ping', parameters: { type: 'object', properties: {} } }])
    const check = (name: string, choice: string): ReturnType<typeof inProcess> =>
      inProcess(['grammar', 'check', '--shipped', name, '--choice', choice, '--tools', '-'], { input: tools })

    expect((await check('sglang/qwen25', 'auto')).stdout).toContain('{\\"name\\": \\"ping\\"')
    expect((await check('llama.cpp/Qwen3-Coder', 'auto')).stderr).toBe(
      'callspec: --shipped "llama.cpp/Qwen3-Coder" is known for the tools of callspec only. Leave --tools out.\n',
    )
  })

  it.each([
    ['vllm/hermess', /^callspec: --shipped "vllm\/hermess" is unknown\. Did you mean "?vllm\/hermes/],
    ['llama.cpp/openai-gpt-oss-120b', /^callspec: --shipped ".*": the engine forces nothing for this --choice/],
  ])('refuses %s in one line', async (name, message) => {
    expect((await inProcess(['grammar', 'check', '--shipped', name])).stderr).toMatch(message)
  })

  it('checks all of an engine in a table, here those of one format', async () => {
    const { code, stdout } = await inProcess(['grammar', 'check', '--shipped', 'llama.cpp', '--format', 'mistral-v13'])

    expect(code).toBe(0)
    expect(stdout).toMatch(/\| llama\.cpp\/unslo\S* +\| mistral-v13 \| auto +\| 0 of 41 \| 0 of 300 \|/)
  })
})
