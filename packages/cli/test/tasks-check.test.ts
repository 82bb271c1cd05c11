import { describe, expect, it } from 'vitest'
import { readCsv } from '../src/tasks/csv.ts'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'

interface Listed {
  readonly id: string
  readonly query: string
  readonly tools: readonly string[]
  readonly until?: string
  readonly verdict: unknown
}

const words = (line: string): readonly string[] => line.split(' ')
const lines = (...rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

/** What check prints of a file, a line each, without the count at the end. */
async function check(files: Readonly<Record<string, string>>, options = ''): Promise<readonly string[]> {
  const [name = ''] = Object.keys(files)
  const { code, stdout, stderr } = await inProcess(words(`tasks check ${name}${options}`), { cwd: folderWith(files) })
  const printed = stdout.trim().split('\n')
  const faults = printed.slice(0, -1).filter((line) => !line.startsWith('note: '))
  expect([code, stderr]).toEqual([faults.length === 0 ? 0 : 1, ''])
  return printed.slice(0, -1)
}

/** The tasks of a file without faults. */
async function tasksOf(files: Readonly<Record<string, string>>): Promise<readonly Listed[]> {
  const [name = ''] = Object.keys(files)
  const line = `tasks list --json --suite ${name}`
  const { stdout, stderr } = await inProcess(words(line), { cwd: folderWith(files) })
  expect(stderr).toBe('')
  return JSON.parse(stdout) as readonly Listed[]
}

const PROMPTFOO = `prompts: ['Weather in {{city}}?']
providers:
  - id: openai:chat:x
    config:
      tools:
        - {type: function, function: {name: forecast, parameters: {type: object, properties: {city: {type: string}}}}}
tests:
`

describe('tasks check', () => {
  it('names every fault of a suite with its line', async () => {
    const suite = `tasks:
  - {id: a, query: x, toolz: []}
  - id: b
    query: y
    tools: [calculater]
  - {id: b, query: z, tools: []}
`
    expect(await check({ 'own.yaml': suite })).toEqual([
      'own.yaml:2: tasks[0]: unknown key "toolz". Did you mean tools?',
      'own.yaml:5: tasks[1].tools[0]: there is no tool "calculater". Did you mean calculator?',
      'own.yaml:6: the id "b" is taken (own.yaml:3). Ids must be unique.',
    ])
  })

  it('names faults of a table: fields, numbers, calls, columns', async () => {
    const table =
      'id,query,tools,must,max_calls,colour\na,x,calculator,{},,\nb,"two\nlines",kv_get,"{""name"": ""kv_get""}",2,red\nc,x,,,many,\nd,x\n'

    expect(await check({ 'own.csv': table })).toEqual([
      'own.csv:1: the column "colour" is unknown. Known: id, messages, query, tools, category, lang, until, answer, answer_num, must, must_not, min_calls, max_calls.',
      'own.csv:2: tasks[0].verdict.must[0]: has no "name".',
      'own.csv:5: max_calls: "many" is no number.',
      'own.csv:6: this row has 2 fields, the first one 6. Commas in a field need quotation marks.',
    ])
  })

  it.each([
    ['a.yaml', 'a: [b\nc: }', 'a.yaml:2: this is not YAML ('],
    ['b.yaml', '['.repeat(50_000), 'b.yaml:1: this is not YAML (it is nested too deeply).'],
    [
      'c.yaml',
      Array.from(
        { length: 20 },
        (_, at) => `a${at}: &a${at} [${at === 0 ? 'x' : `*a${at - 1}, *a${at - 1}, *a${at - 1}`}]`,
      ).join('\n'),
      'c.yaml:1: this cannot be read (',
    ],
    ['d.csv', 'query,tools\n"x,y\n', 'd.csv:2: a field whose quotation mark is never closed. Close it.'],
    ['e.csv', 'query,query\n', 'e.csv:1: two columns are named "query". Rename one.'],
    [
      'f.jsonl',
      '{"input": "x", "ideal": "y"}\n{oops\n',
      'f.jsonl:2: this line is not JSON. Every line must be one value.',
    ],
    [
      'g.jsonl',
      lines({ input: [{ role: 'assistant', content: 'x' }], ideal: 'y' }),
      'g.jsonl:1: the last message is one of the role assistant: a task ends with a question of the user.',
    ],
    ['h.jsonl', lines({ input: 'x', target: 'A', choices: ['a'] }), 'h.jsonl:1: "choices"'],
    ['i.yaml', `${PROMPTFOO}  - vars: {town: Oslo}\n`, 'i.yaml:8: the variable "city" of the prompt is missing'],
    [
      'j.yaml',
      `${PROMPTFOO}  - vars: {city: Oslo}\n    assert: [{type: llm-rubric, value: nice}]\n`,
      'j.yaml:9: the assertion "llm-rubric" cannot be judged here.',
    ],
    ['k.yaml', 'prompts: [file://p.txt]\ntests: []\n', 'k.yaml:1: prompts in files of their own are not read.'],
    ['l.json', lines({ id: 'a_0', question: [[], []], function: [] }), 'l.json:1: a_0: 2 turns.'],
    [
      'n.json',
      lines({ id: 'memory_0', question: [[{ role: 'user', content: 'x' }]] }),
      'n.json:1: memory_0: no "function".',
    ],
    [
      'm.json',
      lines({
        id: 'a_0',
        question: [[{ role: 'user', content: 'x' }]],
        function: [{ name: 'f', parameters: { type: 'dict', properties: { a: { type: 'HashMap' } } } }],
      }),
      'm.json:1: a_0: f: the type "HashMap" is unknown to JSON Schema',
    ],
  ])('says what is wrong in %s', async (name, text, fault) => {
    expect((await check({ [name]: text }))[0]).toContain(fault)
  })

  it('notes tools that cannot answer and tasks that ask for nothing', async () => {
    const tools = { t: { description: 'T.', parameters: { type: 'object' } } }
    const suite = {
      tools,
      tasks: [
        { id: 'a', query: 'x', tools: ['t'], verdict: { minCalls: 1 } },
        { id: 'b', query: 'x', tools: [] },
      ],
    }

    expect(await check({ 'own.json': JSON.stringify(suite) })).toEqual([
      expect.stringMatching(/^note: own\.json:1: 1 of 2 tasks offer a tool without results/),
      expect.stringMatching(/^note: own\.json:1: 1 of 2 tasks have no verdict/),
    ])
  })
})

describe('a file of another harness as a suite', () => {
  it('maps tests of promptfoo', async () => {
    const tests = `  - vars: {city: Oslo}
    assert: [{type: is-valid-openai-tools-call}, {type: tool-call-f1, value: forecast}]
    metadata: {id: calls}
  - vars: {city: Rome}
    assert: [{type: icontains, value: rain}, {type: contains-any, value: [sun, a.b]}]
`
    const [calls, answers] = await tasksOf({ 'promptfooconfig.yaml': PROMPTFOO + tests })

    expect(calls).toMatchObject({ id: 'calls', query: 'Weather in Oslo?', tools: ['forecast'], until: 'call' })
    expect(calls?.verdict).toMatchObject({ minCalls: 1, must: [{ name: 'forecast' }] })
    expect(answers).toMatchObject({ id: '2', verdict: { answer: { all: ['rain'], re: 'sun|a\\.b' } } })
    expect(answers?.until).toBeUndefined()
  })

  it('maps a table of promptfoo', async () => {
    const [task] = await tasksOf({ 'tests.csv': 'question,__expected\nCapital of France?,icontains: Paris\n' })

    expect(task).toMatchObject({ query: 'Capital of France?', verdict: { answer: { all: ['Paris'] } } })
  })

  it('maps questions of BFCL, with their answers and tools of one name that differ', async () => {
    const area = (description: string): unknown => ({
      name: 'area',
      description,
      parameters: { type: 'dict', properties: { base: { type: 'float' } }, required: ['base'] },
    })
    const question = [[{ role: 'user', content: 'Area?' }]]
    const files = {
      'BFCL_v4_simple_python.json': lines(
        { id: 'simple_python_0', question, function: [area('One.')] },
        { id: 'simple_python_1', question, function: [area('Other.')] },
        { id: 'irrelevance_2', question, function: [area('One.')] },
      ),
      'possible_answer/BFCL_v4_simple_python.json': lines({
        id: 'simple_python_0',
        ground_truth: [{ area: { base: [1, 2], unit: ['m', ''] } }],
      }),
    }
    const [answered, open, none] = await tasksOf(files)

    expect(answered).toMatchObject({ category: 'simple_python', tools: ['area'], until: 'call' })
    expect(answered?.verdict).toMatchObject({
      must: [{ name: 'area', oneOf: { base: [1, 2] }, ifGiven: { unit: ['m'] } }],
      maxCalls: 1,
    })
    expect(open).toMatchObject({ tools: ['area:2'], verdict: { minCalls: 1 } })
    expect(none).toMatchObject({ tools: ['area'], verdict: { maxCalls: 0 } })
    const { code, stdout } = await inProcess(
      words('eval --suite BFCL_v4_simple_python.json -m sim/perfect -f nous --filter _0$ --repeat 1 --json'),
      { cwd: folderWith(files) },
    )
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ rows: [{ rates: { task_success: { hits: 1, of: 1 } } }] })
  })

  it.each([
    [
      'evals.jsonl',
      lines({
        input: [
          { role: 'system', content: 'Short.' },
          { role: 'user', content: '2+2?' },
        ],
        ideal: '4',
      }),
      '2+2?',
      { num: 4 },
    ],
    ['inspect.csv', 'input,target\nSay hi,hi\n', 'Say hi', { all: ['hi'] }],
    ['inspect.json', JSON.stringify([{ input: 'x', target: ['a', 'b+'] }]), 'x', { re: 'a|b\\+' }],
  ])('maps samples of %s', async (name, text, query, answer) => {
    expect(await tasksOf({ [name]: text })).toMatchObject([{ query, tools: [], verdict: { answer } }])
  })
})

describe('readCsv', () => {
  it.each([
    [
      'a,b\r\n1,"x ""y"", z"\r\n',
      [
        ['a', 'b'],
        ['1', 'x "y", z'],
      ],
    ],
    ['\ufeffa\n"1\r\n2"\n', [['a'], ['1\r\n2']]],
    [
      'a,,\n,\n',
      [
        ['a', '', ''],
        ['', ''],
      ],
    ],
    ['a\n\n\nb', [['a'], ['b']]],
  ])('reads %j', (text, rows) => {
    const file = readCsv(text)

    expect(file.rows.map(({ fields }) => fields)).toEqual(rows)
    expect(file.faults).toEqual([])
  })

  it('gives the line on which a row begins', () => {
    expect(readCsv('a\n"x\ny"\r\nb').rows.map(({ line }) => line)).toEqual([1, 2, 4])
  })
})
