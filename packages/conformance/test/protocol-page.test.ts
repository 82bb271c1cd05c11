import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import { isDict, toPlain, dumps, loads } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import { describe, expect, it } from 'vitest'

import { builtInImplementation } from '../src/built-in/implementation.ts'
import { compareAnswers, comparable } from '../src/index.ts'
import { outputProblem, readAnswer, readDeclaration } from '../src/protocol/messages.ts'
import { violationOf } from '../src/protocol/messages.ts'
import { REPOSITORY } from './helpers/cases.ts'

const PAGE = readFileSync(resolve(REPOSITORY, 'docs/protocol.md'), 'utf8')

/** The JSON values in the blocks of a section, in order. */
function examples(section: string): readonly PyDict[] {
  const start = PAGE.indexOf(section)
  expect(start).toBeGreaterThan(-1)
  const body = PAGE.slice(start, PAGE.indexOf('\n## ', start + 3))
  const until = body.indexOf('\n### ', 3)
  const blocks = (until === -1 ? body : body.slice(0, until)).matchAll(/```json\n([^]*?)```/g)
  return Array.from(blocks, ([, block = '']) => block).flatMap(valuesIn)
}

/** Several values may follow each other, each beginning in the first column. */
function valuesIn(block: string): readonly PyDict[] {
  const indent = /^ */.exec(block)?.[0].length ?? 0
  const lines = block.split('\n').map((line) => line.slice(indent))
  const values = lines.join('\n').split(/\n(?=\{)/)
  return values.map((text) => loads(text)).filter(isDict)
}

/** What callspec answers to an input of the page, as far as it is compared, must be what the page says. */
async function expectAnswer(op: string, format: string, input: PyDict, output: PyDict): Promise<void> {
  const question = { id: 'page', op, format, profile: 'strict', input }
  const reply = await builtInImplementation().answer(question)
  const expected = { kind: 'returned', value: output } as const

  expect(outputProblem(op, output)).toBe(null)
  if (reply.kind !== 'returned') throw new Error(`${op}: ${JSON.stringify(reply)}`)
  expect(compareAnswers(...comparable(question, [{ kind: 'returned', value: reply.value }, expected]))).toBe(null)
}

describe('the page of the protocol', () => {
  it('shows a question and an answer in one-shot mode that belong together', async () => {
    const [question, output] = examples('## One-shot') as [PyDict, PyDict]
    const input = question.get('input') as PyDict

    const { protocol, ...rest } = toPlain(question) as { readonly protocol: number }

    expect(protocol).toBe(1)
    expect(violationOf('request', { ...rest, cmd: 'run', seq: 1 })).toBe(null)
    await expectAnswer('parse', 'nous', input, output)
  })

  it('shows a declaration that is one', () => {
    const [declaration] = examples('## Session') as [PyDict]

    expect(readDeclaration(declaration).name).toBe('my_parser')
  })

  it('shows readings of the text above them', async () => {
    const [input, items, flat] = examples('### parse') as [PyDict, PyDict, PyDict]

    await expectAnswer('parse', 'nous', input, items)
    await expectAnswer('parse', 'nous', input, flat)
  })

  it('shows a note as callspec gives it', async () => {
    const [, , , noted] = examples('### parse') as [PyDict, PyDict, PyDict, PyDict]
    const input = new Map([['text', 'The page says `<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>`.']])
    const question = { id: 'page', op: 'parse', format: 'nous', profile: 'strict', input }

    const reply = await builtInImplementation().answer(question)
    if (reply.kind !== 'returned') throw new Error(JSON.stringify(reply))
    expect(toPlain(reply.value)).toEqual(toPlain(noted))
  })

  it('shows steps of a stream that are steps', () => {
    for (const output of examples('### stream')) {
      expect(outputProblem('step', output)).toBe(null)
      expect(readAnswer(loads(`{"seq": 1, "output": ${dumps(output)}}`) as PyDict).reply.kind).toBe('returned')
    }
  })

  it.each([
    ['stop', 'react'],
    ['render', 'nous'],
    ['loop', 'nous'],
  ])('shows what %s answers', async (op, format) => {
    const [input, output, ...more] = examples(`### ${op}`) as [PyDict, PyDict]

    expect(more.map((each) => dumps(each))).toEqual([])
    await expectAnswer(op, format, input, output)
  })
})

describe('the schemas', () => {
  it.each([
    ['request', { cmd: 'run', seq: 0, id: 'a', op: 'parse', profile: 'strict', input: {} }],
    ['request', { cmd: 'dance' }],
    ['request', { cmd: 'feed', seq: 1 }],
    ['declaration', { protocol: 1, name: 'x', version: '1', supports: [] }],
    ['declaration', { protocol: 1, name: '', version: '1', supports: [{ operations: ['parse'] }] }],
    ['answer', { seq: 1 }],
    ['answer', { seq: '1', output: {} }],
    ['answer', { seq: 1, output: [] }],
  ] as const)('refuse %s %j', (name, value) => {
    expect(violationOf(name, value)).not.toBe(null)
  })

  it.each([
    ['parse', { content: 'a' }],
    ['parse', { items: [{ type: 'call', name: 'a' }] }],
    ['parse', { items: [{ type: 'image', text: 'a' }] }],
    ['stream', { snapshots: [] }],
    ['step', { delta: { calls: [{ name: 'a' }] } }],
    ['stop', {}],
    ['render', { prompt: 'a' }],
    ['loop', { reason: 'tired', final: [] }],
  ])('refuse an output of %s %j', (op, output) => {
    expect(outputProblem(op, loads(JSON.stringify(output)))).not.toBe(null)
  })
})
