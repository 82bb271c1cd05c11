import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { manifestText } from '../src/store/manifest.ts'
import { mergeRuns } from '../src/store/merge-runs.ts'
import { readSide, readSummary } from '../src/store/read-side.ts'
import { rescore } from '../src/store/run-report.ts'
import { runEval } from '../src/run/run-eval.ts'
import { sha256 } from '../src/text/json.ts'
import type { RunManifest } from '../src/trace/run-manifest.ts'
import { fakeClient } from './helpers/fake-client.ts'
import { temporaryFolder } from './helpers/temporary.ts'

const CONFIG = { models: ['m'], formats: ['react'], tasks: ['S01', 'S02'], baseUrl: 'http://model.test/v1' }

async function play(): Promise<string> {
  const reports = temporaryFolder()
  await runEval({ ...CONFIG, reports }, { clientFor: () => fakeClient(), clock: () => 0 })
  return join(reports, readFileSync(join(reports, 'latest'), 'utf8').trim())
}

const textOf = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8')
const manifestOf = (folder: string): RunManifest => JSON.parse(textOf(folder, 'run.json')) as RunManifest
const sumsOf = (folder: string): unknown => ({
  episodes: sha256(textOf(folder, 'episodes.jsonl')),
  summary: sha256(textOf(folder, 'summary.json')),
})

function edit(folder: string, name: string, change: (text: string) => string): void {
  const before = textOf(folder, name)
  expect(change(before)).not.toBe(before)
  writeFileSync(join(folder, name), change(before))
}

/** The other verdict of the first episode. */
const flipped = (text: string): string =>
  text.replace(/"success":(true|false)/, (_, was) => `"success":${was === 'true' ? 'false' : 'true'}`)

describe('the sums of episodes.jsonl and summary.json', () => {
  it.each<[string, (folder: string) => string | Promise<unknown>]>([
    ['eval', (folder) => folder],
    ['rescore', (folder) => (rescore(folder, { prices: { m: { prompt: 1e6, completion: 1e6 } } }), folder)],
    [
      'a run that goes on',
      async (folder) => {
        edit(folder, 'turns.jsonl', (text) => text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1))
        await runEval(CONFIG, {
          resume: { folder, acceptEdited: true },
          clientFor: () => fakeClient(),
          clock: () => 0,
        })
      },
    ],
  ])('are written by %s', async (_, write) => {
    const folder = await play()
    await write(folder)

    expect(manifestOf(folder).results).toEqual(sumsOf(folder))
  })

  it('are written by a merge', async () => {
    const [folder, into] = [await play(), join(temporaryFolder(), 'merged')]
    const scored: string[] = []
    mergeRuns([folder], into, { onEpisode: ({ score }) => scored.push(score.key.task) })

    expect(manifestOf(into).results).toEqual(sumsOf(into))
    expect(scored).toEqual(['S01', 'S02'])
  })

  it.each([
    ['episodes.jsonl', flipped],
    ['summary.json', (text: string) => text.replace('"hits":', '"hits":1')],
  ])('find that %s was changed, until it is written again', async (name, change) => {
    const folder = await play()
    const before = readSide(folder)
    edit(folder, name, change)
    const refused = `${folder}/${name} is not as it was written. Put back what was there, or write it again from turns.jsonl: callspec rescore RUN.`

    expect(() => readSide(folder)).toThrow(refused)
    expect(() => readSummary(folder)).toThrow(refused)
    expect(readSide(folder, { acceptEdited: true }).run.edited).toEqual([`${name} is not as it was written`])
    rescore(folder)

    expect(readSide(folder)).toEqual(before)
  })

  it('do not hide that the last line of turns.jsonl is missing', async () => {
    const folder = await play()
    edit(folder, 'turns.jsonl', (text) => text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1))

    expect(() => readSide(folder)).toThrow(`${folder}/turns.jsonl lacks its last line.`)
  })

  it('are missing in an older run, which is read with one note, and has them when it was scored again', async () => {
    const folder = await play()
    const { results: _, sum: __, ...older } = manifestOf(folder) as RunManifest & { readonly sum?: string }
    writeFileSync(join(folder, 'run.json'), manifestText(older))

    const read = readSide(folder)
    expect(read.summary.warnings.filter(({ code }) => code === 'no-check-sums')).toHaveLength(1)
    expect(read.run.isUnsealed).toBe(true)
    rescore(folder)

    expect(readSide(folder).run.isUnsealed).toBeUndefined()
    expect(manifestOf(folder).results).toEqual(sumsOf(folder))
  })
})

/** Scores a run in a process that ends itself with SIGKILL before it puts its nth file in place. */
function killedRescore(folder: string, nth: number): string | null {
  const program = `
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const { renameSync } = fs
    let left = ${nth}
    fs.renameSync = (from, to) => { if (--left === 0) process.kill(process.pid, 'SIGKILL'); renameSync(from, to) }
    syncBuiltinESMExports()
    const { rescore } = await import(${JSON.stringify(pathToFileURL(resolve(import.meta.dirname, '../dist/index.js')).href)})
    rescore(${JSON.stringify(folder)})`
  return spawnSync(process.execPath, ['--input-type=module', '-e', program]).signal
}

describe('a process that is killed while it writes the files of a run', () => {
  // In order: run.json, episodes.jsonl, summary.json, run.json, report.md.
  it.each([2, 3, 4])('before its file %i leaves a run that is read whole and not refused', async (nth) => {
    const folder = await play()
    const whole = readSide(folder)
    // What was there before is another text.
    rescore(folder, { prices: { m: { prompt: 1e6, completion: 1e6 } } })
    expect(readSide(folder)).not.toEqual(whole)

    expect(killedRescore(folder, nth)).toBe('SIGKILL')

    expect(readSide(folder)).toEqual(whole)
    rescore(folder)
    expect(readSide(folder)).toEqual(whole)
    expect(manifestOf(folder).results).toEqual(sumsOf(folder))
  })

  it('for the first time leaves no summary.json, and the run is read all the same', async () => {
    const folder = await play()
    const whole = readSide(folder)
    const { sum: _, ...manifest } = manifestOf(folder) as RunManifest & { readonly sum?: string }
    writeFileSync(join(folder, 'run.json'), manifestText({ ...manifest, results: null, finishedAt: null }))
    rmSync(join(folder, 'summary.json'))

    expect(readSide(folder)).toEqual(whole)
  })
})
