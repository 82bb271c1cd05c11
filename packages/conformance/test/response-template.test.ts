import { readFileSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { loads } from '@callspec/python'
import { describe, expect, it } from 'vitest'

import { builtInImplementation } from '../src/built-in/index.ts'
import { findCaseFiles, readCases } from '../src/cases/case-store.ts'
import type { Case } from '../src/cases/case.ts'
import { outputProblem } from '../src/protocol/messages.ts'
import { judge } from '../src/run/run-suite.ts'
import { REPOSITORY } from './helpers/cases.ts'

const FOLDER = 'response-template/response_template'
const VERSIONS = ['transformers@5.18.0', 'transformers@5.23.0', 'transformers@5.24.0']

async function allCases(): Promise<readonly Case[]> {
  const cases: Case[] = []
  const files = await findCaseFiles([resolve(REPOSITORY, 'fixtures', FOLDER)])
  for await (const item of readCases(files)) cases.push(item)
  return cases
}

async function caseNamed(id: string): Promise<Case> {
  const found = (await allCases()).find((item) => item.id === id)
  if (found === undefined) throw new Error(`There is no case ${id}.`)
  return found
}

const ours = builtInImplementation()

describe('cases of response templates', () => {
  it('are answered by our own reader, under strict and under the release that it follows', async () => {
    const cases = (await allCases()).filter(({ profile }) => ['strict', 'transformers@5.18.0'].includes(profile))

    const wrong: string[] = []
    for (const item of cases) {
      const outcome = judge(item, await ours.answer(item))
      if (outcome.kind !== 'passed') wrong.push(item.id)
    }

    expect(wrong).toEqual([])
    expect(cases.length).toBeGreaterThan(150)
  })

  it('are as many as golden/README.md says', async () => {
    const cases = await allCases()
    const count = (wanted: string): number => cases.filter(({ profile }) => profile === wanted).length

    const readme = readFileSync(resolve(REPOSITORY, 'golden/README.md'), 'utf8')
    const [, strict = '', recorded = ''] =
      /`response-template\/` (\d+) answers are `strict`[^]*? (\d+) are of eight questions/.exec(readme) ?? []
    expect([Number(strict), Number(recorded)]).toEqual([
      count('strict'),
      VERSIONS.reduce((sum, profile) => sum + count(profile), 0),
    ])
    const files = (folder: string): readonly string[] => readdirSync(resolve(REPOSITORY, folder, FOLDER)).toSorted()
    expect(files('golden')).toEqual(files('fixtures'))
  })

  it('ask something of each release that another one answers otherwise', async () => {
    const cases = (await allCases()).filter(({ profile }) => profile !== 'strict')
    const newest = cases.filter(({ profile }) => profile === 'transformers@5.24.0')

    const differing = newest.filter(({ id, expected }) =>
      cases.some((item) => item.id.split('@')[0] === id.split('@')[0] && shown(item.expected) !== shown(expected)),
    )

    // That one which all three read wrong is kept, since a stream loses text there.
    expect(newest.length - differing.length).toBe(1)
  })
})

describe('an answer to a case of a response template', () => {
  const returned = (text: string) => ({ kind: 'returned', value: loads(text) }) as const

  it('counts under strict by its message alone, members in any order', async () => {
    const item = await caseNamed('response_template/contents/json-object')

    const answer = returned('{"message": {"x": {"a": [1.0, null], "b": 1}}, "events": []}')
    expect(judge(item, answer)).toMatchObject({ kind: 'passed' })
    expect(judge(item, returned('{"message": {"x": {"a": [1, null], "b": 1}}}'))).toMatchObject({ kind: 'failed' })
  })

  it('counts under a release by its events, too', async () => {
    const item = await caseNamed('response_template/releases/dollar-before-a-line-feed@5.18.0')

    const right = await ours.answer(item)
    expect(judge(item, right)).toMatchObject({ kind: 'passed' })
    expect(judge(item, returned('{"message": {"content": "two"}}'))).toMatchObject({ kind: 'passed' })
    expect(judge(item, returned('{"message": {"content": "two"}, "events": []}'))).toMatchObject({ kind: 'failed' })
  })

  it('may refuse with any words, and only where the case does', async () => {
    const [refused, read] = [
      await caseNamed('response_template/refused/no-anchor'),
      await caseNamed('response_template/fields/empty'),
    ]

    const refusal = { kind: 'raised', error: { type: 'Bad', message: 'no' } } as const
    expect(judge(refused, refusal)).toMatchObject({ kind: 'passed' })
    expect(judge(read, refusal)).toMatchObject({ kind: 'failed' })
  })

  it('has the form that the protocol describes', () => {
    expect(
      outputProblem('response_template', loads('{"message": {}, "events": [[["open", "content"]], []]}')),
    ).toBeNull()
    expect(outputProblem('response_template', loads('{"content": ""}'))).toMatch(/message/)
    expect(outputProblem('response_template', loads('{"message": {}, "events": ["open"]}'))).toMatch(/events/)
  })
})

function shown(expected: Case['expected']): string {
  return JSON.stringify(expected, (_, value: unknown) => {
    if (value instanceof Map) return [...value]
    return typeof value === 'bigint' ? `${value}n` : value
  })
}
