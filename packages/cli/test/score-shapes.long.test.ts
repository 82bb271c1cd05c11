import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'

const CALL = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
const NATIVE = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a": 1}' } }
const TOOLS = [
  { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: { a: {} }, required: ['a'] } } },
]
const answer = (message: unknown, finish = 'stop'): unknown => ({
  model: 'm',
  choices: [{ index: 0, message, finish_reason: finish }],
})
const called = answer({ role: 'assistant', content: null, tool_calls: [NATIVE] }, 'tool_calls')
const responses = {
  object: 'response',
  status: 'completed',
  model: 'm',
  tools: [{ type: 'function', name: 'f', parameters: { required: ['a'] } }],
  output: [
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Let me call f.' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Calling.' }] },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a": 1}' },
  ],
}
const batch = (response: unknown, error: unknown = null): unknown => ({ id: 'b', custom_id: 'c', response, error })
const jsonl = (rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

interface Scored {
  readonly shape: string
  readonly scored: number
  readonly failed: number
  readonly failures: Readonly<Record<string, number>>
  readonly unreadable: number
  readonly models: readonly {
    readonly model: string
    readonly withoutCall: number
    readonly strictParse: { readonly hits: number; readonly of: number }
    readonly strict: Readonly<Record<string, number>>
    readonly unknownFunctions: number
  }[]
}

async function score(file: string | Buffer, ...words: readonly string[]): Promise<Scored> {
  const cwd = folderWith({ 'file.jsonl': file })
  const run = await inProcess(['score', 'file.jsonl', '--json', ...words], { cwd })
  if (run.code !== 0) throw new Error(run.stderr)
  return JSON.parse(run.stdout) as Scored
}

describe('callspec score FILE', () => {
  it.each([
    ['outputs', [{ model: 'm', output: CALL }], 'nous'],
    ['outputs', [{ messages: [{ role: 'user', content: 'q' }], response: CALL }], 'nous'],
    ['openai', [called], null],
    ['openai', [{ request: { tools: TOOLS }, response: called }], null],
    ['openai', [{ choices: [{ text: CALL }] }], 'nous'],
    ['openai', [{ request: JSON.stringify({ tools: TOOLS }), response: JSON.stringify(called) }], null],
    ['openai', [responses], null],
    ['openai-batch', [batch({ status_code: 200, body: responses })], null],
    ['openai-batch', [batch({ status_code: 200, body: called })], null],
    [
      'chat',
      [
        {
          messages: [
            { role: 'user', content: 'q' },
            { role: 'assistant', tool_calls: [NATIVE] },
          ],
          tools: TOOLS,
        },
      ],
      null,
    ],
    ['chat', [{ messages: [{ role: 'assistant', function_call: { name: 'f', arguments: '{"a": 1}' } }] }], null],
    ['chat', [{ messages: [{ role: 'assistant', content: [{ type: 'text', text: CALL }] }] }], 'nous'],
    ['lm-eval', [{ doc_id: 0, resps: [[CALL]], filtered_resps: ['x'] }], 'nous'],
    ['lm-eval', [{ doc_id: 0, filtered_resps: [CALL] }], 'nous'],
    [
      'sharegpt',
      [
        {
          conversations: [
            { from: 'human', value: 'q' },
            { from: 'gpt', value: CALL },
          ],
        },
      ],
      'nous',
    ],
    [
      'sharegpt',
      [{ conversations: JSON.stringify([{ from: 'function_call', value: '{"name": "f", "arguments": {"a": 1}}' }]) }],
      'native',
    ],
    [
      'turns',
      [{ kind: 'call' }, { kind: 'turn', protocol: 'fncall-nous', model: 'm', text: CALL, failure: null }],
      'nous',
    ],
    [
      'turns',
      [{ kind: 'turn', protocol: 'native', text: '', toolCalls: [{ id: '', name: 'f', arguments: '{"a": 1}' }] }],
      'native',
    ],
  ] as const)('recognises %s', async (shape, rows, format) => {
    const words = format === null ? [] : ['--format', format]

    const found = await score(jsonl(rows), ...words)

    expect(found).toMatchObject({ shape, scored: 1, models: [{ strictParse: { hits: 1, of: 1 } }] })
  })

  it('says what was recognised, and what failed on the way, without blaming the model', async () => {
    const rows = [
      batch(null, { code: 'batch_expired', message: 'too late' }),
      batch({ status_code: 429, body: { error: { code: 'rate_limit_exceeded' } } }),
      batch({ status_code: 400, request_id: 'r', body: null }),
      batch({ status_code: 400, request_id: 'r', body: { object: 'error', message: 'bad', type: 'BadRequestError' } }),
      batch({ status_code: 200, body: called }),
    ]
    const cwd = folderWith({ 'batch.jsonl': jsonl(rows) })

    const run = await inProcess(['score', 'batch.jsonl'], { cwd })

    expect([run.code, run.stderr]).toEqual([0, ''])
    expect(run.stdout).toBe(`+-------+------+---------+--------------+--------+
| model | rows | no call | strict parse |  parse |
+-------+------+---------+--------------+--------+
| m     |    1 |       0 |       100.0% | 100.0% |
+-------+------+---------+--------------+--------+
strict parse, parse: of the rows with a call, without and with named repairs

read as a Batch output of OpenAI or vLLM ("custom_id")
failed requests, not scored: 1 batch_expired, 1 status 429 rate_limit_exceeded,
    1 status 400, 1 status 400 BadRequestError
1 scored, 0 of other formats, 4 failed, 0 unreadable
`)
  })

  it('scores every reply of a conversation, and every text of a sample', async () => {
    const chat = [
      { role: 'system', content: CALL },
      { role: 'assistant', content: CALL },
      { role: 'tool', content: CALL },
      { role: 'assistant', content: 'It is 1.' },
    ]

    const messages = await score(jsonl([{ messages: chat }]), '--format', 'nous')
    const samples = await score(jsonl([{ resps: [[CALL, 'no call'], [CALL]] }]), '--format', 'nous')

    expect(messages).toMatchObject({ scored: 2, models: [{ withoutCall: 1, strictParse: { hits: 1, of: 1 } }] })
    expect(samples).toMatchObject({ scored: 3, models: [{ withoutCall: 1, strictParse: { hits: 2, of: 2 } }] })
  })

  it('judges the calls of a chat against its tools, also where they are a text of JSON', async () => {
    const wrong = { ...NATIVE, function: { name: 'f', arguments: '{}' } }
    const row = (tools: unknown): unknown => ({ messages: [{ role: 'assistant', tool_calls: [wrong] }], tools })

    const found = await score(jsonl([row(TOOLS), row(JSON.stringify(TOOLS)), row(null)]))

    expect(found.models[0]?.strict).toEqual({ bad_args_schema: 2, well_formed: 1 })
  })

  it('does not call a native call empty where the format is one of texts', async () => {
    const mine = `export const format = { id: 'mine', parse: () => ({ kind: 'rejected', issue: { code: 'x' } }) }`
    const cwd = folderWith({ 'log.jsonl': jsonl([called]), 'mine.mjs': mine })

    for (const format of ['nous', 'qwen', 'react', './mine.mjs']) {
      const run = await inProcess(['score', 'log.jsonl', '--kind', 'openai', '--format', format, '--json'], { cwd })
      expect([format, (JSON.parse(run.stdout) as Scored).models[0]?.strict]).toEqual([format, { well_formed: 1 }])
    }
  })

  it.each([
    ['resps.0.0', { resps: [[CALL]] }],
    ['result.text', { 'result.text': CALL, result: { text: 3 } }],
    ['result.text', { result: { text: CALL } }],
    ['answers.1.content', { answers: [{}, { content: CALL }] }],
  ])('takes the text from %s', async (path, row) => {
    expect(await score(jsonl([row]), '--format', 'nous', '--field', path)).toMatchObject({ scored: 1, unreadable: 0 })
  })

  it.each(['resps.0.1', 'resps.-1', 'resps.length', 'constructor', '__proto__.x', 'resps..0', '.'])(
    'finds no text at %s',
    async (path) => {
      const cwd = folderWith({ 'file.jsonl': jsonl([{ resps: [[CALL]] }]) })

      const run = await inProcess(['score', 'file.jsonl', '--format', 'nous', '--field', path], { cwd })

      expect(run.code).toBe(2)
      expect(run.stderr).toContain(`file.jsonl:1: "${path}" is missing or no text`)
    },
  )

  const rows = [{ output: CALL }, { output: `"]},{[\\"${CALL}` }, { output: '好\ud800' }]
  it.each([
    ['JSON Lines with a mark and CRLF', `\ufeff${jsonl(rows).replaceAll('\n', '\r\n')}`],
    ['UTF-16 of PowerShell', Buffer.from(`\ufeff${jsonl(rows)}`, 'utf16le')],
    ['a JSON array', JSON.stringify(rows)],
    [
      'a JSON array over many lines, with a mark and CRLF',
      `\ufeff${JSON.stringify(rows, null, 2).replaceAll('\n', '\r\n')}`,
    ],
    ['JSON arrays, one per line', jsonl([rows.slice(0, 1), [], rows.slice(1)])],
    ['JSON values over many lines', rows.map((row) => JSON.stringify(row, null, 2)).join('\n')],
    ['empty lines between', `\n\n${jsonl(rows).replaceAll('\n', '\n \n')}`],
  ])('reads %s', async (_, text) => {
    const found = await score(text, '--format', 'nous')

    expect(found).toMatchObject({ shape: 'outputs', scored: 3, unreadable: 0 })
  })

  it('reads a packed array, and names elements instead of lines', async () => {
    const text = `[${JSON.stringify({ output: CALL })}, 3, ${JSON.stringify({ output: CALL })}, {"output": `
    const cwd = folderWith({ 'a.json.gz': gzipSync(text) })

    const run = await inProcess(['score', 'a.json.gz', '--format', 'nous'], { cwd })

    expect(run.stdout.trimEnd().split('\n').at(-1)).toBe('2 of 4 rows scored, 0 of other formats, 2 unreadable')
    expect(run.stderr).toBe(
      'callspec: warning: a.json.gz: element 2: this is no JSON object\n' +
        'callspec: warning: a.json.gz: element 4: this is no JSON\n' +
        'callspec: a.json.gz: 2 of 4 rows cannot be read: the figures cover only the others. Repair the file, or ' +
        'describe it with --kind and --field.\n',
    )
  })

  it.each([
    ['', 'it holds no rows. Give '],
    ['\n \n', 'it holds no rows. Give '],
    ['[]', 'it holds no rows. Give '],
    ['model,output\n1,2\n', 'this is no JSON. Give JSON Lines, or a JSON array, of '],
    ['[1, 2]', 'this is no JSON object. Give JSON Lines, or a JSON array, of '],
    ['{"a\\u001b[2J": 1, "b": 2}', 'but a row with "a\\u001b[2J", "b". Known are '],
    [jsonl([{ id: 'simple_0', result: 'x' }]), '--kind bfcl with --questions and --answers.'],
    [jsonl([{ prompt: 'q', response: 'a', gen: ['b'] }]), 'give --kind qwen-exam.'],
    [jsonl([{ custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body: {} }]), 'but a row with "custom_id"'],
  ])('says in one line what is wrong with %j', async (text, message) => {
    const cwd = folderWith({ 'file.jsonl': text })

    const run = await inProcess(['score', 'file.jsonl', '--format', 'nous'], { cwd })

    expect([run.code, run.stdout]).toEqual([2, ''])
    expect(run.stderr).toMatch(/^callspec: file\.jsonl(?::\d+|: element \d+)?: [^\n]*\n$/)
    expect(run.stderr).toContain(message)
  })

  it('takes an answer that was cut off for that', async () => {
    const cut = { ...responses, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }

    expect((await score(jsonl([cut]))).models[0]?.strict).toEqual({ truncated: 1 })
  })

  it('takes a text that looks like an answer for a text, unless it is one', async () => {
    const text = '{"name": "f", "arguments": {"a": 1}}'

    expect(await score(jsonl([{ response: text }]), '--format', 'nous')).toMatchObject({ shape: 'outputs', scored: 1 })
  })

  it('reads standard input', async () => {
    const run = await inProcess(['score', '-', '--json'], { input: jsonl([called]) })

    expect(JSON.parse(run.stdout)).toMatchObject({ shape: 'openai', scored: 1 })
  })

  it.each([
    { output: CALL },
    called as object,
    batch({ status_code: 200, body: called }) as object,
    { messages: [{ role: 'assistant', content: CALL, tool_calls: [NATIVE] }], tools: TOOLS },
    responses,
    { resps: [[CALL]] },
    { conversations: [{ from: 'gpt', value: CALL }] },
    { kind: 'turn', protocol: 'fncall-nous', text: CALL, toolCalls: [NATIVE], failure: null },
  ])('is not thrown by anything in the place of a member of %j', async (row) => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    const odd = [
      'null',
      '3',
      '1e400',
      '"\\ud800"',
      '[]',
      '{}',
      '[[]]',
      '[null]',
      '{"0": 0}',
      deep,
      `{"a": ${deep}}`,
      '"x'.repeat(2),
    ]
    const torn = placesOf(row).flatMap((path) => odd.map((value) => replaced(row, path, value)))
    const rowsOfAll = [...torn, `{"output": "${'x'.repeat(3_000_000)}"}`, deep, '{"a":'.repeat(20_000)].join('\n')
    const cwd = folderWith({ 'file.jsonl': `${JSON.stringify(row)}\n${rowsOfAll}` })

    for (const format of ['nous', 'qwen', 'react', 'native']) {
      const run = await inProcess(['score', 'file.jsonl', '--format', format, '--json'], { cwd })
      const stderr = run.stderr.split('\n').filter((line) => line !== '' && !line.startsWith('callspec: warning: '))
      expect([format, stderr.filter((line) => !/no row of the format|rows cannot be read/.test(line))]).toEqual([
        format,
        [],
      ])
    }
  })
})

/** Every place in a value, by its keys. */
function placesOf(value: unknown, at: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [at]
  return [
    ...(at.length === 0 ? [] : [at]),
    ...Object.entries(value).flatMap(([key, inner]) => placesOf(inner, [...at, key])),
  ]
}

/** The value as JSON with another text of JSON at a place. */
function replaced(value: unknown, [key, ...rest]: readonly string[], json: string): string {
  if (key === undefined) return json
  const entries = Object.entries(value as object).map(
    ([name, inner]) => [name, name === key ? replaced(inner, rest, json) : JSON.stringify(inner)] as const,
  )
  if (Array.isArray(value)) return `[${entries.map(([, inner]) => inner).join(',')}]`
  return `{${entries.map(([name, inner]) => `${JSON.stringify(name)}:${inner}`).join(',')}}`
}
