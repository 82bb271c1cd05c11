import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { chromium } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEpisodePacker } from '../src/evaluation/episodes.ts'
import { renderEvaluation } from '../src/evaluation/page.ts'
import type { EvaluationPage, PackedEpisodes } from '../src/evaluation/episode-data.ts'
import { episodeOf, smallReport } from './helpers/reports.ts'

const CHROMIUM = process.env['CALLSPEC_CHROMIUM'] ?? '/usr/bin/chromium'
const TURNS = 100_000
const OPENINGS = 5

/** A page with 20,000 turns over so many tasks. */
function pageOfTasks(tasks: number): EvaluationPage {
  const report = smallReport()
  const [row] = report.summary.grid
  if (row === undefined) throw new Error('the grid is empty')
  const grid = Array.from({ length: tasks }, (_, at) => ({ ...row, task: `T${at}` }))
  return renderEvaluation({ ...report, summary: { ...report.summary, grid }, episodes: episodesOf(20_000, 4) })
}

/** A page with so many turns, 8 to an episode, each with so many words of its own, of 6 random characters each. */
function pageOf(turns: number, words: number): EvaluationPage {
  return renderEvaluation({ ...smallReport(), episodes: episodesOf(turns, words) })
}

function episodesOf(turns: number, words: number): PackedEpisodes {
  const packer = createEpisodePacker()
  let random = 1
  const word = (): string => {
    random = (random * 48_271) % 2_147_483_647
    return random.toString(36)
  }
  const made = episodeOf('m', 'react')
  for (let sample = 0; sample < turns / 8; sample += 1) {
    const { trace, score } = made
    const [line] = trace.turns
    const [scored] = score.turns
    if (line === undefined || scored === undefined) throw new Error('the episode has no turn')
    const numbers = Array.from({ length: 8 }, (_, turn) => turn)
    const key = { ...trace.key, sample, task: `S0${sample % 9}` }
    const texts = numbers.map(() => Array.from({ length: words }, word).join(' '))
    packer.add({
      question: 'q',
      trace: { ...trace, key, turns: numbers.map((turn) => ({ ...line, ...key, turn, text: texts[turn] ?? '' })) },
      score: { ...score, key, turns: numbers.map((turn) => ({ ...scored, turn })) },
    })
  }
  return packer.finish()
}

interface Cost {
  /** Seconds of CPU of all processes until the first screen is painted and everything is parsed. */
  readonly cpu: number
  /** Megabytes of the process that shows the page. */
  readonly megabytes: number
}

/** Opens a page some times; the cheapest. */
async function costOf({ html, files }: EvaluationPage, hash = ''): Promise<Cost> {
  const folder = mkdtempSync(join(tmpdir(), 'callspec-large-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'report.html')
  writeFileSync(path, html)
  for (const [name, text] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const costs: Cost[] = []
  for (let opening = 0; opening < OPENINGS; opening += 1) costs.push(await opened(`file://${path}${hash}`))
  return costs.reduce((best, each) => (each.cpu < best.cpu ? each : best))
}

async function opened(url: string): Promise<Cost> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const page = await browser.newPage()
    const system = await browser.newBrowserCDPSession()
    const cpuOf = async (): Promise<number> => {
      const { processInfo } = await system.send('SystemInfo.getProcessInfo')
      return processInfo.filter(({ type }) => type === 'renderer').reduce((sum, { cpuTime }) => sum + cpuTime, 0)
    }
    const before = await cpuOf()
    await page.goto(url, { waitUntil: 'load' })
    await page.screenshot()
    if (url.includes('#')) await page.locator('.conversation').waitFor()
    const cpu = (await cpuOf()) - before
    const { processInfo } = await system.send('SystemInfo.getProcessInfo')
    const ids = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id)
    return { cpu, megabytes: Math.max(...ids.map(privateMegabytes)) }
  } finally {
    await browser.close()
  }
}

/** What a process has for itself, and its part of what it shares. */
function privateMegabytes(id: number): number {
  const [, kilobytes = '0'] = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

const canMeasure = existsSync(CHROMIUM) && existsSync('/proc/self/smaps_rollup')

describe.skipIf(!canMeasure)('a page with 100 000 turns (skipped without Chromium and /proc)', () => {
  it.each([
    ['inside of it', 40, 0],
    ['beside it', 120, 1],
  ])('stays below 300 MB, closed and with an episode open: %s', async (_, words, files) => {
    const large = pageOf(TURNS, words)
    const [none, first, episode] = [
      await costOf(pageOf(0, 0)),
      await costOf(large),
      await costOf(large, '#episode=m/react/S03/12000'),
    ]

    // What the first screen costs is printed, not asserted: other programs change the ratio.
    console.log(`${words} words a turn: ${large.html.length} characters, ${large.files.size} files`)
    for (const [name, { cpu, megabytes }] of Object.entries({ none, first, episode }))
      console.log(`${name}: ${cpu.toFixed(3)} s of CPU, ${megabytes.toFixed(0)} MB (cheapest of ${OPENINGS})`)
    expect(large.files.size >= files).toBe(true)
    expect(Math.max(first.megabytes, episode.megabytes)).toBeLessThan(300)
  })

  it('costs little for the first screen with 2,000 tasks', async () => {
    const costs = { none: await costOf(pageOf(0, 0)), tasks: await costOf(pageOfTasks(2000)) }

    // Printed, not asserted, as above.
    for (const [name, { cpu, megabytes }] of Object.entries(costs))
      console.log(`${name}: ${cpu.toFixed(3)} s of CPU, ${megabytes.toFixed(0)} MB (cheapest of ${OPENINGS})`)
    expect(costs.tasks.megabytes).toBeLessThan(150)
  })
})
