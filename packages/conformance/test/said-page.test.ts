import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

import { builtInCases, caseSetVersion, findCaseFiles, readCases } from '../src/index.ts'
import type { Case } from '../src/index.ts'
import { isAskedOfMakers } from './helpers/said-cases.ts'
import { LISTED, PROMPTED } from './helpers/shared-templates.ts'
import { saidPage } from './pages/said-page.ts'
import { readDeviations, readSaid } from './pages/said-report.ts'

const PAGE = resolve(import.meta.dirname, '../../../reports/scoreboard/llama.cpp.md')
const REPORT = readSaid()
const CASES = await saidCases()

/** The strict cases, and those of the templates that say texts of formats. */
async function saidCases(): Promise<ReadonlyMap<string, Case>> {
  const profiles = new Set(['strict', ...PROMPTED.map(({ sha256 }) => `chat-template@${sha256.slice(0, 12)}`)])
  const found = new Map<string, Case>()
  for await (const item of readCases(await findCaseFiles([await builtInCases()])))
    if (profiles.has(item.profile) && !isAskedOfMakers(item)) found.set(item.id, item)
  return found
}

describe('what llama.cpp makes of the cases', () => {
  it('is known of every case that failed, by topic, and of no other one', () => {
    const known = readDeviations().flatMap(({ cases }) => cases.map(({ id }) => id.slice(0, id.indexOf('#'))))
    const count = (place: string): number => known.filter((each) => each === place).length

    const counted = REPORT.topics.map(({ format, op, topic, failed, errored }) => ({
      place: `${format}/${op}/${topic}`,
      failed: failed + errored,
    }))

    expect(counted).toEqual(counted.map(({ place }) => ({ place, failed: count(place) })))
    expect(known.filter((place) => !counted.some((each) => each.place === place))).toEqual([])
  })

  it('is kept of every strict case of nous and of each format whose template is listed, and of the prompts of that; newer cases were not said', () => {
    for (const format of ['nous', ...LISTED.map((each) => each.format)]) {
      const asked = [...CASES.values()].filter(
        (item) => item.format === format && ['parse', 'stream', 'render'].includes(item.op),
      )
      const kept = REPORT.topics.filter((each) => each.format === format)

      const sum = kept.reduce(
        (all, { passed, failed, errored, skipped }) => all + passed + failed + errored + skipped,
        0,
      )
      if (REPORT.cases === caseSetVersion()) expect([format, sum]).toEqual([format, asked.length])
      else expect(asked.length, format).toBeGreaterThanOrEqual(sum)
    }
  })

  it('is repeated case by case: each known failure has the command that asks for it alone', () => {
    for (const { id, command } of readDeviations().flatMap(({ cases }) => cases)) {
      const [format = ''] = id.split('/')

      expect(command).toContain(` --format ${format} `)
      expect(command.replaceAll("'\\''", "'")).toMatch(/ --say auto .* --reads-text --id /)
      expect(command.replaceAll("'\\''", "'").endsWith(`--id '${id}'`)).toBe(true)
    }
  })

  it('is in reports/scoreboard/llama.cpp.md as it is now (UPDATE_PAGES=1 writes it)', () => {
    const page = saidPage(CASES)
    if (process.env['UPDATE_PAGES'] === '1') writeFileSync(PAGE, page)

    expect(readFileSync(PAGE, 'utf8')).toBe(page)
  })
})
