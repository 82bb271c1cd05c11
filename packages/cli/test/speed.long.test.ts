import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { BINARY } from './helpers/binary.ts'
import { folderWith } from './helpers/folder.ts'

// What a short run from a clone costs, as a whole process, in turns with an empty program: so a busy machine slows both. The tarball is
// measured in installed.long.test.ts. Node's own cache of compiled modules is not used: it exists from Node 22 on, where the program turns it on.

const PAIRS = 15

/** The goals, 3 and 12 times an empty program, are for a quiet machine. A busy one adds up to a tenth to the ratio. */
const BUSY = 1.25

const MEASURE = pathToFileURL(resolve(import.meta.dirname, '../../../.ci/measure.mjs')).href
const { filesThatRun } = (await import(MEASURE)) as {
  readonly filesThatRun: (words: readonly string[]) => { readonly loaded: readonly string[] }
}

const SPENT = `process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  require('node:fs').writeFileSync('spent.txt', String((user + system) / 1000))
})
`

/** Medians: CPU in ms, and times the CPU and the wall time of an empty program. */
function costOf(words: readonly string[]): { readonly cpu: number; readonly times: number; readonly wall: number } {
  const cwd = folderWith({
    'spent.cjs': SPENT,
    'empty.cjs': '',
    'reply.txt': '<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>',
  })
  const run = (...own: readonly string[]): readonly [cpu: number, wall: number] => {
    const begun = performance.now()
    const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' }
    execFileSync(process.execPath, ['--require', './spent.cjs', ...own], { cwd, env, stdio: 'ignore' })
    return [Number(readFileSync(join(cwd, 'spent.txt'), 'utf8')), performance.now() - begun]
  }
  const pairs = Array.from({ length: PAIRS }, () => ({ own: run(BINARY, ...words), empty: run('empty.cjs') }))
  return {
    cpu: median(pairs.map(({ own }) => own[0])),
    times: median(pairs.map(({ own, empty }) => own[0] / empty[0])),
    wall: median(pairs.map(({ own, empty }) => own[1] / empty[1])),
  }
}

function median(figures: readonly number[]): number {
  return figures.toSorted((one, other) => one - other)[Math.floor(figures.length / 2)] ?? NaN
}

describe('a short run from a clone', () => {
  it.each([
    [['parse', 'reply.txt', '--format', 'nous'], 3 * BUSY],
    [['eval', '-m', 'sim/perfect', '-f', 'nous', '--limit', '1', '--repeat', '1'], 12 * BUSY],
  ])('costs a few times an empty program: %j', (words, most) => {
    const { cpu, times, wall } = costOf(words)

    console.log(`callspec ${words.join(' ')}: ${cpu.toFixed(0)} ms of CPU, ${times.toFixed(2)} × an empty program (wall ${wall.toFixed(2)} ×)`) // prettier-ignore
    expect(times).toBeLessThan(most)
  })

  it('that reads a reply loads no other package, no format beyond Qwen-Agent, and nothing for files of JSON5', () => {
    const { loaded } = filesThatRun([BINARY, 'parse', 'reply.txt', '--format', 'nous'])

    const others = loaded.filter((path) => !/^packages\/(?:cli|core|python)\//.test(path))
    expect(others).toEqual(['packages/eval/dist/text/text.js'])
    const folders = loaded.map((path) => /core\/dist\/formats\/([^/]+)\//.exec(path)?.[1] ?? 'none')
    expect(new Set(folders)).toEqual(new Set(['none', 'nous', 'qwen', 'react']))
    expect(loaded.filter((path) => /request-file|data-file|commands\/(?!parse\.)/.test(path))).toEqual([])
  })

  it('that plays an episode loads nothing that examines servers or scores recorded replies', () => {
    const { loaded } = filesThatRun([
      BINARY,
      'eval',
      '-m',
      'sim/perfect',
      '-f',
      'nous',
      '--limit',
      '1',
      '--repeat',
      '1',
    ])

    const others = loaded.flatMap((path) => /eval\/dist\/((?:doctor|offline)\/.*)/.exec(path)?.[1] ?? [])
    // Names of models are listed with a mistyped one; tasks are read line by line.
    expect(others).toEqual(['doctor/finding.js', 'doctor/list-models.js', 'offline/read-records.js'])
  })
})
