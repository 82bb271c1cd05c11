import type { Tokenizer } from '@callspec/core/qwen-agent'
import type { PyDict, PyValue } from '@callspec/python'
import { loads } from '@callspec/python'
import { describe, expect, it } from 'vitest'

import type { Case } from '../src/cases/case.ts'
import type { Implementation } from '../src/implementation.ts'
import { lazyTokenizer } from '../src/implementation.ts'
import { builtInImplementation } from '../src/built-in/implementation.ts'
import { MachineryError, reasonOf, resultLine, runSuite } from '../src/index.ts'
import { gradeOf } from '../src/run/run-suite.ts'
import { createRunReport, createTally, totalLine } from '../src/run/run-report.ts'
import type { CaseResult } from '../src/index.ts'

function item(id: string, more: Partial<Case> = {}): Case {
  const expected = { kind: 'returned', value: new Map([['text', 'a']]) } as const
  return { id, op: 'json_dumps', profile: 'main', input: new Map(), expected, where: 'here', ...more }
}

async function run(cases: readonly Case[], implementation: Implementation): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = []
  for await (const result of runSuite(cases, implementation)) results.push(result)
  return results
}

/** Answers by the id of the case: an implementation that lies in every way. */
const liar: Implementation = {
  about: { name: 'liar', version: '1', supports: [{ operations: ['*'], profiles: ['*'] }] },
  answer: ({ id }) => {
    if (id === 'right') return { kind: 'returned', value: new Map([['text', 'a']]) }
    if (id === 'wrong') return Promise.resolve({ kind: 'returned', value: new Map([['text', 'b']]) })
    if (id === 'raises') return { kind: 'raised', error: { type: 'KeyError', message: 'a' } }
    if (id === 'breaks') return { kind: 'errored', reason: 'it broke' }
    return { kind: 'skipped', reason: 'not offered' }
  },
}

/** Reads the call, and says `note` of it if there is one. */
function reader(note: string | null, isDeclared: boolean): Implementation {
  const call: PyDict = new Map([
    ['type', 'call' as PyValue],
    ['name', 'f'],
    ['arguments', '{}'],
  ])
  return {
    about: {
      name: 'reader',
      version: '1',
      supports: [{ operations: ['parse'] }],
      ...(isDeclared ? { notes: true } : {}),
    },
    answer: () => ({
      kind: 'returned',
      value: new Map([['items', [note === null ? call : new Map(call).set('note', note)]]]),
    }),
  }
}

describe('a note that a call is only shown', () => {
  it('is asked of implementations that declare notes, and of no other', async () => {
    const expected = loads('{"items": [{"type": "call", "name": "f", "arguments": "{}", "note": "call-in-code"}]}')
    const shown = item('x/parse/quoted-calls#shown', {
      ...{ op: 'parse', format: 'nous', profile: 'strict', input: new Map([['text', 'x']]) },
      expected: { kind: 'returned', value: expected },
    })
    const gradeBy = async (implementation: Implementation): Promise<string> => {
      const [result] = await run([shown], implementation)
      return result === undefined ? '' : gradeOf(result)
    }

    expect(await gradeBy(reader(null, false))).toBe('passed')
    expect(await gradeBy(reader(null, true))).toBe('failed')
    expect(await gradeBy(reader('call-in-quote', true))).toBe('failed')
    expect(await gradeBy(reader('call-in-code', true))).toBe('passed')
  })
})

describe('a suite', () => {
  it('gives each case its verdict, and never adds verdicts together', async () => {
    const tally = createTally()

    const results = await run(
      ['right', 'wrong', 'raises', 'breaks', 'declines'].map((id) => item(id)),
      liar,
    )
    for (const result of results) tally.add(result)

    expect(results.map(({ verdict }) => verdict.kind)).toEqual(['passed', 'failed', 'failed', 'errored', 'skipped'])
    expect(results.map(({ verdict }) => reasonOf(verdict))).toEqual([
      null,
      'text: other text from character 0 (line 1, column 1): expected "a", got "b"',
      'other outcome: expected a map with text, got KeyError: "a"',
      'it broke',
      'not offered',
    ])
    expect(totalLine(tally.total())).toBe('1 passed, 2 failed, 1 errored, 1 skipped')
    expect(tally.at({ op: 'json_dumps', profile: 'main' })).toEqual({ passed: 1, failed: 2, errored: 1, skipped: 1 })
  })

  it('asks for one case at a time', async () => {
    let given = 0
    function* endless(): Generator<Case> {
      for (;;) yield item(`right${(given += 1)}`)
    }

    for await (const result of runSuite(endless(), liar)) if (result.case.id === 'right3') break

    expect(given).toBe(3)
  })
})

describe('the built-in implementation', () => {
  const builtIn = builtInImplementation()

  it('declines operations and profiles that it does not know, with the reason', async () => {
    const results = await run([item('a', { op: 'unknown.action' }), item('b', { profile: 'v0.0.99' })], builtIn)

    expect(results.map(({ verdict }) => reasonOf(verdict))).toEqual([
      'callspec does not claim the operation "unknown.action"',
      'callspec does not claim the profile "v0.0.99" for "json_dumps"; it claims qwen-agent@main, ' +
        'qwen-agent@v0.0.26, qwen-agent@v0.0.16, qwen-agent@v0.0.13, qwen-agent@v0.0.7',
    ])
  })

  it('is errored, not failed, by an input that lacks something', async () => {
    const [result] = await run([item('a')], builtIn)

    expect(result?.verdict.kind).toBe('errored')
    expect(resultLine(result as CaseResult)).toMatch(
      /^\{"id": "a", .*"verdict": "errored", "grade": "errored", "reason": "the input is not as expected: input\./,
    )
  })

  it('does not blame a case for a vocabulary that cannot be loaded', () => {
    const broken = lazyTokenizer((): Tokenizer => {
      throw new Error('no such file')
    })

    expect(() => broken.count('a')).toThrow(MachineryError)
  })
})

describe('createRunReport', () => {
  const about = {
    name: 'mine',
    version: '1',
    supports: [{ operations: ['parse', 'stream'], formats: ['nous'] }],
  }
  const skipsOf = async (cases: readonly Partial<Case>[]): Promise<readonly string[]> => {
    const report = createRunReport(about, 'your parser')
    const items = cases.map((more, at) => item(String(at), { profile: 'strict', ...more }))
    for (const result of await run(items, { about, answer: () => ({ kind: 'skipped', reason: 'not today' }) }))
      report.add(result)
    return report.skips().map(({ cases: count, reason }) => `${count}: ${reason}`)
  }

  it('says in one sentence each what an implementation declares, most frequent first', async () => {
    const nous = { format: 'nous' }

    expect(
      await skipsOf([
        { ...nous, op: 'parse' },
        ...['loop', 'render', 'stop'].map((op) => ({ ...nous, op })),
        { op: 'parse', format: 'qwen' },
        { op: 'parse', format: 'react' },
        { ...nous, op: 'parse', profile: 'main' },
        { op: 'json_dumps' },
      ]),
    ).toEqual([
      '3: your parser declares only "parse" and "stream" for nous',
      '2: your parser declares only the format nous',
      '1: not today',
      '1: your parser declares only strict of "parse" for nous',
      '1: your parser does not declare "json_dumps"',
    ])
  })
})
