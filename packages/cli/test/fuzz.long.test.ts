import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { LAWS } from '@callspec/fuzz'
import type { LawId } from '@callspec/fuzz'
import { chooseSubject } from '../src/fuzz/choose-subject.ts'
import { searchOnce } from '../src/fuzz/search-batch.ts'
import { BINARY } from './helpers/binary.ts'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'

const LAST_LINE = /^(?:1 text|\d+ texts), \d+ with a call, (?:1 violation|\d+ violations), seed \d+$/

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? ''

/** A parser that loses text after a call, throws on a broken one and reads drafts in thoughts. */
const NAIVE = `
import { createInterface } from 'node:readline'
const say = (value) => process.stdout.write(JSON.stringify(value) + '\\n')
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line)
  if (request.cmd === 'start')
    say({ protocol: 1, name: 'naive', version: '1', supports: [{ operations: ['parse'], formats: ['nous'] }] })
  if (request.cmd === 'run') {
    const text = request.input.text
    if (text.includes('CRASH')) process.exit(3)
    if (text.includes('RUBBISH')) process.stdout.write('x'.repeat(100000) + '\\n')
    const found = /<tool_call>\\s*([^]*?)\\s*<\\/tool_call>/.exec(text)
    let calls = []
    try {
      calls = found ? [JSON.parse(found[1])].map(({ name, arguments: args }) => ({ name: String(name), arguments: args ?? {} })) : []
    } catch {}
    say({ seq: request.seq, output: { content: found ? text.slice(0, found.index) : text, calls } })
  }
  if (request.cmd === 'stop') break
}
`

const PROGRAM = `node naive.mjs`

describe('callspec fuzz', () => {
  it.each(['nous', 'qwen', 'react'])('finds no violation in the parser of %s', async (format) => {
    const run = await inProcess(['fuzz', '--format', format, '--runs', '40'])

    expect(run.code).toBe(0)
    expect(lastLine(run.stdout)).toMatch(/^\d{2,} texts, \d{2,} with a call, 0 violations, seed 0$/)
    expect(run.stdout).toMatch(/with a call \d+ %, with a broken one \d+ %, without \d+ %/)
  })

  it('finds the same with the same seed', async () => {
    const words = ['fuzz', '--format', 'nous', '--runs', '30', '--seed', '7', '--json']
    const [one, other] = [await inProcess(words), await inProcess(words)]

    expect(one.stdout).toBe(other.stdout)
    expect(JSON.parse(one.stdout)).toMatchObject({ seed: 7, violations: [] })
  })

  it('finds, shrinks, keeps and shows again what a program does wrong', async () => {
    const cwd = folderWith({ 'naive.mjs': NAIVE })
    const words = ['fuzz', '--format', 'nous', '--impl', PROGRAM, '--law', 'think-isolation', '--runs', '40']

    const run = await inProcess([...words, '--save', 'kept'], { cwd })
    const [file = ''] = readdirSync(join(cwd, 'kept'))
    const kept = JSON.parse(readFileSync(join(cwd, 'kept', file), 'utf8')) as { readonly law: string }
    const again = await inProcess(['fuzz', '--format', 'nous', '--impl', PROGRAM, '--replay', 'kept'], { cwd })
    const ours = await inProcess(['fuzz', '--replay', 'kept'], { cwd })
    const [, replay = ''] = /again {5}callspec (fuzz .*)/.exec(run.stdout) ?? []
    const shown = await inProcess(replay.replace(/'([^']*)'/, PROGRAM.replace(' ', '\u0000')).split(' ').map((word) => word.replace('\u0000', ' ')), { cwd }) // prettier-ignore

    expect(run.code).toBe(1)
    expect(run.stdout).toMatch(
      /think-isolation: Text inside a thought is never a call.*\n {2}breach {4}draft-is-a-call\n {2}input {5}"<think>/,
    )
    expect(lastLine(run.stdout)).toMatch(LAST_LINE)
    expect(kept.law).toBe('think-isolation')
    expect([again.code, lastLine(again.stdout)]).toEqual([1, '1 kept case, 1 broken'])
    expect([ours.code, lastLine(ours.stdout)]).toEqual([0, '1 kept case, 0 broken'])
    expect(shown.code).toBe(1)
    expect(shown.stdout).toContain('draft-is-a-call')
  })

  it('counts a crash and rubbish as findings, and goes on', async () => {
    const cwd = folderWith({
      'naive.mjs': NAIVE,
      'corpus.jsonl': ['CRASH', 'RUBBISH', 'fine'].map((output) => `${JSON.stringify({ output })}\n`).join(''),
    })

    const run = await inProcess(
      ['fuzz', '--format', 'nous', '--impl', PROGRAM, '--law', 'totality', '--law', 'deterministic', '--runs', '30', '--corpus', 'corpus.jsonl'], // prettier-ignore
      { cwd },
    )

    expect(run.code).toBe(1)
    expect(run.stdout).toMatch(/breach {4}(?:crashed|garbled)/)
    expect(lastLine(run.stdout)).toMatch(LAST_LINE)
  })

  it('searches with threads from recorded outputs', async () => {
    const cwd = folderWith({ 'outputs/a.txt': '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>' })

    const run = await inProcess(['fuzz', '--format', 'nous', '--corpus', 'outputs', '--runs', '20'], { cwd })

    expect(run.code).toBe(0)
    expect(lastLine(run.stdout)).toMatch(LAST_LINE)
  })

  it.each([
    [[], 'Which format? Give --format NAME (callspec formats lists them), or a file such as ./my-format.mjs.'],
    [['--format', 'nouse'], 'Unknown format "nouse". Did you mean nous? callspec formats lists all; a file such as ./my-format.mjs is one, too.'], // prettier-ignore
    [['--format', 'nous', '--runs', '3', '--time', '3s'], '--runs and --time contradict each other. Give one.'],
    [['--format', 'nous', '--time', 'soon'], '--time must be a time from 1ms to 168h such as 90s or 500ms, got "soon"'],
    [['--format', 'nous', '--path', '3'], '--path belongs to one law. Give --law as the finding prints it.'],
    [['--format', 'nous', '--corpus', 'none'], '--corpus none: no such file or folder'],
  ])('%j is misuse', async (words, message) => {
    const cwd = folderWith({})
    const run = await inProcess(['fuzz', ...words], { cwd })

    expect([run.code, run.stdout]).toEqual([2, ''])
    expect(run.stderr).toBe(`callspec: ${message}\n`)
  })

  it('names the known laws', async () => {
    const run = await inProcess(['fuzz', '--format', 'nous', '--law', 'gravity'])

    expect(run.code).toBe(2)
    expect(run.stderr).toContain('--law "gravity" is unknown. Known: totality, ')
  })

  it('ends as broken machinery when a program cannot begin', async () => {
    const run = await inProcess(['fuzz', '--format', 'nous', '--impl', 'exit 1'])

    expect(run.code).toBe(3)
    expect(run.stderr).toContain('exit 1: ')
  })
})

/** Says that it was asked, and never answers. */
const SILENT = `
import { createInterface } from 'node:readline'
import { writeFileSync } from 'node:fs'
const supports = [{ operations: ['parse'], formats: ['nous'] }]
for await (const line of createInterface({ input: process.stdin })) {
  if (JSON.parse(line).cmd === 'start')
    process.stdout.write(JSON.stringify({ protocol: 1, name: 'silent', version: '1', supports }) + '\\n')
  else writeFileSync('asked', '')
}
`

/** Reads in the main thread; another thread never ends with its last text. */
const HANGS = `
import { writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { nous } from ${JSON.stringify(new URL('../../core/dist/qwen-agent.js', import.meta.url))}
let texts = 0
const read = (text, options) => {
  if (!isMainThread && ++texts > 300) {
    writeFileSync('hanging', '')
    for (;;);
  }
  return nous.read(text, options)
}
export const format = { ...nous, read }
`

const HANGING = ['fuzz', '--format', 'nous', '--impl', 'node silent.mjs', '--time-limit', '600000']

describe('a search that is ended', () => {
  it('by its time waits for no answer of a program', async () => {
    const cwd = folderWith({ 'silent.mjs': SILENT })

    const run = await inProcess([...HANGING, '--time', '1s'], { cwd })

    expect([run.code, lastLine(run.stdout)]).toEqual([0, '0 texts, 0 with a call, 0 violations, seed 0'])
  })

  it('by Ctrl-C waits for none either, and prints what was found', async () => {
    const cwd = folderWith({ 'silent.mjs': SILENT })
    const child = spawn(process.execPath, [BINARY, ...HANGING], { cwd, stdio: ['ignore', 'pipe', 'ignore'] })
    const stdout: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
    const closed = new Promise<number | null>((settle) => child.on('close', settle))
    while (!existsSync(join(cwd, 'asked'))) await delay(20)

    child.kill('SIGINT')

    expect(await closed).toBe(130)
    expect(lastLine(Buffer.concat(stdout).toString())).toBe('0 texts, 0 with a call, 0 violations, seed 0')
  })

  it('by Ctrl-C waits for no thread, and prints what they reported', async () => {
    const cwd = folderWith({ 'hangs.mjs': HANGS })
    const words = ['fuzz', '--format', './hangs.mjs', '--jobs', '2', '--runs', '1000']
    const child = spawn(process.execPath, [BINARY, ...words], { cwd, stdio: ['ignore', 'pipe', 'ignore'] })
    const stdout: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
    const closed = new Promise<number | null>((settle) => child.on('close', settle))
    while (!existsSync(join(cwd, 'hanging'))) await delay(20)

    child.kill('SIGINT')

    expect(await closed).toBe(130)
    expect(lastLine(Buffer.concat(stdout).toString())).toMatch(LAST_LINE)
  })

  it('in this process gives others their turn, and what it has seen', async () => {
    const request = { format: 'nous', profile: null, impl: null, jobs: 1, timeLimit: 5000 }
    const batch = { seed: 0, runs: 1_000_000, without: new Set<LawId>(), known: [] }
    const where = { threads: null, texts: null, path: null, laws: LAWS, signal: new AbortController().signal }
    let isOver = false
    setImmediate(() => (isOver = true))

    const { texts } = await searchOnce(await chooseSubject(request), { ...batch, ...where, isOver: () => isOver })

    expect(texts).toBeLessThan(1000)
  })
})

describe('kept cases of the repository', () => {
  it('hold', async () => {
    const root = fileURLToPath(new URL('../../../fixtures/', import.meta.url))
    const folders = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /(?:^|\/)regressions$/.test(name),
    )
    for (const folder of folders) {
      const run = await inProcess(['fuzz', '--replay', join(root, folder)])
      expect([folder, run.code]).toEqual([folder, 0])
    }
  })
})
