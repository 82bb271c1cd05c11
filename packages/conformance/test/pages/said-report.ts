import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import { listLines } from '../../src/run/known-failures.ts'

const SCOREBOARD = resolve(import.meta.dirname, '../../../../reports/scoreboard')

/** The results of saying the cases of formats through an engine, as scripts/said keeps it. */
export interface SaidReport {
  readonly implementation: string
  readonly cases: string
  readonly topics: readonly TopicCount[]
  readonly skipped: readonly { readonly format: string; readonly reason: string; readonly times: number }[]
  readonly notes: readonly { readonly format: string; readonly note: string; readonly times: number }[]
  /** What was answered to the cases that failed, by id; null where the engine refused the text, words where the request. */
  readonly answers: Readonly<Record<string, unknown>>
}

/** Verdicts of the cases of a format about a topic. */
export interface TopicCount {
  readonly format: string
  readonly op: string
  readonly topic: string
  readonly passed: number
  readonly failed: number
  readonly errored: number
  readonly skipped: number
}

/** One reason why cases fail, and the cases. */
export interface Deviation {
  readonly kind: string
  readonly what: string
  /** The public report, where there is one, and what it is. */
  readonly link: string | null
  readonly linkIs: string | null
  readonly cases: readonly { readonly id: string; readonly command: string }[]
}

/** What is kept of llama.cpp. */
export function readSaid(): SaidReport {
  return JSON.parse(readFileSync(resolve(SCOREBOARD, 'said/llama.cpp.json'), 'utf8')) as SaidReport
}

/** The known failures of llama.cpp by their reasons, those with the most cases first. */
export function readDeviations(): readonly Deviation[] {
  const [, ...groups] = readFileSync(resolve(SCOREBOARD, 'known/llama.cpp.txt'), 'utf8').trim().split(/\n\n+/)
  return groups.map(deviationOf).toSorted((one, other) => other.cases.length - one.cases.length)
}

function deviationOf(group: string): Deviation {
  const lines = listLines(group)
  const reason = lines.flatMap(({ kind, text }) => (kind === 'comment' ? [text] : [])).join(' ')
  const [, kind = 'unverified', words = reason] = /^\[([a-z ]+)\] (.*)$/.exec(reason) ?? []
  const [ending = '', linkIs = null, link = null] = /\. (Report[^:]*|A parser[^:]*): (https:\S+)$/.exec(words) ?? []
  const cases = lines.flatMap((line, at) =>
    line.kind === 'id'
      ? [{ id: line.text, command: lines[at + 1]?.kind === 'command' ? (lines[at + 1]?.text ?? '') : '' }]
      : [],
  )
  const what = words.slice(0, words.length - ending.length).replace(/\. No report was found on [\d-]+\.$/, '')
  return { kind, what, link, linkIs, cases }
}

/** What llama-server itself answered to cases, by verdict; those that it was not asked are not in it. */
export interface ServerAnswers {
  readonly version: string
  readonly verdictOf: (id: string) => string | null
}

/** The newest report of llama-server. */
export function readServer(): ServerAnswers {
  const folder = resolve(SCOREBOARD, '../engines')
  const reports = readdirSync(folder)
    .filter((name) => name.startsWith('llama.cpp@'))
    .map((name) => JSON.parse(readFileSync(resolve(folder, name), 'utf8')) as ServerReport)
  const newest = reports.toSorted((one, other) => (one.date < other.date ? 1 : -1))[0]
  if (newest === undefined) throw new Error('reports/engines has no report of llama.cpp. Run: pnpm engines llama.cpp')
  const verdicts = new Map(newest.deviations.map(({ id, verdict }) => [id, verdict]))
  const formats = new Set(newest.counts.map(({ format }) => format))
  const verdictOf = (id: string): string | null => {
    const [format = '', op] = id.split('/')
    return op === 'parse' && formats.has(format) ? (verdicts.get(id) ?? 'passed') : null
  }
  return { version: newest.version, verdictOf }
}

interface ServerReport {
  readonly version: string
  readonly date: string
  readonly counts: readonly { readonly format: string }[]
  readonly deviations: readonly { readonly id: string; readonly verdict: string }[]
}
