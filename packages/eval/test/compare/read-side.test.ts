import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { baselineOf, baselineText } from '../../src/compare/baseline.ts'
import { readSide } from '../../src/store/read-side.ts'
import { createSummarizer } from '../../src/summary/summarizer.ts'
import { FACTS, outcome } from './outcomes.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'callspec-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const file = (text: string): string => {
  const path = join(folder, 'baseline.json')
  writeFileSync(path, text)
  return path
}

const summary = createSummarizer({ run: FACTS }).finish()
const episodes = [
  outcome({ task: 'a', tokens: null }),
  outcome({ task: 'b', success: false, recovered: 1, attempts: 3 }),
  outcome({ task: 'b', sample: 1, success: false, cleanStop: false }),
  outcome({ task: 'c', protocol: 'fncall-nous', success: false, cleanStop: false, infra: true }),
]

describe('a baseline', () => {
  it('holds of every episode what a comparison needs, one line each', () => {
    const text = baselineText(baselineOf(summary, episodes))
    const read = readSide(file(text))

    expect(read).toMatchObject({ kind: 'baseline', run: FACTS, scorer: summary.scorer })
    expect(read.outcomes).toEqual(episodes)
    expect(text).toContain('\n        ["b",1,"failed",1,2,100,1,1,0]\n')
  })

  it.each([
    ['', 'is no JSON object. Was it cut off or changed by hand?'],
    ['[]', 'is no JSON object. Was it cut off or changed by hand?'],
    ['{}', 'is neither a run folder nor a baseline. callspec baseline writes one from a run folder.'],
    [
      '{"kind": "baseline", "schema": 3}',
      'is of version 3; this program reads version 2. callspec baseline writes one from a run folder.',
    ],
    [
      '{"kind": "baseline"}',
      'names no version; this program reads version 2. callspec baseline writes one from a run folder.',
    ],
    [
      '{"kind": "baseline", "schema": 2}',
      'is not as it was written: "summary" is no summary. callspec baseline writes one from a run folder.',
    ],
    [
      '{"kind": "baseline", "schema": 2, "summary": {"run": {}, "scorer": "2"}, "outcomes": [{"model": "m", "protocol": "p", "episodes": [1]}]}',
      'is not as it was written: outcomes[0].episodes[0] is no episode. callspec baseline writes one from a run folder.',
    ],
  ])('that is %j is refused in one line', (text, message) => {
    const path = file(text)

    expect(() => readSide(path)).toThrow(`${path} ${message}`)
  })

  it('that is not there is reported as missing', () => {
    expect(() => readSide(join(folder, 'none'))).toThrow(`${join(folder, 'none')} is not there. Is the name right?`)
  })
})

describe('a summary that an earlier version wrote', () => {
  it('is compared again by task, and keeps its rates', () => {
    const formats = ['react', 'fncall-nous'] as const
    const own = formats.flatMap((protocol) =>
      Array.from({ length: 10 }, (_, at) =>
        outcome({ protocol, task: `T${at}`, success: protocol === 'react' || at > 6 }),
      ),
    )
    const rows = formats.map((protocol) => ({ model: 'm', protocol, rates: 'as they were' }))
    const old = { method: 'mcnemar', metric: 'task_success', resolution: null }
    const comparisons = [{ model: 'm', left: 'react', right: 'fncall-nous', tests: [old] }]
    const warnings = [{ code: 'small-sample', text: 'n too small' }]
    const written = { ...baselineOf(summary, own), summary: { ...summary, rows, comparisons, warnings } }

    const read = readSide(file(JSON.stringify(written))).summary

    expect(read.rows).toEqual(rows)
    expect(read.warnings.map(({ code }) => code)).toEqual(['intervals-of-tries'])
    expect(read.comparisons[0]?.tests[0]).toMatchObject({ method: 'sign-flip', tasks: 10, p: 2 / 2 ** 7 })
  })
})

describe('a run folder', () => {
  it('has a run.json', () => {
    expect(() => readSide(folder)).toThrow(`${folder} is no run folder: it holds no run.json.`)
  })

  it('of an older version says so', () => {
    writeFileSync(join(folder, 'summary.json'), '{"version": 1, "rows": []}')

    expect(() => readSide(folder)).toThrow('summary.json is of version 1; this program reads version 3.')
  })

  it('with a line that is no episode names the line', () => {
    writeFileSync(join(folder, 'summary.json'), JSON.stringify(summary))
    writeFileSync(join(folder, 'episodes.jsonl'), '{"key": {}}\n')

    expect(() => readSide(folder)).toThrow('episodes.jsonl:1 is no episode of this version.')
  })
})
