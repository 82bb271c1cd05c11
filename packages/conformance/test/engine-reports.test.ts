import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Schema } from '@cfworker/json-schema'
import { Validator } from '@cfworker/json-schema'
import { describe, expect, it } from 'vitest'

import { askedIds, askedText, GRADES, readAsked } from '../src/index.ts'
import { REPOSITORY } from './helpers/cases.ts'

const SCHEMAS = resolve(import.meta.dirname, '../schemas')
const REPORTS = join(REPOSITORY, 'reports/engines')

const LISTS = join(REPORTS, 'asked')

/** The ids of a list, whose name has the hash of its text. */
function idsIn(name: string): ReadonlySet<string> {
  const known = lists.get(name)
  if (known !== undefined) return known
  const text = readFileSync(join(LISTS, name), 'utf8')
  const list = readAsked(text)
  expect(askedText(list)).toEqual({ key: name.split('.').at(-2), text })
  const ids = new Set(askedIds(list))
  lists.set(name, ids)
  return ids
}

const lists = new Map<string, ReadonlySet<string>>()

/** What this test looks at of a report. */
interface Report {
  readonly engine: string
  readonly version: string
  readonly counts: readonly {
    readonly parser: string
    readonly format: string
    readonly op: string
    readonly asked: string
    readonly verdicts: Readonly<Record<string, number>>
  }[]
  readonly deviations: readonly {
    readonly parser: string
    readonly format: string
    readonly id: string
    readonly verdict: string
  }[]
}

function schema(name: string): Schema {
  return JSON.parse(readFileSync(join(SCHEMAS, `${name}.schema.json`), 'utf8')) as Schema
}

/** The list of verdicts in a schema. */
function verdictsIn(name: string, definition: string): unknown {
  const defs = schema(name).$defs as Readonly<Record<string, { enum?: unknown; propertyNames?: { enum: unknown } }>>
  return defs[definition]?.enum ?? defs[definition]?.propertyNames?.enum
}

const reports = readdirSync(REPORTS)
  .filter((name) => name.endsWith('.json'))
  .map((name) => ({ name, report: JSON.parse(readFileSync(join(REPORTS, name), 'utf8')) as Report }))

describe('the verdicts', () => {
  it('are one list: in code, result lines, scoreboards and engine reports', () => {
    const lists = [
      verdictsIn('result-line', 'grade'),
      verdictsIn('scoreboard', 'grades'),
      verdictsIn('engine-report', 'verdict'),
    ]
    expect(GRADES).toHaveLength(11)
    for (const list of lists) expect(list).toEqual(GRADES)
  })
})

describe('reports/engines', () => {
  it('has reports that the schema accepts, each in a file of its engine and version', () => {
    const validator = new Validator(schema('engine-report'), '2020-12', false)
    expect(reports.length).toBeGreaterThan(0)
    for (const { name, report } of reports) {
      const { errors } = validator.validate(report)
      expect(errors.map(({ instanceLocation, error }) => `${name} ${instanceLocation}: ${error}`)).toEqual([])
      expect(name).toBe(`${report.engine}@${report.version}.json`)
    }
  })

  it('has a list of the cases that were asked for each count, and no other list', () => {
    const named = new Set<string>()
    for (const { name, report } of reports) {
      for (const { parser, format, op, asked, verdicts } of report.counts) {
        const list = `${format}.${op}.${asked}.txt`
        named.add(list)
        expect(existsSync(join(LISTS, list)), `${name} ${list}`).toBe(true)
        const ids = idsIn(list)
        const place = `${name} ${parser} ${list}`
        expect([place, ids.size]).toEqual([place, Object.values(verdicts).reduce((all, count) => all + count, 0)])
        const own = report.deviations.filter((each) => each.parser === parser && each.format === format)
        const ofOp = own.filter(({ id }) => op === (/ ~[a-z]+(?:-\d)?$/.test(id) ? 'cut' : id.split('/')[1]))
        expect([place, ofOp.filter(({ id }) => !ids.has(id))]).toEqual([place, []])
      }
    }

    expect(readdirSync(LISTS).toSorted()).toEqual([...named].toSorted())
  })

  it('names every case that is counted as something else than passed', () => {
    for (const { name, report } of reports) {
      const counted = new Map<string, number>()
      for (const { verdicts } of report.counts) {
        for (const [verdict, count] of Object.entries(verdicts))
          counted.set(verdict, (counted.get(verdict) ?? 0) + count)
      }
      counted.delete('passed')
      const listed = new Map<string, number>()
      for (const { verdict } of report.deviations) listed.set(verdict, (listed.get(verdict) ?? 0) + 1)
      expect([name, ...[...listed].toSorted()]).toEqual([name, ...[...counted].toSorted()])
    }
  })
})
