import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lintTemplate, RULES } from '../src/lint/index.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const page = readFileSync(resolve(ROOT, 'docs/templates.md'), 'utf8')
const ALL = RULES.map(({ id }) => id)

const data = readFileSync(resolve(ROOT, 'packages/template/known-templates.json'), 'utf8')
const { templates } = JSON.parse(data) as {
  readonly templates: readonly {
    readonly name: string
    readonly sha256: string
    readonly findings: readonly string[]
  }[]
}
const known = templates.map((each) => ({
  ...each,
  path: resolve(ROOT, `../shared/vectors/templates/texts/${each.sha256}.jinja`),
}))
const present = known.filter(({ path }) => existsSync(path))
const absent = known.length - present.length

describe(`known-templates.json (${absent} of ${known.length} templates skipped: their texts are absent)`, () => {
  it.each(present)('says what the lint finds in $name', ({ path, findings }) => {
    const report = lintTemplate({ source: readFileSync(path, 'utf8') }, { rules: ALL })

    expect(report.findings.map(({ rule }) => rule)).toEqual(findings)
  })

  it('has 44 templates, which the page counts for every rule', () => {
    const rules = page.slice(page.indexOf('<!-- rules -->'), page.indexOf('<!-- /rules -->'))
    const rows = rules.split('\n').map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
    const documented = rows.flatMap(([, id = '', severity = '', count = '']) => {
      const rule = /^`([a-z-]+)`$/.exec(id)?.[1]
      return rule === undefined ? [] : [`${rule} ${severity} ${count}`]
    })
    const counted = RULES.map(({ id, severity }) => {
      return `${id} ${severity} ${templates.filter(({ findings }) => findings.includes(id)).length}`
    })

    expect(templates.length).toBe(44)
    expect(documented).toEqual(counted)
  })
})
