import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { FORMATS, formatNamed } from '@callspec/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readLoggedReply } from '../src/offline/logged-reply.ts'
import { readLines } from '../src/offline/read-records.ts'
import { outputReader } from '../src/offline/output-reader.ts'
import { readOutputRow } from '../src/offline/output-rows.ts'
import { scoreOutputs } from '../src/offline/score-outputs.ts'
import type { OutputsSummary } from '../src/offline/score-outputs.ts'
import { recordedNameOfAlias } from '../src/trace/format-names.ts'

const CALL = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
const NOUS = { reader: outputReader('fncall-nous'), field: null } as const

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'callspec-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function* linesOf(rows: readonly unknown[]): AsyncGenerator<string> {
  for (const row of rows) yield typeof row === 'string' ? row : JSON.stringify(row)
}

const scored = (rows: readonly unknown[]): Promise<OutputsSummary> => scoreOutputs(linesOf(rows), NOUS)

async function all(lines: AsyncIterable<string>): Promise<readonly string[]> {
  const found: string[] = []
  for await (const line of lines) found.push(line)
  return found
}

describe('a row of outputs', () => {
  it.each([
    [{ output: 'a', raw_output: 'b' }, 'a'],
    [{ raw_output: 'b', response: 'c' }, 'b'],
    [{ response: 'c', text: 'd' }, 'c'],
    [{ text: 'd' }, 'd'],
  ])('%j has its text under the first known name', (row, text) => {
    expect(readOutputRow(JSON.stringify(row), NOUS)).toMatchObject({
      kind: 'row',
      row: { text, model: '(no model)', functions: null },
    })
  })

  it('has its text where the caller says', () => {
    expect(readOutputRow('{"output": "a", "completion": "b"}', { ...NOUS, field: 'completion' })).toMatchObject({
      row: { text: 'b' },
    })
  })

  it.each(['hermes', 'hermes_tool_call_xml', 'nous', 'Hermes'])('of the format %s is a nous row', (format) => {
    expect(readOutputRow(JSON.stringify({ format, text: CALL }), NOUS).kind).toBe('row')
  })

  it('of another format is not looked at further', () => {
    expect(readOutputRow('{"format": "python_call_list", "output": 3}', NOUS)).toEqual({
      kind: 'other-format',
      format: 'python_call_list',
    })
    expect(readOutputRow('{"format": "react", "text": ""}', NOUS).kind).toBe('other-format')
  })

  it.each([
    ['', 'this is no JSON'],
    ['[]', 'this is no JSON object'],
    ['null', 'this is no JSON object'],
    ['{"output": 3, "text": "x"}', '"output" is missing or no text'],
    ['{"a": 1}', 'it has none of "output", "raw_output", "response", "text"; name the field of the text'],
  ])('%j is unreadable: %s', (line, reason) => {
    expect(readOutputRow(line, NOUS)).toEqual({ kind: 'unreadable', reason })
  })
})

describe('recorded outputs', () => {
  it('are counted per model: strictly, with repairs, and those without a call apart', async () => {
    const summary = await scored([
      { model: 'b', text: CALL },
      { model: 'a', text: CALL },
      { model: 'a', text: CALL.replace('</tool_call>', '') },
      { model: 'a', text: CALL.replace('1', '"x"y"') },
      { model: 'a', text: 'No call here.' },
      { model: 'a', format: 'xlam', text: CALL },
      'broken',
      '',
    ])

    expect(summary).toMatchObject({ scored: 5, otherFormats: 1, unreadable: 1 })
    expect(summary.models.map((model) => model.model)).toEqual(['a', 'b'])
    expect(summary.models[0]).toMatchObject({
      rows: 4,
      withoutCall: 1,
      strictParse: { hits: 1, of: 3 },
      parse: { hits: 2, of: 3 },
      problems: { 'tag not closed': 1, 'not JSON': 1 },
      repairs: { 'close-tag': 1 },
    })
  })

  it('name every line that cannot be read', async () => {
    const named: [number, string][] = []

    await scoreOutputs(linesOf(['{}', { text: 'x' }, '{']), {
      ...NOUS,
      onUnreadable: (line, reason) => named.push([line, reason]),
    })

    expect(named.map(([line]) => line)).toEqual([1, 3])
  })

  it('that call a function which was not offered are counted; dots count as underscores', async () => {
    const call = (name: string): string => CALL.replace('"f"', `"${name}"`)
    const functions = [{ name: 'math.add' }, { type: 'function', function: { name: 'clock' } }]

    const summary = await scored([
      { text: call('math_add'), functions },
      { text: call('clock'), functions },
      { text: call('nope'), functions },
      { text: call('nope') },
    ])

    expect(summary.models[0]?.unknownFunctions).toBe(1)
  })
})

describe('arguments that are cut off', () => {
  const call = { kind: 'call', name: 'f', arguments: '{"city": "Paris", "n": 123}', id: null } as const

  // A list of Python calls without a mark is taken for another format's.
  it.each(FORMATS.map(({ id }) => id).filter((id) => id !== 'pythonic'))(
    'are no parse success: %s, cut at every place',
    async (id) => {
      const format = formatNamed(id)
      const whole = format?.write([call]) ?? ''
      const reader = outputReader(recordedNameOfAlias(id) ?? id)
      const taken: string[] = []
      for (let at = 1; at <= whole.length; at += 1) {
        const { strict, lenient } = await reader.read(whole.slice(0, at))
        if (strict === 'well_formed' || lenient === 'recovered') taken.push(whole.slice(0, at))
      }

      // What is missing from a call that counts are brackets and markers around the arguments.
      expect(taken.filter((text) => !/123/.test(text)).filter((text) => /\b(?:city|Paris)/.test(text))).toEqual([])
      expect(taken.at(-1)).toBe(whole)
    },
  )

  it.each([
    ['{"city": "Paris", "n": 1', 'tool_calls', [0, 1]],
    ['{"city": "Paris", "n": 1', 'length', [0, 1]],
    ['{"city": "Par', 'stop', [0, 1]],
    ["{'city': 'Paris', 'n': 1}", 'tool_calls', [1, 1]],
    ['{"city": "Paris", "n": 1}}', 'tool_calls', [1, 1]],
  ])('are none of a native call either: %s, finish reason %s', async (given, finish, [hits, of]) => {
    const message = { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: given } }] }
    const line = JSON.stringify({ model: 'm', choices: [{ message, finish_reason: finish }] })

    const summary = await scoreOutputs(linesOf([line]), {
      reader: outputReader('native'),
      field: null,
      readRow: readLoggedReply,
    })

    expect(summary.models[0]).toMatchObject({ withoutCall: 0, strictParse: { hits: 0 }, parse: { hits, of } })
  })
})

it('every choice of an answer counts, with the model of the answer', async () => {
  const called = { content: null, tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }] }
  const line = JSON.stringify({
    model: 'm',
    choices: [{ message: { content: 'Hi.' } }, { message: called, finish_reason: 'tool_calls' }],
  })

  const summary = await scoreOutputs(linesOf([line]), {
    reader: outputReader('native'),
    field: null,
    readRow: readLoggedReply,
  })

  expect(summary).toMatchObject({ scored: 2, models: [{ model: 'm', rows: 2, withoutCall: 1, parse: { hits: 1 } }] })
})

describe('the lines of a file', () => {
  it('are the same packed and not, and only a line feed ends one', async () => {
    const lines = ['{"text": "a\u2028b\u0085c\rd"}', '好'.repeat(40_000), '', 'last']
    writeFileSync(join(folder, 'a.jsonl'), lines.join('\n'))
    writeFileSync(join(folder, 'a.jsonl.gz'), gzipSync(`${lines.join('\n')}\n`))

    for (const name of ['a.jsonl', 'a.jsonl.gz']) {
      const path = join(folder, name)
      const read: number[] = []
      expect(await all(readLines(path, (bytes) => read.push(bytes)))).toEqual(lines)
      // Of packed data, the packed bytes: they are what the size of the file says.
      expect(read.at(-1)).toBe(statSync(path).size)
    }
  })

  it('of a missing or damaged file are an error, not an endless wait', async () => {
    writeFileSync(join(folder, 'cut.jsonl.gz'), gzipSync('{"text": "x"}\n'.repeat(1000)).subarray(0, 40))

    await expect(all(readLines(join(folder, 'none.jsonl.gz')))).rejects.toThrow('ENOENT')
    await expect(all(readLines(join(folder, 'cut.jsonl.gz')))).rejects.toThrow('unexpected end of file')
  })
})

const SAMPLE = fileURLToPath(new URL('../../../../shared/data/bfcl_sample.jsonl.gz', import.meta.url))

describe('a sample of published outputs', () => {
  it.skipIf(!existsSync(SAMPLE))(
    'is read whole: 459 nous rows of 2 960 (skipped where ../shared/data is absent)',
    async () => {
      const summary = await scoreOutputs(readLines(SAMPLE), NOUS)

      expect(summary).toMatchObject({ scored: 459, otherFormats: 2501, unreadable: 0 })
      expect(
        summary.models.map((model) => [model.rows, model.withoutCall, model.strictParse.hits, model.parse.hits]),
      ).toEqual([
        [107, 2, 88, 89],
        [92, 10, 80, 82],
        [125, 6, 65, 117],
        [27, 2, 0, 23],
        [108, 10, 94, 97],
      ])
    },
  )
})
