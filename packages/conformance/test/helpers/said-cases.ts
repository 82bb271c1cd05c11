import { isDict } from '@callspec/python'
import { openHttp, reasonOf, runSuite } from '../../src/index.ts'
import type { Case, CaseResult, Verdict } from '../../src/index.ts'
import type { HttpOptions } from '../../src/drivers/http/http-implementation.ts'
import { builtInCases, findCaseFiles, readCases } from '../../src/index.ts'
import type { Door } from './llama-door.ts'
import { readSaid } from '../pages/said-report.ts'
import type { SharedTemplate } from './shared-templates.ts'

/** What the kept answers are about: what is known to fail is known of these alone. Cases that came later were not said. */
const SAID: ReadonlySet<string> = new Set(readSaid().topics.map(({ format, op, topic }) => `${format}/${op}/${topic}`))

/** Whether any case of a format was said. */
export function wasSaid(format: string): boolean {
  return [...SAID].some((place) => place.startsWith(`${format}/`))
}

/** The format, operation and topic in the id of a case. */
function placeOf({ id }: Case): string {
  return id.slice(0, id.indexOf('#'))
}

/** The strict cases of a format that an engine can be made to say, or those of other operations. */
export async function strictCases(
  format: string,
  ops: readonly string[] = ['parse', 'stream'],
): Promise<readonly Case[]> {
  const found: Case[] = []
  for await (const item of readCases(await findCaseFiles([await builtInCases()])))
    if (ops.includes(item.op) && item.format === format && item.profile === 'strict' && SAID.has(placeOf(item)))
      found.push(item)
  return found
}

/** The cases of the prompts that a template makes: those that name it, and the strict ones where it writes the texts of a format. */
export async function promptCases({
  format,
  sha256,
  rendersOnly,
}: Omit<SharedTemplate, 'text'>): Promise<readonly Case[]> {
  const profiles = [...(rendersOnly === true ? [] : ['strict']), `chat-template@${sha256.slice(0, 12)}`]
  prompts ??= allPrompts()
  return (await prompts).filter(
    (item) =>
      item.format === format && profiles.includes(item.profile) && !isAskedOfMakers(item) && SAID.has(placeOf(item)),
  )
}

/** Whether a case states what the prompts of a maker's program and of chat templates have in common: llama.cpp is asked the template's. */
export function isAskedOfMakers({ op, format, profile, expected }: Case): boolean {
  const statesProperties = expected.kind === 'returned' && isDict(expected.value) && expected.value.has('properties')
  return op === 'render' && format !== 'nous' && profile === 'strict' && statesProperties
}

let prompts: Promise<readonly Case[]> | null = null

async function allPrompts(): Promise<readonly Case[]> {
  const found: Case[] = []
  for await (const item of readCases(await findCaseFiles([await builtInCases()])))
    if (item.op === 'render') found.push(item)
  return found
}

/** Some of them, always the same for a seed. */
export function drawn(
  cases: readonly Case[],
  { count, seed }: { readonly count: number; readonly seed: number },
): readonly Case[] {
  const step = 7919 * seed + 1
  return Array.from({ length: count }, (_, at) => cases[(at * step) % cases.length]).filter(
    (item) => item !== undefined,
  )
}

/** The results of saying cases through a door. */
export interface Said {
  readonly counts: Readonly<Record<Verdict['kind'], number>>
  readonly remarks: readonly string[]
  /** `id: why`, for those that neither passed nor were skipped. */
  readonly wrong: readonly string[]
}

/** Says the cases and judges what the engine reads in them. */
export function saidBy(door: Door, cases: readonly Case[]): Promise<Said> {
  return judged(door, cases, { say: { mode: 'auto', readsText: true, maxTokens: 2000 } })
}

/** Judges the prompts that the engine makes of conversations. */
export function renderedBy(door: Door, cases: readonly Case[]): Promise<Said> {
  return judged(door, cases, {})
}

async function judged(door: Door, cases: readonly Case[], how: Pick<HttpOptions, 'say'>): Promise<Said> {
  const formats = [...new Set(cases.map(({ format = '' }) => format))]
  const implementation = await openHttp(door.url, { timeLimit: 300_000, formats, ...how })
  const results: CaseResult[] = []
  for await (const result of runSuite(cases, implementation)) results.push(result)
  const count = (kind: Verdict['kind']): number => results.filter(({ verdict }) => verdict.kind === kind).length
  return {
    counts: { passed: count('passed'), failed: count('failed'), errored: count('errored'), skipped: count('skipped') },
    remarks: implementation.remarks?.() ?? [],
    wrong: results
      .filter(({ verdict }) => verdict.kind === 'failed' || verdict.kind === 'errored')
      .map((result) => `${result.case.id}: ${reasonOf(result.verdict) ?? ''}`),
  }
}
