import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lintTemplate, RULES } from '../src/lint/index.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const page = readFileSync(resolve(ROOT, 'docs/templates.md'), 'utf8')
const ALL = RULES.map(({ id }) => id)

/** Cells of the rows of a table whose first or last cell has a form. */
const rows = page.split('\n').map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
const known = rows.flatMap(([, name = '', errors = '', warnings = '', info = '', , sum = '']) => {
  const sha256 = /^`([\da-f]{64})`$/.exec(sum)?.[1]
  if (sha256 === undefined) return []
  const findings = [errors, warnings, info].flatMap((cell) => (cell === '' ? [] : cell.split(', ')))
  return [{ name, path: resolve(ROOT, `../shared/vectors/templates/texts/${sha256}.jinja`), findings }]
})
const present = known.filter(({ path }) => existsSync(path))
const absent = known.length - present.length

describe(`docs/templates.md (${absent} of ${known.length} templates skipped: their texts are absent)`, () => {
  it.each(present)('says what the lint finds in $name', ({ path, findings }) => {
    const report = lintTemplate({ source: readFileSync(path, 'utf8') }, { rules: ALL })

    expect(report.findings.map(({ rule }) => rule)).toEqual(findings)
  })

  it('knows 44 templates and every rule', () => {
    const documented = rows.flatMap(([, id = '', severity = '']) => {
      const rule = /^`([a-z-]+)`$/.exec(id)?.[1]
      return rule === undefined ? [] : [`${rule} ${severity}`]
    })

    expect(known.length).toBe(44)
    expect(documented).toEqual(RULES.map(({ id, severity }) => `${id} ${severity}`))
  })
})
