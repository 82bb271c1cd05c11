import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { GRADES } from '@callspec/conformance'
import type { Schema } from '@cfworker/json-schema'
import { Validator } from '@cfworker/json-schema'
import { afterAll, describe, expect, it } from 'vitest'

import { changesBetween, CompatDataError, isWrong, openCompatData, verdictsOf } from '../src/index.ts'
import type { CompatResult, CompatRow, CompatVerdict } from '../src/index.ts'

const PACKAGE = resolve(import.meta.dirname, '..')
const REPORTS = resolve(PACKAGE, '../../reports/engines')
const data = openCompatData(join(PACKAGE, 'data'))
const rows = data.index.engines.flatMap(({ name, versions }) => versions.map(({ version }) => data.row(name, version)))

const home = mkdtempSync(join(tmpdir(), 'callspec-compat-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

function validator(name: string): Validator {
  const schema = JSON.parse(readFileSync(join(PACKAGE, `schemas/${name}.schema.json`), 'utf8')) as Schema
  return new Validator(schema, '2020-12', true)
}

const fileOf = ({ engine, version }: CompatRow): string => `${engine}@${version}`

describe('the data', () => {
  it('has a row for every report, newest first', () => {
    const reports = readdirSync(REPORTS).filter((name) => name.endsWith('.json'))

    expect(rows.map((row) => `${fileOf(row)}.json`).toSorted()).toEqual(reports.toSorted())
    for (const { versions } of data.index.engines) {
      const dates = versions.map(({ date }) => date)
      expect(dates).toEqual(dates.toSorted().toReversed())
      // Releases of one day are ordered by their numbers.
      for (const [at, { version, date }] of versions.slice(1).entries()) {
        const newer = versions[at]
        if (newer?.date === date) expect(newer.version.localeCompare(version, 'en', { numeric: true })).toBe(1)
      }
    }
  })

  it('is as its schemas say', () => {
    const [index, whole] = [validator('index'), validator('row')]

    expect(index.validate(data.index).errors).toEqual([])
    for (const row of rows) expect(whole.validate(row).errors.slice(0, 2), fileOf(row)).toEqual([])
  })

  it('has a line for each finding in a grammar, as its schema says', () => {
    const lines = readFileSync(join(PACKAGE, 'data/grammars.jsonl'), 'utf8').trim().split('\n')
    const line = validator('grammar')

    expect(lines.length).toBeGreaterThan(500)
    for (const text of lines) expect(line.validate(JSON.parse(text)).errors.slice(0, 2), text.slice(0, 100)).toEqual([])
  })

  it.each(rows.map((row) => [fileOf(row), row] as const))(
    '%s keeps verdicts and answers of its report',
    (name, row) => {
      const report = JSON.parse(readFileSync(join(REPORTS, `${name}.json`), 'utf8')) as Report
      const answers = data.answers(row.engine)
      const contested = data.contested()

      expect(row.results).toHaveLength(report.counts.length)
      for (const [at, { parser, format, op, verdicts }] of report.counts.entries()) {
        const result = row.results[at]
        const name = `${parser} ${format} ${op}`
        expect(result).toMatchObject({ parser, format, operation: op })
        const asked = idsOf(result)
        expect(sum(result?.counts ?? {}), name).toBe(asked.size)
        // Cases that are gone or have changed since are left out.
        expect(asked.size, name).toBeLessThanOrEqual(sum(verdicts))
        expect(result?.counts.passed ?? 0, name).toBeLessThanOrEqual(verdicts['passed'] ?? 0)
        if (asked.size === sum(verdicts)) expect(result?.counts.passed ?? 0, name).toBe(verdicts['passed'] ?? 0)
      }
      for (const { parser, format, id, verdict, gave } of report.deviations.filter((_, at) => at % 50 === 0)) {
        const ofPair = row.results.filter((each) => each.parser === parser && each.format === format)
        if (!ofPair.some((each) => idsOf(each).has(id))) continue
        const found = ofPair.map(({ cases }) => cases[id]).find((entry) => entry !== undefined)
        const isContested = contested[id.replace(/ ~[a-z]+(?:-\d)?$/, '')] !== undefined
        if (!isContested) expect(found?.[0], id).toBe(verdict)
        if (verdict !== 'synthetic') expect(answers[found?.[1] ?? ''], id).toBe(gave)
      }
    },
  )

  it.each(rows.map((row) => [fileOf(row), row] as const))('%s says the same in lines', (name, row) => {
    const [head = '', ...lines] = readFileSync(join(PACKAGE, `data/engines/${name}.jsonl`), 'utf8')
      .trimEnd()
      .split('\n')
    const line = validator('line')
    const known = row.results.reduce((total, result) => total + verdictsOf(result, data.asked()).size, 0)

    const { results: _, ...rest } = row
    expect(JSON.parse(head)).toEqual(rest)
    expect(lines).toHaveLength(known)
    for (const text of [head, ...lines.filter((_, at) => at % 997 === 0)])
      expect(line.validate(JSON.parse(text)).errors.slice(0, 1), text).toEqual([])
  })

  it('counts contested cases apart', () => {
    const graded = rows.flatMap(({ results }) => results.flatMap(({ cases }) => Object.entries(cases)))
    const contested = data.contested()
    const wrong = graded.filter(([id, [verdict]]) => contested[id] !== undefined && isWrong(verdict))

    expect(Object.keys(contested).length).toBeGreaterThan(0)
    expect(wrong.filter(([, [verdict]]) => verdict !== 'errored')).toEqual([])
  })

  it('has every verdict of the cases, and no other', () => {
    const verdicts: readonly CompatVerdict[] = [
      ...(['passed', 'whitespace', 'id', 'number', 'cut', 'refused', 'failed', 'contested'] as const),
      ...(['errored', 'synthetic', 'skipped'] as const),
    ]

    expect(verdicts).toEqual(GRADES)
  })

  it('stays below 10 MB when it is packed', () => {
    const files = readdirSync(join(PACKAGE, 'data'), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(PACKAGE, 'data', name),
    )
    const packed = files
      .filter((path) => /\.(?:json|jsonl|txt)$/.test(path))
      .reduce((total, path) => total + gzipSync(readFileSync(path), { level: 1 }).length, 0)

    expect(packed).toBeLessThan(10e6)
  })

  it('has files to vendor of fewer than 60 lines', () => {
    for (const name of ['test_callspec.py', 'callspec.test.mjs']) {
      const lines = readFileSync(join(PACKAGE, 'vendor', name), 'utf8')
        .trimEnd()
        .split('\n')
      expect(lines.length, name).toBeLessThan(60)
    }
  })

  it('does not change what is published', () => {
    const published = JSON.parse(readFileSync(join(PACKAGE, 'published.json'), 'utf8')) as Readonly<
      Record<string, string>
    >
    const today = Object.keys(published).map((name) => {
      const path = join(REPORTS, name)
      return [name, existsSync(path) ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'missing']
    })

    // A report that is published stays: a new version of an engine is a new file.
    expect(Object.fromEntries(today)).toEqual(published)
  })
})

interface Report {
  readonly counts: readonly {
    readonly parser: string
    readonly format: string
    readonly op: string
    readonly verdicts: Readonly<Record<string, number>>
  }[]
  readonly deviations: readonly {
    readonly parser: string
    readonly format: string
    readonly id: string
    readonly verdict: string
    readonly gave: string
  }[]
}

function idsOf(result: CompatResult | undefined): ReadonlySet<string> {
  return new Set(data.asked()[result?.asked ?? ''])
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}

describe('a row', () => {
  it('loses only cases that have changed, are new, or are gone', async () => {
    const script = join(PACKAGE, 'scripts/engine-data.mjs')
    const { engineData, createLists, createTexts } = (await import(script)) as DataScript
    const lists = createLists()
    const ids = { same: '1', failed: '2', changed: '3', 'failed and changed': '4', gone: '5' }
    const then = { cuts: [], hashes: new Map(Object.entries(ids).map(([id, hash]) => [`f/parse/t#${id}`, hash])) }
    const now = { ...ids, changed: '6', 'failed and changed': '6', new: '7' }
    const { gone: _, ...rest } = now
    const today = { cuts: [], hashes: new Map(Object.entries(rest).map(([id, hash]) => [`f/parse/t#${id}`, hash])) }
    const wrong = ['failed', 'failed and changed'].map((id) => ({
      ...{ parser: 'p', format: 'f', id: `f/parse/t#${id}`, verdict: 'failed', gave: 'x' },
    }))
    const counts = [{ parser: 'p', format: 'f', op: 'parse', verdicts: { passed: 3, failed: 2 } }]

    const row = await engineData(
      { engineReport: 1, engine: 'x', version: '1', counts, deviations: wrong },
      {
        ...{ today: { of: () => Promise.resolve(today) }, listOf: () => then, lists, texts: createTexts() },
        ...{ contested: new Map(), currentId: (id: string) => id, packageManager: 'pnpm' },
      },
    )

    const [result] = row.results
    expect(lists.idsOf(result?.asked ?? '')).toEqual(['f/parse/t#same', 'f/parse/t#failed'])
    expect(result?.counts).toEqual({ passed: 1, failed: 1 })
    expect(Object.keys(result?.cases ?? {})).toEqual(['f/parse/t#failed'])
  })
})

/** `scripts/engine-data.mjs`. */
interface DataScript {
  readonly engineData: (report: object, context: object) => Promise<CompatRow>
  readonly createLists: () => { readonly idsOf: (hash: string) => readonly string[] }
  readonly createTexts: () => object
}

describe('the comparison of two rows', () => {
  const asked = { all: ['a', 'b', 'c', 'd', 'e', 'f'] }
  const row = (version: string, cases: CompatResult['cases'], more: readonly CompatResult[] = []): CompatRow => ({
    ...{
      compatData: 1,
      engine: 'x',
      title: 'X',
      what: 'x',
      version,
      commit: null,
      date: '2026-01-01',
      dated: 'x',
      ran: '2026-01-01',
    },
    ...{ casesVersion: '1', stubs: [], notAsked: [], commands: { repeat: '' } },
    results: [{ parser: 'p', format: 'f', operation: 'parse', counts: {}, asked: 'all', cases }, ...more],
  })

  it('finds what is new and what is gone, and nothing about cases that one of them was not asked', () => {
    const before = row('1', { a: ['failed'], b: ['refused'], c: ['skipped'], e: ['contested'], f: ['number'] })
    const other: CompatResult = {
      parser: 'q',
      format: 'f',
      operation: 'parse',
      counts: {},
      asked: 'all',
      cases: { a: ['failed'] },
    }
    const after = row('2', { a: ['failed'], c: ['failed'], d: ['errored'], e: ['failed'], f: ['id'] }, [other])

    const { fresh, gone, firstAsked } = changesBetween(before, after, asked)

    expect(fresh.map(({ id, before: was, after: is }) => [id, was, is])).toEqual([['d', 'passed', 'errored']])
    expect(gone.map(({ id, before: was, after: is }) => [id, was, is])).toEqual([['b', 'refused', 'passed']])
    expect(firstAsked).toEqual([{ parser: 'q', format: 'f' }])
  })

  it('says nothing about cases that are new, or have changed, since one of them was asked', () => {
    const before: CompatRow = {
      ...row('1', {}),
      results: [{ parser: 'p', format: 'f', operation: 'parse', counts: { passed: 1 }, asked: 'some', cases: {} }],
    }
    const after = row('2', { a: ['failed'], b: ['failed'] })

    const { fresh, gone } = changesBetween(before, after, { ...asked, some: ['b'] })

    expect([fresh.map(({ id }) => id), gone]).toEqual([['b'], []])
  })
})

describe('data that cannot be read', () => {
  it.each([
    [
      '{"compatData": 2, "engines": []}',
      'has form 2, and this version of callspec reads form 1. Update: npm install callspec@latest',
    ],
    ['{"engines": []}', 'is not compatibility data (no "compatData": 1).'],
    ['{', 'is not JSON. Install @callspec/compat-data again.'],
    [
      '{"compatData": 1, "casesVersion": "1", "engines": [{}]}',
      '"engines[0].name" is missing or of another type. Install it again.',
    ],
    ['null', 'is not compatibility data (no "compatData": 1).'],
  ])('%s is refused in one line', (text, message) => {
    writeFileSync(join(home, 'index.json'), text)

    expect(() => openCompatData(home)).toThrow(new CompatDataError(`${join(home, 'index.json')}: ${message}`))
  })

  it('a missing folder is reported, and an unknown row', () => {
    expect(() => openCompatData(join(home, 'no'))).toThrow('cannot be read (ENOENT).')
    expect(() => data.row('x', '1')).toThrow('lists no x@1.')
  })
})
