import { describe, expect, it } from 'vitest'

import { fromPlain, loads, toPlain } from '@callspec/python'
import type { PyDict } from '@callspec/python'

import { GRADES, resultLine, runSuite, scoreboardText, withRun } from '../src/index.ts'
import { gradeOf, judge } from '../src/run/run-suite.ts'
import type { Case, CaseResult, Grade, Implementation, Reply } from '../src/index.ts'
import { violationOf } from '../src/protocol/messages.ts'
import { createScore } from '../src/run/scoreboard.ts'

const call = (name: string, args: unknown, id?: string): object => ({
  type: 'call',
  ...(id === undefined ? {} : { id }),
  name,
  arguments: args,
})
const text = (value: string): object => ({ type: 'text', text: value })

function item({ id = 'a/parse/basic#x', format = 'nous', right, reply = '', profile = 'strict' }: ItemParts): Case {
  const any = right.map((items) => ({ items }))
  const value = loads(JSON.stringify(any.length === 1 ? any[0] : { any_of: any }))
  const input = new Map([['text', reply]])
  return { id, op: 'parse', format, profile, input, expected: { kind: 'returned', value }, where: 'here' }
}

interface ItemParts {
  readonly id?: string
  readonly format?: string
  readonly right: readonly (readonly object[])[]
  readonly reply?: string
  readonly profile?: string
}

/** JSON as text, so that `1.0` is a float. */
function answered(json: string): Reply {
  return { kind: 'returned', value: loads(json) }
}

const gradeAt = (asked: Case, reply: Reply): Grade => gradeOf({ verdict: judge(asked, reply) })
const calls = (...made: readonly object[]): Reply => answered(JSON.stringify({ content: '', calls: made }))

describe('the verdict in full', () => {
  const ids = item({ format: 'kimi-k2', right: [[call('f', '{}', 'functions.f:0'), call('g', '{}', 'functions.g:1')]] })

  it.each<[string, readonly object[], Grade]>([
    ['the ids of the reply', [call('f', '{}', 'functions.f:0'), call('g', '{}', 'functions.g:1')], 'passed'],
    ['ids of the engine', [call('f', '{}', 'call_1'), call('g', '{}', 'call_2')], 'id'],
    ['no ids', [call('f', '{}'), call('g', '{}')], 'id'],
    ['one id twice', [call('f', '{}', 'call_1'), call('g', '{}', 'call_1')], 'failed'],
    ['ids of the engine, and another name', [call('f', '{}', 'call_1'), call('h', '{}', 'call_2')], 'failed'],
  ])('%s: %j', (_, made, grade) => {
    expect(gradeAt(ids, calls(...made))).toBe(grade)
  })

  it('is "id" where the reply has none and the engine makes one, in formats with ids', () => {
    const without = item({ format: 'mistral-v3', right: [[call('f', '{}')]] })

    expect(gradeAt(without, calls(call('f', '{}', 'aB3')))).toBe('id')
  })

  it.each<[string, string, Grade]>([
    ['{"n": 1}', '{"n": 1}', 'passed'],
    ['{"n": 1}', '{"n": 1.0}', 'number'],
    ['{"n": 1e16}', '{"n": 10000000000000000}', 'number'],
    ['{"n": [1.0, {"m": 2}]}', '{"n": [1, {"m": 2.0}]}', 'number'],
    ['{"n": 9007199254740993}', '{"n": 9007199254740992}', 'failed'],
    ['{"n": 9007199254740993}', '{"n": 9007199254740992.0}', 'failed'],
    ['{"n": 9007199254740992}', '{"n": 9007199254740992.0}', 'number'],
    ['{"n": 1e300}', `{"n": 1${'0'.repeat(300)}}`, 'number'],
    ['{"n": 1}', '{"n": "1"}', 'failed'],
    ['{"n": 1}', '{"n": true}', 'failed'],
    ['{"n": 1}', '{"n": 1.5}', 'failed'],
  ])('compares numbers by value: %s and %s', (wanted, got, grade) => {
    expect(gradeAt(item({ right: [[call('f', wanted)]] }), calls(call('f', got)))).toBe(grade)
  })

  it('is "number" where ids differ, too', () => {
    const asked = item({ format: 'kimi-k2', right: [[call('f', '{"n": 1.0}', 'functions.f:0')]] })

    expect(gradeAt(asked, calls(call('f', '{"n": 1}', 'call_1')))).toBe('number')
  })

  it('is "whitespace" for white space at the ends of prose, whether it fails or not', () => {
    const asked = item({ right: [[text('Hello.')]] })
    const reply = answered('{"content": "Hello. ", "calls": []}')

    expect(judge(asked, reply).kind).toBe('passed')
    expect(gradeAt(asked, reply)).toBe('whitespace')
    expect(gradeOf({ verdict: judge(asked, reply, { strictSpace: true }) })).toBe('whitespace')
  })

  it('is "refused" for an input that can be read, and not where a refusal is expected or allowed', () => {
    const refused: Reply = { kind: 'raised', error: { type: 'rejected', message: 'no' } }
    const error = { kind: 'raised', error: new Map() } as const

    expect(gradeAt(item({ right: [[text('a')]] }), refused)).toBe('refused')
    expect(gradeAt({ ...item({ right: [[text('a')]] }), expected: error }, answered('{"calls": []}'))).toBe('failed')
    expect(gradeAt({ ...item({ right: [[]] }), op: 'json_dumps', profile: 'main' }, refused)).toBe('failed')
  })

  it('counts under a version of a reference as it always did', () => {
    expect(gradeAt(item({ profile: 'main', right: [[call('f', '{"n": 1}')]] }), calls(call('f', '{"n": 1.0}')))).toBe(
      'failed',
    )
  })
})

describe('a reply that is cut in a call', () => {
  const CUT = '<tool_call>\n{"name": "get", "arguments": {"city": "Os'
  const NOW = call('now', '{}')
  const asked = item({
    id: 'nous/parse/cut#behind a call, 40 characters of a call',
    right: [
      [text('Look.'), NOW],
      [text('Look.'), NOW, text(CUT)],
    ],
    reply: `Look.\n<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>\n${CUT}`,
  })

  it.each<[string, readonly object[], Grade]>([
    ['nothing of it', [text('Look.'), NOW], 'passed'],
    ['arguments that are cut', [text('Look.'), NOW, call('get', '{"city": "Os')], 'cut'],
    ['a name without arguments', [text('Look.'), NOW, call('get', '')], 'cut'],
    ['a part of its text', [text('Look.'), NOW, text('{"name": "get",')], 'cut'],
    ['empty arguments', [text('Look.'), NOW, call('get', '{}')], 'failed'],
    ['arguments that were closed', [text('Look.'), NOW, call('get', '{"city": "Os"}')], 'failed'],
    ['arguments as a value', [text('Look.'), NOW, call('get', { city: 'Os' })], 'failed'],
    ['two calls', [text('Look.'), NOW, call('get', ''), call('get', '{"ci')], 'failed'],
    ['the finished call lost', [text('Look.'), call('get', '{"city": "Os')], 'failed'],
    ['the prose lost', [NOW, call('get', '{"city": "Os')], 'failed'],
    ['prose that the reply has not', [text('Look.'), NOW, text('Sorry')], 'failed'],
  ])('%s: %j', (_, items, grade) => {
    expect(gradeAt(asked, answered(JSON.stringify({ items })))).toBe(grade)
  })

  it('is simply wrong in cases of other topics', () => {
    const other = { ...asked, id: 'nous/parse/basic#a' }

    expect(gradeAt(other, answered(JSON.stringify({ items: [text('Look.'), NOW, call('get', '{"ci')] })))).toBe(
      'failed',
    )
  })
})

describe('a run', () => {
  const asked = ['right', 'wrong', 'doubted', 'unseen'].map((name) => ({
    ...item({ id: `a/parse/basic#${name}`, right: [[call('f', '{"n": 1}')]] }),
    ...(name === 'unseen' ? ({ isSynthetic: true } as const) : {}),
  }))
  const implementation: Implementation = {
    about: { name: 'i', version: '1', supports: [{ operations: ['parse'] }] },
    answer: ({ id }) => calls(call('f', id.endsWith('right') ? '{"n": 1}' : '{"n": 1.0}')),
  }
  const isDoubted = ({ id }: Case): boolean => id.endsWith('doubted')

  async function results(): Promise<readonly CaseResult[]> {
    const all: CaseResult[] = []
    const options = {
      knownFailure: (each: Case) => (isDoubted(each) ? 'why' : null),
      kindOf: (each: Case) => (isDoubted(each) ? 'contested' : null),
    }
    for await (const result of runSuite(asked, implementation, options)) all.push(result)
    return all
  }

  it('has result lines with both verdicts, as the schema says', async () => {
    const origin = { cases: '1', implementation: 'i 1' }
    const lines = (await results()).map((result) => toPlain(loads(resultLine(result, origin)) as PyDict))

    expect(lines.map((line) => violationOf('result-line.schema', line))).toEqual([null, null, null, null])
    expect(lines).toMatchObject([
      { verdict: 'passed', grade: 'passed' },
      { verdict: 'failed', grade: 'number' },
      { verdict: 'skipped', grade: 'contested' },
      { verdict: 'skipped', grade: 'synthetic' },
    ])
  })

  it('counts them on the scoreboard, next to the four kinds', async () => {
    const score = createScore(implementation.about)
    for (const result of await results()) score.add(result)
    const board = withRun(null, { about: implementation.about, casesVersion: '1', cells: score.cells() })

    expect(violationOf('scoreboard.schema', JSON.parse(scoreboardText(board)))).toBe(null)
    expect(score.cells()).toMatchObject([
      { passed: 1, failed: 2, errored: 0, skipped: 1, grades: { passed: 1, number: 1, contested: 1, synthetic: 1 } },
    ])
  })

  it('has no other verdicts than the schema lists', () => {
    const line = {
      id: 'a',
      op: 'parse',
      profile: 'strict',
      verdict: 'errored',
      reason: 'r',
      result: 1,
      implementation: 'i',
    }

    for (const grade of GRADES) expect(violationOf('result-line.schema', { ...line, grade })).toBe(null)
    expect(violationOf('result-line.schema', { ...line, grade: 'other' })).not.toBe(null)
    expect(fromPlain([...GRADES])).toHaveLength(11)
  })
})
