import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import type { Case } from '../src/cases/case.ts'
import { findCaseFiles, openSession, readCases, reasonOf, runSuite, smokeTest } from '../src/index.ts'
import type { CaseResult, Implementation } from '../src/index.ts'
import type { SessionOptions } from '../src/drivers/session.ts'
import { REPOSITORY } from './helpers/cases.ts'

const LIAR = resolve(import.meta.dirname, 'helpers/liar.mjs')
const open: Implementation[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close?.()
})

/** The case `n`: the text `n` is prose. */
function prose(n: number): Case {
  const items = [
    new Map([
      ['type', 'text'],
      ['text', `${n}`],
    ]),
  ]
  return {
    id: `case ${n}`,
    op: 'parse',
    format: 'nous',
    profile: 'strict',
    input: new Map([['text', `${n}`]]),
    expected: { kind: 'returned', value: new Map([['items', items]]) },
    where: 'here',
  }
}

async function session(command: string, options: Partial<SessionOptions> = {}): Promise<Implementation> {
  const opened = await openSession(command, { timeLimit: 10_000, version: '1', ...options })
  open.push(opened)
  return opened
}

/** The results of ten cases, three of them under way at a time. */
function tenCases(implementation: Implementation): Promise<readonly CaseResult[]> {
  return results(
    Array.from({ length: 10 }, (_, at) => prose(at + 1)),
    implementation,
  )
}

async function results(cases: readonly Case[], implementation: Implementation): Promise<readonly CaseResult[]> {
  const found: CaseResult[] = []
  for await (const result of runSuite(cases, implementation, { jobs: 3 })) found.push(result)
  return found
}

/** `P` passed, `F` failed, `E` errored, `S` skipped. */
function verdicts(results: readonly CaseResult[]): string {
  return results.map(({ verdict }) => verdict.kind.slice(0, 1).toUpperCase()).join('')
}

function reasons(results: readonly CaseResult[]): readonly string[] {
  return [...new Set(results.flatMap(({ verdict }) => reasonOf(verdict) ?? []))]
}

/** The message about each vice; the number is the time limit of a case. */
const VICES: readonly (readonly [string, string, readonly (string | RegExp)[], number])[] = [
  ['honest', 'PPPPPPPPPP', [], 10_000],
  ['always wrong', 'FFFFFFFFFF', [/^items\[0\]\.text: other text from character 0/], 10_000],
  ['says that it broke', 'EEEEEEEEEE', ['says that it broke: "out of memory"'], 10_000],
  ['declines', 'SSSSSSSSSS', ['no tools here'], 10_000],
  ['rubbish', 'EEEEEEEEEE', [/^wrote to stdout what is no message: "Loading the model …"/], 10_000],
  [
    'another shape',
    'EEEEEEEEEE',
    [/^gave an output that is not one of "parse": .*required property "items" or "calls"/],
    10_000,
  ],
  ['two answers in one', 'EEEEEEEEEE', [/^gave an answer with output and skipped of output, rejected, /], 10_000],
  ['floods stderr', 'PPPPPPPPPP', [], 10_000],
  ['crashes at 7', 'PPPPPPEPPP', ['exited with code 3 instead of answering'], 10_000],
  ['hangs at 7', 'PPPPPPEPPP', ['gave no answer within 400 ms'], 400],
  ['out of order', 'PPPPPPEPPP', ['answered question 8; it was asked question 7'], 10_000],
  ['answers with 100 MB', 'PPPPPPEPPP', [/^wrote a line of more than 16777216 bytes instead of answering/], 10_000],
  ['invalid UTF-8', 'PPPPPPEPPP', [/^(wrote a line that is not UTF-8 to stdout|answered question 8)/], 10_000],
]

describe('an implementation in a session', () => {
  it.each(VICES)('%s: %s', async (vice, expected, texts, timeLimit) => {
    const results = await tenCases(await session(`node ${LIAR} '${vice}'`, { timeLimit }))

    expect(verdicts(results)).toBe(expected)
    expect(reasons(results).map((reason) => texts.some((text) => matches(reason, text)) || reason)).toEqual(
      reasons(results).map(() => true),
    )
    expect(reasons(results).length > 0).toBe(texts.length > 0)
  })

  it('answers twice: no case that it answered twice passes unnoticed', async () => {
    const results = await tenCases(await session(`node ${LIAR} 'answers twice'`))

    // The second answer may come so late that the next question is the one to notice.
    expect(verdicts(results)).not.toMatch(/PP/)
    expect(reasons(results).every((reason) => /^answered (twice|question \d+ again)$/.test(reason))).toBe(true)
  })

  it('wrong id: costs the case at once, not its time limit', async () => {
    const began = performance.now()

    const [first] = await results([prose(1)], await session(`node ${LIAR} 'wrong id'`, { timeLimit: 60_000 }))

    expect(reasonOf((first as CaseResult).verdict)).toMatch(/^answered question 1001; it was asked question 1$/)
    expect(performance.now() - began).toBeLessThan(30_000)
  })

  it('ends what ignores SIGTERM, and what it has forked', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'callspec-liar-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'pids')

    const results = await tenCases(
      await session(`node ${LIAR} 'ignores SIGTERM and forks' ${file}`, { timeLimit: 500 }),
    )
    const pids = readFileSync(file, 'utf8').split(' ').map(Number)

    expect(verdicts(results)).toBe('PPPPPPEPPP')
    expect(pids.filter((pid) => pid > 0)).toHaveLength(2)
    await vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]), { timeout: 5000 })
  })

  it('is not asked again and again when it cannot be started again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'callspec-liar-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const once = `mkdir ${join(folder, 'started')} || exit 5; exec node ${LIAR} 'crashes at 7'`

    const results = await tenCases(await session(once))

    expect(verdicts(results)).toBe('PPPPPPEEEE')
    expect(reasons(results).at(-1)).toContain('cannot be started again: ')
  })

  it('leaves no process that was being started again when it was closed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'callspec-liar-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const pid = join(folder, 'pid')
    const slow = `mkdir ${join(folder, 'started')} || { echo $$ > ${pid}; sleep 1; exec node ${LIAR} honest; }; exec node ${LIAR} 'crashes at 7'`
    const opened = await session(slow)
    const results = tenCases(opened)
    await vi.waitFor(() => expect(readFileSync(pid, 'utf8')).toMatch(/\d\n/), { timeout: 10_000 })

    await opened.close?.()

    expect(reasons(await results).at(-1)).toBe('the session is closed')
    await vi.waitFor(() => expect(isRunning(Number(readFileSync(pid, 'utf8')))).toBe(false), { timeout: 5000 })
  })
})

describe('a program that streams deltas', () => {
  const MINI_KIMI = resolve(import.meta.dirname, 'helpers/mini-kimi.mjs')
  const folder = resolve(REPOSITORY, 'fixtures/kimi-k2/stream')

  it.each(['', 'functions.other:9'])('passes with the first id of each call: later ones %j', async (later) => {
    const cases: Case[] = []
    for await (const item of readCases(await findCaseFiles([folder]))) if (item.profile === 'strict') cases.push(item)

    const judged = await results(cases, await session(`node ${MINI_KIMI} ${later}`))

    expect(judged.filter(({ verdict }) => verdict.kind !== 'passed').map(({ case: { id } }) => id)).toEqual([])
    expect(judged.length).toBeGreaterThan(40)
  })
})

describe('an implementation that cannot be asked', () => {
  it.each([
    ['another protocol', /speaks protocol "2"; this callspec speaks protocol 1$/],
    ['chatters before it starts', /wrote to stdout what is no message: "Welcome"\./],
    ['never starts', /did not answer "start" within 300 ms \(an answer is a line, flushed at once\)$/],
  ])('%s', async (vice, message) => {
    await expect(
      session(`node ${LIAR} '${vice}'`, { startLimit: vice === 'never starts' ? 300 : 20_000 }),
    ).rejects.toThrow(message)
  })

  it.each([
    [
      'no-such-program',
      /^no-such-program: could not be started: sh found no such command .*before it answered "start"; its/,
    ],
    ['echo boom >&2; exit 4', /exited with code 4 before it answered "start"; its stderr ends with: boom$/],
    [`node -e 'throw new TypeError("no parser here")'`, /its stderr ends with: TypeError: no parser here$/],
  ])('%s', async (command, message) => {
    await expect(session(command)).rejects.toThrow(message)
  })

  it('is found out by the smoke test, before it is judged', async () => {
    const broken =
      'read line; echo \'{"protocol": 1, "name": "x", "version": "1", "supports": [{"operations": ["parse"]}]}\''

    await expect(smokeTest(await session(broken))).rejects.toThrow(
      /^x: broken, not judged\. The smoke question smoke\/nous\/parse /,
    )
  })
})

function matches(text: string, pattern: string | RegExp): boolean {
  return typeof pattern === 'string' ? text === pattern : pattern.test(text)
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A killed process that was not yet waited for is still in the table.
    return !/\) Z /.test(existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '')
  } catch {
    return false
  }
}
