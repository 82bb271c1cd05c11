import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { EngineRun } from './pictures/engines-picture.ts'
import { enginesPicture } from './pictures/engines-picture.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const PICTURE = join(ROOT, 'docs/images/engines.svg')
/** What most people serve with; docs/engines.md has the others. */
const SHOWN: readonly string[] = ['vllm', 'sglang', 'llama.cpp', 'ollama', 'dynamo']

/** The newest report of an engine. */
function newestRun(engine: string): EngineRun {
  const folder = join(ROOT, 'reports/engines')
  const runs = readdirSync(folder)
    .filter((name) => name.startsWith(`${engine}@`))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as EngineRun)
    .toSorted((one, other) => (one.date < other.date ? 1 : -1))
  const [newest] = runs
  if (newest === undefined) throw new Error(`${engine} has no report`)
  return newest
}

const run = (title: string, verdicts: Readonly<Record<string, number>>, ran = '2026-11-20'): EngineRun => ({
  ...{ title, version: '1', date: '2026-11-01', ran },
  counts: [
    { format: 'nous', op: 'parse', verdicts: { passed: 1, failed: 11 } },
    { format: 'nous', op: 'parse', verdicts },
    { format: 'nous', op: 'stream', verdicts: { passed: 40 } },
  ],
})

describe('the picture of the engines', () => {
  it('is what reports/engines says now (UPDATE_PAGES=1 writes it)', () => {
    const picture = enginesPicture(SHOWN.map(newestRun))
    if (process.env['UPDATE_PAGES'] === '1') writeFileSync(PICTURE, picture)

    expect(readFileSync(PICTURE, 'utf8')).toBe(picture)
  })

  it('counts whole replies of the better parser, says the days, and that it is no ranking', () => {
    const one = run('one', {
      passed: 6,
      whitespace: 1,
      id: 1,
      number: 1,
      failed: 1,
      errored: 2,
      skipped: 3,
      synthetic: 4,
    })
    const other = run('other', { passed: 9, cut: 2 }, '2026-11-22')

    const picture = enginesPicture([one, other])

    const texts = [...picture.matchAll(/<text[^>]*>(.*?)<\/text>/g)].map(([, text]) => text)
    expect(texts.filter((text) => / of \d+$/.test(text ?? ''))).toEqual(['9 of 12', '9 of 11'])
    expect(/aria-label="([^"]*)"/.exec(picture)?.[1]).toBe(
      'Whole replies read right by one 1 and other 1, by format; asked 2026-11-20 to 2026-11-22; not a ranking',
    )
  })

  it('escapes what a report names itself', () => {
    expect(enginesPicture([run('<script>"x"', { passed: 1 })])).not.toContain('<script')
  })
})
