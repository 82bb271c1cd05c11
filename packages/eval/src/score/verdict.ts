import type { World } from '../world/world.ts'
import { stateAt } from '../world/world.ts'
import type { ExpectedCall, Verdict } from '../trace/task.ts'
import { answerReasons } from './answer.ts'

/** A call as it was made, with its result. Arguments are plain JSON data; unreadable ones are the text. */
export interface MadeCall {
  readonly name: string
  readonly args: unknown
  readonly result: string
}

export interface EpisodeRecord {
  /** The final text, without the format's marker; null for a task that asks for none. */
  readonly final: string | null
  /** The question; absent where it is not known. Its numbers are the least likely answers. */
  readonly question?: string
  readonly calls: readonly MadeCall[]
  readonly world: World
}

/** `reasons` is empty exactly when the verdict passes, and says what is missing otherwise. */
export interface VerdictOutcome {
  readonly pass: boolean
  readonly reasons: readonly string[]
}

/** Judges an episode. Reasons: no_final_answer, answer_num, answer_re, answer_re_limit, answer_all, missing_call:x, forbidden_call:x, too_many_calls, too_few_calls, too_many_identical, state:path. */
export function judgeEpisode(verdict: Verdict, episode: EpisodeRecord): VerdictOutcome {
  const reasons = [
    ...(episode.final === null ? [] : answerReasons(verdict.answer, episode.final, episode.question)),
    ...missingCalls(verdict, episode.calls).map((call) => `missing_call:${call.name}`),
    ...(verdict.mustNot ?? [])
      .filter((call) => episode.calls.some((made) => fitsCall(call, made)))
      .map((call) => `forbidden_call:${call.name}`),
    ...countReasons(verdict, episode.calls),
    ...Object.entries(verdict.state ?? {})
      .filter(([path, value]) => stateAt(episode.world, path) !== value)
      .map(([path]) => `state:${path}`),
  ]
  return { pass: reasons.length === 0, reasons }
}

/** The share of `must` that was matched, as much of it in order as can be where the verdict says so; null without `must`. */
export function progress(verdict: Verdict, calls: readonly MadeCall[]): number | null {
  const { must = [], order } = verdict
  if (must.length === 0) return null
  if (order !== 'seq') return (must.length - missingCalls(verdict, calls).length) / must.length
  const fits = (at: number, made: number): boolean => {
    const [wanted, call] = [must[at], calls[made]]
    return wanted !== undefined && call !== undefined && fitsCall(wanted, call)
  }
  return longestCommon(must.length, calls.length, fits) / must.length
}

/** The longest run of the same call with the same result. */
export function longestIdenticalRun(calls: readonly MadeCall[]): number {
  let longest = 0
  let run = 0
  let last: string | null = null
  for (const call of calls) {
    const key = callKey(call)
    run = key === last ? run + 1 : 1
    last = key
    longest = Math.max(longest, run)
  }
  return longest
}

/** One text per (name, arguments, result), independent of key order. */
export function callKey(call: MadeCall): string {
  const known = keys.get(call)
  if (known !== undefined) return known
  const key = JSON.stringify([call.name, canonicalData(call.args), call.result])
  keys.set(call, key)
  return key
}

/** Several figures ask for the same keys. */
const keys = new WeakMap<MadeCall, string>()

function countReasons(verdict: Verdict, calls: readonly MadeCall[]): readonly string[] {
  const reasons: string[] = []
  if (verdict.maxCalls !== undefined && calls.length > verdict.maxCalls) reasons.push('too_many_calls')
  if (verdict.minCalls !== undefined && calls.length < verdict.minCalls) reasons.push('too_few_calls')
  if (verdict.maxIdentical !== undefined && longestIdenticalRun(calls) > verdict.maxIdentical)
    reasons.push('too_many_identical')
  return reasons
}

function missingCalls(verdict: Verdict, calls: readonly MadeCall[]): readonly ExpectedCall[] {
  const must = verdict.must ?? []
  if (verdict.order !== 'seq') return must.filter((call) => !calls.some((made) => fitsCall(call, made)))
  let from = 0
  const absent: ExpectedCall[] = []
  for (const call of must) {
    const at = calls.findIndex((made, index) => index >= from && fitsCall(call, made))
    if (at < 0) absent.push(call)
    else from = at + 1
  }
  return absent
}

function fitsCall(expected: ExpectedCall, made: MadeCall): boolean {
  const { name, args, oneOf = {}, ifGiven = {} } = expected
  if (name !== made.name || (args !== undefined && !includes(made.args, args))) return false
  const members = typeof made.args === 'object' && made.args !== null ? (made.args as Record<string, unknown>) : {}
  const isOneOf = (key: string, values: readonly unknown[]): boolean =>
    values.some((value) => isEqual(members[key], value))
  return (
    Object.entries(oneOf).every(([key, values]) => Object.hasOwn(members, key) && isOneOf(key, values)) &&
    Object.entries(ifGiven).every(([key, values]) => !Object.hasOwn(members, key) || isOneOf(key, values))
  )
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(canonicalData(one)) === JSON.stringify(canonicalData(other))
}

/** Deep subset: every member of `part` is in `whole`; lists and leaves must be equal. */
function includes(whole: unknown, part: unknown): boolean {
  if (Array.isArray(part))
    return Array.isArray(whole) && JSON.stringify(canonicalData(whole)) === JSON.stringify(canonicalData(part))
  if (typeof part !== 'object' || part === null) return whole === part
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) return false
  const members = whole as Readonly<Record<string, unknown>>
  return Object.entries(part).every(([key, value]) => Object.hasOwn(members, key) && includes(members[key], value))
}

/** Plain JSON data with the keys of every object in one order, so that equal values have equal JSON. */
export function canonicalData(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonicalData)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, canonicalData(item)]),
  )
}

/** The length of the longest common subsequence of two lists. Time: the product of their lengths. */
export function longestCommon(left: number, right: number, fits: (left: number, right: number) => boolean): number {
  let above: readonly number[] = []
  for (let one = 0; one < left; one += 1) {
    const row = [0]
    for (let other = 0; other < right; other += 1)
      row.push(fits(one, other) ? (above[other] ?? 0) + 1 : Math.max(above[other + 1] ?? 0, row[other] ?? 0))
    above = row
  }
  return above[right] ?? 0
}
