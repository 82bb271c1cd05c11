import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Schema } from '@cfworker/json-schema'
import { Validator } from '@cfworker/json-schema'
import { describe, expect, it } from 'vitest'

import { GRADES } from '../src/index.ts'
import { REPOSITORY } from './helpers/cases.ts'

const SCHEMAS = resolve(import.meta.dirname, '../schemas')
const REPORTS = join(REPOSITORY, 'reports/engines')

/** What this test looks at of a report. */
interface Report {
  readonly engine: string
  readonly version: string
  readonly counts: readonly { readonly op: string; readonly verdicts: Readonly<Record<string, number>> }[]
  readonly deviations: readonly { readonly verdict: string }[]
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
