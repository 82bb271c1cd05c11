import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readScoreboard } from '@callspec/conformance'
import type { Scoreboard } from '@callspec/conformance'
import { describe, expect, it } from 'vitest'
import { enginesPicture } from './pictures/engines-picture.ts'
import { RUN_DAYS } from './pictures/run-days.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const PICTURE = join(ROOT, 'docs/images/engines.svg')

const board = (implementation: string, failed: number): Scoreboard => ({
  scoreboard: 1,
  implementation,
  results: [
    {
      ...{ version: '1', casesVersion: '0.1.0', protocol: 1 },
      cells: [{ format: 'nous', op: 'parse', profile: 'strict', passed: 9, failed, errored: 2, skipped: 3 }],
    },
  ],
})

describe('the picture of the engines', () => {
  it('is what the scoreboards in reports/scoreboard say now (UPDATE_PAGES=1 writes it)', async () => {
    const folder = join(ROOT, 'reports/scoreboard')
    const names = readdirSync(folder).filter((name) => name.endsWith('.json') && name !== 'callspec.json')
    const boards = await Promise.all(names.toSorted().map((name) => readScoreboard(join(folder, name))))

    const picture = enginesPicture({ boards, days: RUN_DAYS })
    if (process.env['UPDATE_PAGES'] === '1') writeFileSync(PICTURE, picture)

    expect(boards.length).toBeGreaterThan(3)
    expect(readFileSync(PICTURE, 'utf8')).toBe(picture)
  })

  it('counts what broke among what was asked, says its days, and that it is no ranking', () => {
    const days = { 'one 1 cases 0.1.0': '2026-11-20', 'other 1 cases 0.1.0': '2026-11-22' }

    const picture = enginesPicture({ boards: [board('one', 1), board('other', 0)], days })

    const texts = [...picture.matchAll(/<text[^>]*>(.*?)<\/text>/g)].map(([, text]) => text)
    expect(texts.filter((text) => text?.includes(' of '))).toEqual(expect.arrayContaining(['9 of 12', '9 of 11']))
    expect(/aria-label="([^"]*)"/.exec(picture)?.[1]).toBe(
      'Cases passed by one 1 and other 1, by format; 2026-11-20 to 2026-11-22; not a ranking',
    )
  })

  it('escapes what a scoreboard names itself, and is not made of one without a day', () => {
    const hostile = board('<script>"x"', 0)

    const picture = enginesPicture({ boards: [hostile], days: { '<script>"x" 1 cases 0.1.0': '2026-11-20' } })

    expect(picture).not.toContain('<script')
    expect(() => enginesPicture({ boards: [hostile], days: {} })).toThrow('run-days.ts: nothing says when')
  })
})
