import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { displayWidth } from '../src/columns.ts'
import { callspec } from './helpers/binary.ts'
import { folderWith } from './helpers/folder.ts'
import { inProcess, inProcessWithOldOptions } from './helpers/in-process.ts'
import { onlyLong } from '../../tidy/test/share.ts'

const CALL = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
const SAMPLE = resolve(import.meta.dirname, '../../../../shared/data/bfcl_sample.jsonl.gz')

const jsonl = (rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

// Each starts a process or loads the command: on a busy machine that alone may take seconds.
describe('callspec score', { timeout: 60_000 }, () => {
  it('says per model what can be parsed, what failed and why', async () => {
    const rows = [
      { model: 'good', format: 'hermes', output: CALL },
      { model: 'bad', response: CALL.replace('</tool_call>', '') },
      { model: 'bad', response: CALL.replaceAll('"', "'") },
      { model: 'bad', response: CALL.replace('1', '"x"y"') },
      { model: 'bad', response: 'No call.' },
      { model: 'bad', format: 'xlam', response: '[]' },
    ]
    const cwd = folderWith({ 'outputs.jsonl': jsonl(rows), 'outputs.jsonl.gz': gzipSync(jsonl(rows)) })

    const plain = await callspec(['score', '--format', 'nous', 'outputs.jsonl'], { cwd })
    const packed = await inProcess(['score', '--format', 'hermes', 'outputs.jsonl.gz'], { cwd })

    expect([plain.code, plain.stderr]).toEqual([0, ''])
    expect(plain.stdout).toBe(`+-------+------+---------+--------------+--------+
| model | rows | no call | strict parse |  parse |
+-------+------+---------+--------------+--------+
| bad   |    4 |       1 |         0.0% |  66.7% |
| good  |    1 |       0 |       100.0% | 100.0% |
+-------+------+---------+--------------+--------+
strict parse, parse: of the rows with a call, without and with named repairs

bad
  failed strictly: 3 malformed
  because: 2 not JSON, 1 tag not closed
  repaired by: 1 close-tag, 1 single-quotes
  still failing: 1 malformed

read as texts, one per row
5 scored, 1 of other formats, 0 unreadable
`)
    expect(packed.stdout).toBe(plain.stdout)
  })

  it('says in which format the replies are where nothing could be read', async () => {
    const text = '<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>'
    const cwd = folderWith({ 'outputs.jsonl': jsonl([{ text }, { text }, { text: 'Noon.' }]) })

    const wrong = await inProcess(['score', 'outputs.jsonl', '--format', 'mistral-v3'], { cwd })
    const right = await inProcess(['score', 'outputs.jsonl', '--format', 'qwen3-coder'], { cwd })

    expect(wrong.stdout.trimEnd().split('\n').slice(-3)).toEqual([
      'nothing could be read; the rows are: 2 qwen3-coder or qwen3.5,',
      '    1 without a call in any format',
      '--format qwen3-coder reads them',
    ])
    expect(right.stdout).not.toContain('nothing could be read so')
  })

  it('names the format of the rows that another one could not read, also with rows that it could', async () => {
    const text = '<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>'
    const cwd = folderWith({ 'outputs.jsonl': jsonl([{ text }, { text: CALL }, { text }, { text: 'Noon.' }]) })

    const { stdout } = await inProcess(['score', 'outputs.jsonl', '--format', 'nous'], { cwd })

    expect(stdout.trimEnd().split('\n').slice(-2)).toEqual([
      'not read, in another format: 2 qwen3-coder or qwen3.5',
      '--format qwen3-coder reads them',
    ])
  })

  it('names the lines that it cannot read, ten of them, and reads the rest', async () => {
    const cwd = folderWith({ 'outputs.jsonl': `${'{\n'.repeat(12)}${jsonl([{ text: CALL }])}` })

    const { code, stdout, stderr } = await inProcess(['score', '--format', 'nous', 'outputs.jsonl'], {
      cwd,
    })

    const warnings = stderr.trimEnd().split('\n')
    expect(code).toBe(3)
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('1 of 13 rows scored, 0 of other formats, 12 unreadable')
    expect(warnings[0]).toBe('callspec: warning: outputs.jsonl:1: this is no JSON')
    expect(warnings.slice(9)).toEqual([
      'callspec: warning: outputs.jsonl:10: this is no JSON',
      'callspec: warning: outputs.jsonl: 2 more lines cannot be read',
      'callspec: outputs.jsonl: 12 of 13 rows cannot be read: the figures cover only the others. Repair the file, or ' +
        'describe it with --kind and --field.',
    ])
  })

  it('ends with 3 only where more than a tenth of the rows cannot be read', async () => {
    const cwd = folderWith({
      'few.jsonl': jsonl([...Array.from({ length: 9 }, () => ({ text: CALL })), {}]),
      'many.jsonl': jsonl([...Array.from({ length: 8 }, () => ({ text: CALL })), {}]),
    })

    const few = await inProcess(['score', 'few.jsonl', '--format', 'nous'], { cwd })
    const many = await inProcess(['score', 'many.jsonl', '--format', 'nous'], { cwd })

    expect([few.code, few.stdout.trimEnd().split('\n').at(-1)]).toEqual([
      0,
      '9 of 10 rows scored, 0 of other formats, 1 unreadable',
    ])
    expect([many.code, many.stdout.trimEnd().split('\n').at(-1)]).toEqual([
      3,
      '8 of 9 rows scored, 0 of other formats, 1 unreadable',
    ])
  })

  onlyLong(() => {
    it('ends with 2 when no row is of the format', async () => {
      const cwd = folderWith({ 'outputs.jsonl': jsonl([{ format: 'xlam', text: '' }]) })

      const { code, stdout, stderr } = await callspec(['score', '--format', 'react', 'outputs.jsonl'], {
        cwd,
      })

      expect([code, stdout]).toEqual([2, 'read as texts, one per row\n0 scored, 1 of other formats, 0 unreadable\n'])
      expect(stderr).toBe(
        'callspec: outputs.jsonl: no row of the format react was found. Its rows name other formats.\n',
      )
    })
  })

  it('says how the text is named when no row has it', async () => {
    const cwd = folderWith({ 'outputs.jsonl': jsonl([{ completion: CALL }]) })

    const { code, stderr } = await inProcess(['score', '--format', 'nous', 'outputs.jsonl'], { cwd })

    expect([code, stderr]).toEqual([
      2,
      'callspec: outputs.jsonl:1: no recorded output that is known here, but a row with "completion". Known are turns of ' +
        'a run of callspec, a Batch output of OpenAI or vLLM ("custom_id"), OpenAI answers ("choices"), lm-eval samples ' +
        '("resps"), ShareGPT conversations ("conversations"), texts, chat logs ("messages"), GenAI spans of OpenTelemetry ("resourceSpans"); --field names the member that ' +
        'holds the text, or a path to it (resps.0.0).\n',
    ])
  })

  it('takes the field by name, reads standard input, prints JSON, and lets no model touch the terminal', async () => {
    const input = jsonl([{ model: 'm\u001b[2J', completion: CALL, text: 'x' }])

    const table = await callspec(['score', '--format', 'nous', '-', '--field', 'completion'], { input })
    const json = await inProcess(['score', '--format', 'nous', '-', '--field', 'completion', '--json'], {
      input,
    })

    expect(table.stdout).toContain('| m\\u001b[2J |    1 |       0 |       100.0% | 100.0% |')
    expect(JSON.parse(json.stdout)).toMatchObject({ scored: 1, models: [{ rows: 1, strictParse: { rate: 1 } }] })
  })

  it('takes no call for parsed whose arguments break off, even if a module says so', async () => {
    const given = `export const format = {
      id: 'mine',
      parse: (text) => ({ kind: 'parsed', messages: [{ role: 'assistant', content: '', function_call: { name: 'f', arguments: text } }], issues: [] }),
    }`
    const texts = ['{"a": 1}', "{'a': 1}", 'print(1)', '{"a": "Par', '{"a": 1']
    const cwd = folderWith({ 'mine.mjs': given, 'outputs.jsonl': jsonl(texts.map((text) => ({ text }))) })

    const { stdout } = await inProcess(['score', 'outputs.jsonl', '--format', './mine.mjs', '--json'], { cwd })

    expect(JSON.parse(stdout)).toMatchObject({
      models: [{ rows: 5, strictParse: { hits: 3 }, parse: { hits: 3, of: 5 } }],
    })
  })

  const MINE = String.raw`export const format = {
    id: 'mine',
    parse: (text) => {
      const issues = text.startsWith('!') ? [{ code: 'shouting', message: '', start: 0, end: 1 }] : []
      const at = text.indexOf('{')
      if (text === 'no') return { kind: 'rejected', error: { type: 'E', message: '' }, issue: { code: 'refused', message: '', start: 0, end: 2 } }
      if (text === 'odd') return []
      const content = at < 0 ? text : ''
      const call = at < 0 ? {} : { function_call: { name: JSON.parse(text.slice(at)).name, arguments: '{}' } }
      return { kind: 'parsed', messages: [{ role: 'assistant', content, ...call }], issues }
    },
  }
  export const renderOnly = 1`

  it('reads outputs with a format of the user: strict is a call without an issue', async () => {
    const rows = ['{"name": "f"}', '{"name": "g"}', '!{"name": "f"}', '!', 'no', 'plain', '{broken'].map((text) => ({
      model: 'm',
      format: 'Mine',
      text,
      functions: [{ name: 'f' }],
    }))
    const cwd = folderWith({ 'mine.mjs': MINE, 'outputs.jsonl': jsonl([...rows, { format: 'nous', text: CALL }]) })

    const { code, stdout, stderr } = await inProcess(['score', '--format', './mine.mjs', 'outputs.jsonl'], {
      cwd,
    })

    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toBe(`+-------+------+---------+--------------+-------+
| model | rows | no call | strict parse | parse |
+-------+------+---------+--------------+-------+
| m     |    7 |       1 |        33.3% | 50.0% |
+-------+------+---------+--------------+-------+
strict parse, parse: of the rows with a call, without and with named repairs

m
  failed strictly: 4 malformed
  because: 2 shouting, 1 refused, 1 parse threw SyntaxError
  repaired by: 1 shouting
  still failing: 3 malformed
  not offered: 1 row with a call of a function that the row does not offer

read as texts, one per row
7 scored, 1 of other formats, 0 unreadable
the other formats: 1 nous
`)
  })

  it.each([
    ['./none.mjs', './none.mjs: no such file. Give the path of a JavaScript module.'],
    ['./empty.mjs', './empty.mjs: no export named "format". It exports: other. Export a Format as "format".'],
    ['./render.mjs', './render.mjs: format "r" has no "parse"; it can only render.'],
    ['./mine.mjs', "./mine.mjs: parse gave back a list. Give {kind: 'parsed', messages, issues}."],
  ])('says in one line what is wrong with the module %s', async (format, message) => {
    const cwd = folderWith({
      'mine.mjs': MINE,
      'empty.mjs': 'export const other = 1',
      'render.mjs': "export const format = { id: 'r', render: () => '' }",
      'outputs.jsonl': jsonl([{ text: 'odd' }]),
    })

    const { code, stdout, stderr } = await inProcess(['score', '--format', format, 'outputs.jsonl'], {
      cwd,
    })

    expect([code, stdout, stderr]).toEqual([2, '', `callspec: ${message}\n`])
  })

  it.each([
    [[], 'which file? Give one of recorded outputs, or - for standard input: callspec score FILE.'],
    [['--format', 'nous'], 'which file? Give one of recorded outputs, or - for standard input: callspec score FILE.'],
    [['a.jsonl', '--outputs', 'b.jsonl'], 'two files are given, "a.jsonl" and --outputs "b.jsonl". Give one.'],
    [
      ['text.jsonl'],
      'text.jsonl: --format NAME is missing for texts, one per row. callspec identify finds the format.',
    ],
    [['--format', 'nous', 'none.jsonl'], 'none.jsonl: no such file. Give a file, or - for standard input.'],
    [['--format', 'nous', '.'], '.: this is a folder. Give a file, or - for standard input.'],
    [['--format', 'nous', 'cut.gz'], 'cut.gz: the packed data is damaged (unexpected end of file)'],
    [['--format', 'nous', 'x', '--field', ''], '--field was given an empty text. Name the member that holds the text.'],
    [
      ['--format', 'qwen3-codr', 'x'],
      '--format "qwen3-codr" is unknown. Did you mean qwen3-coder? callspec formats lists all; a file such as ./my-format.mjs is one, too.',
    ],
    [
      ['--format', 'foo', 'x'],
      '--format "foo" is unknown. callspec formats lists all; a file such as ./my-format.mjs is one, too.',
    ],
  ])('%j is misuse: %s', async (words, message) => {
    const cwd = folderWith({
      'text.jsonl': jsonl([{ text: CALL }]),
      'cut.gz': gzipSync(jsonl([{ text: CALL.repeat(50) }])).subarray(0, 30),
    })

    const { code, stdout, stderr } = await inProcessWithOldOptions(['score', ...words], { cwd })

    expect([code, stdout, stderr]).toEqual([2, '', `callspec: ${message}\n`])
  })

  onlyLong(() => {
    it.skipIf(!existsSync(SAMPLE))(
      'reads a sample of published outputs (skipped where ../shared/data is absent)',
      async () => {
        const { code, stdout, stderr } = await inProcess(['score', '--format', 'nous', SAMPLE])

        const lines = stdout.trimEnd().split('\n')
        expect([code, stderr]).toEqual([0, ''])
        expect(lines).toContain('459 scored, 2501 of other formats, 0 unreadable')
        expect(lines.slice(-2)).toEqual([
          'the other formats: 993 pythonic, llama-4, lfm2 or lfm2.5,',
          '    1264 without a call in any format',
        ])
        expect(lines.filter((line) => displayWidth(line) > 80)).toEqual([])
        // Two names that differ at their ends must not look the same.
        expect(new Set(lines.slice(3, 8).map((line) => line.slice(0, 39))).size).toBe(5)
      },
    )
  })
})
