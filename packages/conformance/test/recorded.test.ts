import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { FORMATS } from '@callspec/core'
import { describe, expect, it } from 'vitest'

import {
  findCaseFiles,
  readCases,
  readJudged,
  readKnownFailures,
  readRecorded,
  showing,
  tallyRecorded,
} from '../src/index.ts'
import { topicOf, readRecordedLine } from '../src/matrix/recorded.ts'
import { onlyLong } from '../../tidy/test/share.ts'

const FIXTURES = resolve(import.meta.dirname, '../../../fixtures')

describe('recorded answers', () => {
  it('are of formats that there are, and name an engine with its version', async () => {
    const answers = await readRecorded()

    expect(answers.length).toBeGreaterThan(4500)
    const ids = new Set(FORMATS.map(({ id }) => id))
    expect(answers.filter(({ format }) => !ids.has(format))).toEqual([])
    expect(answers.filter(({ engine }) => !/^[\w.-]+@\S+$/.test(engine))).toEqual([])
  })

  it('hold the question and both answers where an engine answered otherwise', async () => {
    const otherwise = (await readRecorded()).filter(({ agrees }) => agrees === false)

    expect(otherwise.length).toBeGreaterThan(250)
    expect(otherwise.filter(({ question }) => question === null || question.right === null)).toEqual([])
  })

  it('are judged again by the comparison of today, where the answer is there', () => {
    const line = (content: string, call: string): string =>
      `{"id": "nous/parse/prose#a", "op": "parse", "format": "nous", "engine": "e@1", "agrees": false, "about": "",
        "input": {"text": "x"}, "expected": {"content": ${JSON.stringify(content)}, "calls": [${call}]},
        "strict": {"expected": {"content": "x", "calls": []}}}`
    const verdicts = [
      line('x', ''),
      line(' x\n', ''),
      line('y', ''),
      line('x', '{"name": "f", "arguments": "{}"}'),
    ].map((text) => readRecordedLine(text))

    expect(verdicts.map((answer) => [answer?.agrees, answer?.isSpaceOnly])).toEqual([
      [true, false],
      [true, true],
      [false, false],
      [false, false],
    ])
    // One that agrees has only its id.
    expect(readRecordedLine('{"id": "nous/parse/prose#a", "engine": "e@1", "agrees": true}')?.agrees).toBe(true)
  })

  it('are counted by format, operation, topic and engine', () => {
    const line = (agrees: string, id: string): string =>
      `{"id": "acme/parse/${id}", "op": "parse", "format": "acme", "engine": "e@1", "agrees": ${agrees}}`
    const answers = [line('true', 'cut#a'), line('false', 'cut#b@x'), line('null', 'cut#c'), line('true', 'prose#a')]

    expect(tallyRecorded(answers.flatMap((text) => readRecordedLine(text) ?? []))).toEqual([
      { format: 'acme', op: 'parse', topic: 'cut', engine: 'e@1', agrees: 1, space: 0, differs: 1, open: 1 },
      { format: 'acme', op: 'parse', topic: 'prose', engine: 'e@1', agrees: 1, space: 0, differs: 0, open: 0 },
    ])
    expect(topicOf({ id: 'acme/parse/cut#a/b#c' })).toBe('cut')
  })

  onlyLong(() => {
    it('show what was reported of their engines, as a strict case does', async () => {
      const answers = await readRecorded()
      const ids = new Set<string>()
      for await (const { id, profile } of readCases(await findCaseFiles([FIXTURES])))
        if (profile === 'strict') ids.add(id)

      for (const judged of await readJudged())
        expect([ids.has(judged.id), showing(judged, answers).length > 0], judged.link).toEqual([true, true])
    })
  })

  it('have lists of known failures that can be read', async () => {
    const folder = resolve(import.meta.dirname, '../../../reports/scoreboard/known')
    const names = readdirSync(folder)

    expect(names).toContain('llama.cpp.txt')
    for (const name of names) await readKnownFailures(join(folder, name))
  })
})
