import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { builtInCases, findCaseFiles, readCases, readKnownFailures, readRecorded } from '@callspec/conformance'
import type { Case } from '@callspec/conformance'
import { dumps, isList } from '@callspec/python'
import { beforeAll, describe, expect, it } from 'vitest'
import { addAsked, createRecords, engineRecords } from '../scripts/engine-records.js'
import type { AskedCase } from '../scripts/engine-records.js'
import type { EngineQuestion, EngineVerdict, EngineRecords } from '../src/engine-answers.ts'
import { answersTo, enginesOf } from '../src/engine-answers.ts'

const SCOREBOARDS = resolve(import.meta.dirname, '../../../reports/scoreboard')

describe('what engines answered', () => {
  let records: EngineRecords = { engines: [], settings: [], reasons: [], answers: [], rows: [] }
  let cases: ReadonlyMap<string, Case> = new Map()
  beforeAll(async () => {
    records = await engineRecords()
    const found: Case[] = []
    for await (const item of readCases(await findCaseFiles([await builtInCases()])))
      if (item.profile === 'strict') found.push(item)
    cases = new Map(found.map((item) => [item.id, item]))
  })

  const verdicts = (question: EngineQuestion, name: string): readonly EngineVerdict[] =>
    [...answersTo(records, question)].flatMap(([engine, of]) => {
      const about = records.engines[engine]
      return `${about?.name} ${about?.version}` === name ? of : []
    })

  it('is the committed judgement of every case that is listed as failing', async () => {
    const known = await readKnownFailures(resolve(SCOREBOARDS, 'known/llama.cpp.txt'))
    const listed = [...cases.values()].filter(
      ({ op, id, input }) => op === 'parse' && known.entry(id) !== null && canBeAsked(input),
    )
    expect(listed.length).toBeGreaterThan(500)

    for (const item of listed) {
      const [kind, ...kinds] = verdicts(asked(item), 'llama.cpp b10257')
        .filter(({ setting }) => setting.op === 'parse')
        .map((verdict) => (verdict.kind === 'otherwise' ? verdict.reason?.[0] : 'alike'))
      expect([kind, kinds], item.id).toEqual([known.entry(item.id)?.kind, []])
    }
  })

  it('is nothing for a text that was not asked, nor in a format in which it was not', () => {
    const item = cases.get('qwen3-coder/parse/basic#a call with one argument')
    if (item === undefined) throw new Error('the case is gone')
    const question = asked(item)

    expect(answersTo(records, question).size).toBeGreaterThan(1)
    expect(answersTo(records, { ...question, text: `${question.text} ` }).size).toBe(0)
    expect(answersTo(records, { ...question, format: 'react' }).size).toBe(0)
    expect(answersTo(records, { ...question, format: '__proto__' }).size).toBe(0)
  })

  it('is nothing if the counts do not show which of the cases passed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'callspec-engines-'))
    const setting = { op: 'parse', tools: null, thoughtInContent: false, parallelCalls: false, isOpen: false } as const
    const one = (topic: string, text: string): AskedCase => ({
      ...{ id: `x/parse/${topic}#${text}`, op: 'parse', format: 'x', topic },
      question: { format: 'x', text, setting },
    })
    const cases = [one('a', 'passes'), one('a', 'fails'), one('b', 'one was left out'), one('b', 'or the other')]
    const cell = { format: 'x', op: 'parse', profile: 'strict', passed: 2, failed: 1, errored: 0, skipped: 1 }
    const result = { version: '1', casesVersion: '1', protocol: 1, cells: [cell] }
    const topics = [
      { format: 'x', op: 'parse', topic: 'a', passed: 1, failed: 1, errored: 0, skipped: 0 },
      { format: 'x', op: 'parse', topic: 'b', passed: 1, failed: 0, errored: 0, skipped: 1 },
    ]
    const files = {
      'e.json': JSON.stringify({ scoreboard: 1, implementation: 'e', results: [result] }),
      'known/e.txt': `# Known failures of e 1. Reasons.\n\n# [policy] because\nx/parse/a#fails\n`,
      'said/e.json': JSON.stringify({ implementation: 'e 1', topics, answers: { 'x/parse/a#fails': null } }),
    }
    for (const part of ['known', 'said']) mkdirSync(join(folder, part))
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    const made = createRecords()
    await addAsked(made, { folder, cases })
    rmSync(folder, { recursive: true, force: true })

    const row = { format: 'x', setting: 0 }
    expect(made.data().rows).toEqual([
      { ...row, text: 'passes', alike: [0], otherwise: [] },
      { ...row, text: 'fails', alike: [], otherwise: [[0, 0, 0]] },
    ])
    expect(made.data().answers).toEqual([{ refused: '' }])
  })

  it('is what was recorded, to the byte, and says where no answer is the only right one', async () => {
    const line = (await readRecorded()).find(
      ({ id, engine }) =>
        engine === 'vllm@2dbd5be' && id === 'pythonic/parse/value-types#value-types: a negative float',
    )
    const text = line?.question?.input.get('text')
    const question = { format: 'pythonic', text: String(text), tools: '', ...ALONE }

    expect(verdicts(question, 'vllm 2dbd5be')).toMatchObject([
      {
        kind: 'otherwise',
        reason: [
          'bug',
          expect.stringContaining('negative number'),
          ['https://github.com/vllm-project/vllm/issues/19569'],
        ],
        answer: { content: '[search(f=-2.5)]', calls: [] },
      },
    ])
    const open = (await readRecorded()).filter(({ agrees, op }) => agrees === null && op === 'parse')
    for (const { format, question: asking, engine } of open.slice(0, 200)) {
      const own = verdicts(
        {
          format,
          text: String(asking?.input.get('text')),
          tools: dumps(asking?.input.get('tools') ?? null),
          thoughtInContent: asking?.input.get('thought_in_content') === true,
          parallelCalls: false,
        },
        engine.replace('@', ' '),
      )
      expect(own.length, engine).toBeGreaterThan(0)
    }
  })

  it('prefers what was asked with the same tools, and else says how it was asked', () => {
    const [text, tools] = ['so', '[{"name": "f"}]']
    const setting = { op: 'parse', tools: null, thoughtInContent: false, parallelCalls: false, isOpen: false } as const
    const made = createRecords()
    const engine = { name: 'e', version: '1', how: 'recorded', date: null } as const
    const reason = ['unverified', 'why', []] as const
    made.alike(engine, { format: 'x', text, setting: { ...setting, tools } })
    made.otherwise(engine, { format: 'x', text, setting }, { reason, answer: null })
    const question = { format: 'x', text, ...ALONE }

    const kinds = (own: string): readonly string[] =>
      [...answersTo(made.data(), { ...question, tools: own }).values()].flat().map(({ kind }) => kind)
    expect(kinds('[{name: "f"}]')).toEqual(['alike'])
    expect(kinds('')).toEqual(['otherwise'])
    expect(kinds('[]')).toEqual(['otherwise'])
    expect(kinds('[{name: "g"}]')).toEqual(['alike', 'otherwise'])
  })

  it('has the smallest text of each deviation, which then shows it', () => {
    const all = [...new Set(records.rows.map(({ format }) => format))].flatMap((format) =>
      enginesOf(records, format).flatMap(({ engine, deviations }) =>
        deviations.map((each) => ({ ...each, format, engine })),
      ),
    )
    expect(all.length).toBeGreaterThan(200)

    for (const { format, engine, text, setting, reason } of all) {
      const question = { ...setting, format, text, tools: setting.tools ?? '' }
      expect(
        answersTo(records, question)
          .get(engine)
          ?.map((each) => each.kind === 'otherwise' && each.reason),
        text,
      ).toContainEqual(reason)
    }
  })

  it('is distinguished by the version of an engine, with the date of its answers', () => {
    expect(records.engines).toContainEqual({ name: 'vllm', version: '3406e8f', how: 'recorded', date: 'July 2026' })
    expect(records.engines).toContainEqual({ name: 'llama.cpp', version: 'b10257', how: 'asked', date: 'cases 0.5.0' })
  })
})

/** The page has no choice of tools, and no version of a template. */
function canBeAsked(input: Case['input']): boolean {
  return !input.has('tool_choice') && !input.has('request')
}

const ALONE = { thoughtInContent: false, parallelCalls: false }

function asked({ format = '', input }: Case): EngineQuestion {
  const tools = input.get('tools')
  return {
    format,
    text: String(input.get('text')),
    tools: isList(tools) ? dumps(tools) : '',
    thoughtInContent: input.get('thought_in_content') === true,
    parallelCalls: input.get('parallel_calls') === true,
  }
}
