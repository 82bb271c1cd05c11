import type { PyValue } from '@callspec/python'
import { dumps } from '@callspec/python'
import type { Case, Pair } from '../cases/case.ts'
import { alternatives } from '../cases/case.ts'
import { isCutInToken } from '../cases/cut-cases.ts'
import type { Difference } from '../comparison/compare.ts'
import { compareAnswers, differenceLine } from '../comparison/compare.ts'
import type { Implementation, Reply } from '../implementation.ts'
import type { Grade, NearMiss } from '../comparison/grade.ts'
import { nearMissOf } from '../comparison/grade.ts'
import type { ComparedTopic } from '../comparison/normal-form.ts'
import { comparable } from '../comparison/normal-form.ts'
import { unsupported } from '../protocol/declaration.ts'

/** The verdict on one case, in one of four kinds that are never added together; `gradeOf` says it in full. */
export type Verdict =
  /** `space`: right but for white space at the edges of prose, here. */
  | { readonly kind: 'passed'; readonly space?: Difference }
  /** `as`: what is wrong, where the answer is not simply another one. */
  | { readonly kind: 'failed'; readonly difference: Difference; readonly as?: NearMiss | 'whitespace' }
  | { readonly kind: 'errored'; readonly reason: string }
  /**
   * `issue`: the URL of an issue in the reason. `isUnclaimed`: the implementation does not declare the operation, format or version.
   * `isSynthetic`: it was asked, and the answer does not count.
   */
  | {
      readonly kind: 'skipped'
      readonly reason: string
      readonly issue?: string
      readonly isUnclaimed?: true
      readonly isSynthetic?: true
    }

/** The names of the four verdicts. */
export type VerdictKind = Verdict['kind']

/** In the order in which they are printed. */
export const VERDICT_KINDS: readonly VerdictKind[] = ['passed', 'failed', 'errored', 'skipped']

/** A case, the reply of the implementation, and the verdict. */
export interface CaseResult {
  readonly case: Case
  readonly reply: Reply
  readonly verdict: Verdict
  /** It passed although it is listed as a known failure, with this reason. */
  readonly fixed?: string
  /** Its verdict as a known failure, before it was skipped. */
  readonly known?: Verdict
  /** It is listed as a known failure of which the case may be wrong. */
  readonly isContested?: true
}

/** The verdict in full. A known failure has that of its answer. */
export function gradeOf({ verdict, known, isContested }: Omit<CaseResult, 'case' | 'reply'>): Grade {
  if (known !== undefined) return isContested === true ? 'contested' : gradeOf({ verdict: known })
  if (verdict.kind === 'passed') return verdict.space === undefined ? 'passed' : 'whitespace'
  if (verdict.kind === 'failed') return verdict.as ?? 'failed'
  return verdict.kind === 'skipped' && verdict.isSynthetic === true ? 'synthetic' : verdict.kind
}

/** How a suite is run. */
export interface SuiteOptions {
  /** How many cases are in flight at a time. Default 1. */
  readonly jobs?: number
  /** Why a case is expected to fail, when it is listed. Default: no case is. */
  readonly knownFailure?: (item: Case) => string | null
  /** As what kind of known failure a case is listed: one that is `not asked` is skipped. Default: none is listed. */
  readonly kindOf?: (item: Case) => string | null
  /** Whether white space at the edges of prose that differs is wrong under `strict` too. Default false: it passes, and is reported. */
  readonly strictSpace?: boolean
}

/**
 * Gives the cases that the implementation claims to it, and judges the answers. Results come in the order of the cases;
 * no more than `jobs` of them are held.
 */
export async function* runSuite(
  cases: Iterable<Case> | AsyncIterable<Case>,
  implementation: Implementation,
  { jobs = 1, ...options }: SuiteOptions = {},
): AsyncGenerator<CaseResult> {
  const inFlight: Promise<CaseResult>[] = []
  try {
    for await (const item of cases) {
      const result = resultOfCase(item, implementation, options)
      // It may fail before anything awaits it.
      result.catch(() => undefined)
      inFlight.push(result)
      const first = inFlight.length >= jobs ? inFlight.shift() : undefined
      if (first !== undefined) yield await first
    }
  } finally {
    // Also when reading the cases failed: no question stays in flight.
    await Promise.allSettled(inFlight)
  }
  for (const result of inFlight) yield await result
}

async function resultOfCase(
  item: Case,
  implementation: Implementation,
  { knownFailure = () => null, kindOf = () => null, strictSpace = false }: Omit<SuiteOptions, 'jobs'>,
): Promise<CaseResult> {
  const unasked = unsupported(implementation.about, item)
  if (unasked !== null) {
    const reply = { kind: 'skipped', reason: unasked } as const
    return { case: item, reply, verdict: { ...reply, isUnclaimed: true } }
  }
  const kind = kindOf(item)
  if (kind === 'not asked') return notAsked(item, knownFailure(item) ?? kind)
  const reply = await implementation.answer(item)
  const notes = implementation.about.notes === true
  const verdict = asInconclusive(judge(item, reply, { strictSpace, notes }), reply)
  const isCutWrong = implementation.about.cuts !== undefined && item.cutFrom === undefined && isCutInToken(item)
  if (item.isSynthetic === true || isCutWrong) return { case: item, reply, verdict: asSynthetic(item, verdict) }
  const known = knownFailure(item)
  if (known === null || verdict.kind === 'skipped') return { case: item, reply, verdict }
  if (verdict.kind === 'passed') return { case: item, reply, verdict, fixed: known }
  const skipped = { case: item, reply, verdict: skippedBecause(`known failure: ${known}`), known: verdict }
  return kind === 'contested' ? { ...skipped, isContested: true } : skipped
}

function notAsked(item: Case, why: string): CaseResult {
  const reply = { kind: 'skipped', reason: `not asked: ${why}` } as const
  return { case: item, reply, verdict: reply }
}

function asSynthetic({ cutFrom }: Case, verdict: Verdict): Verdict {
  const cut = `synthetic: no user sees replies cut ${cutFrom === undefined ? 'inside a token' : `"${cutFrom.cut}"`}`
  if (verdict.kind === 'skipped') return verdict
  return { kind: 'skipped', reason: `${cut}; ${verdict.kind}`, isSynthetic: true }
}

function asInconclusive(verdict: Verdict, reply: Reply): Verdict {
  const doubt = 'doubt' in reply ? reply.doubt : undefined
  if (verdict.kind !== 'failed' || doubt === undefined) return verdict
  return { kind: 'errored', reason: `${differenceLine(verdict.difference)}; but ${doubt}` }
}

function skippedBecause(reason: string): Verdict {
  const issue = /https?:\/\/[^\s)>"']+/.exec(reason)?.[0]
  return { kind: 'skipped', reason, ...(issue === undefined ? {} : { issue }) }
}

/** Compares an answer with the reference's, or with each of the right answers. `notes`: whether the implementation reports them. */
export function judge(
  item: Case,
  reply: Reply,
  { strictSpace = false, notes = false }: { readonly strictSpace?: boolean; readonly notes?: boolean } = {},
): Verdict {
  if (reply.kind === 'errored') return { kind: 'errored', reason: reply.reason }
  if (reply.kind === 'skipped') return skippedBecause(reply.reason)
  const counted = notes ? ({ notes: 'as expected' } as const) : {}
  const verdicts = alternatives(item).map((expected) => judgeOne(item, [expected, reply], counted))
  const [first = { kind: 'passed' } as const] = verdicts
  const best =
    verdicts.find((each) => each.kind === 'passed' && each.space === undefined) ??
    verdicts.find((each) => each.kind === 'passed') ??
    first
  if (best.kind === 'passed' && best.space !== undefined && strictSpace)
    return { kind: 'failed', difference: best.space, as: 'whitespace' }
  if (best.kind !== 'failed') return best
  const as = nearMissOf(item, reply, counted)
  return as === null ? best : { ...best, as }
}

function judgeOne({ op, profile, format }: Case, pair: Pair, counted: Pick<ComparedTopic, 'notes'>): Verdict {
  const topic = { op, profile, ...(format === undefined ? {} : { format }), ...counted }
  const exact = compareAnswers(...comparable({ ...topic, edges: 'kept' }, pair))
  if (exact === null) return { kind: 'passed' }
  const difference = compareAnswers(...comparable(topic, pair))
  return difference === null ? { kind: 'passed', space: exact } : { kind: 'failed', difference }
}

/** The version of the form of a result; `schemas/result-line.schema.json` describes it. */
const RESULT_VERSION = 1

/** Where a result comes from: the version of the cases (null: the user's own), and name and version of who answered. */
export interface ResultOrigin {
  readonly cases: string | null
  readonly implementation: string
}

/**
 * One result as one line of JSON (without line break): `id`, `op`, `profile`, `verdict` and `grade`, then `actual` or `error` as the
 * implementation answered, in the form of the vector files, and `reason` unless it passed (and `issue`, a URL in it;
 * `fixed` where a known failure passed; `raw` where a program or server failed; `notes` on the answer). ASCII; ints and floats, unpaired surrogates and the order of keys are kept. When
 * the origin is given, last come `result` (the version of this form), `cases` and `implementation`.
 */
export function resultLine(result: CaseResult, origin?: ResultOrigin): string {
  const { case: item, reply, verdict, fixed, known } = result
  const line = new Map<string, PyValue>([
    ['id', item.id],
    ['op', item.op],
    ['profile', item.profile],
    ['verdict', verdict.kind],
    ['grade', gradeOf(result)],
  ])
  if (reply.kind === 'returned') line.set('actual', reply.value)
  if (reply.kind === 'raised') line.set('error', errorOf(reply.error))
  const reason = reasonOf(verdict)
  if (reason !== null) line.set('reason', reason)
  if (verdict.kind === 'skipped' && verdict.issue !== undefined) line.set('issue', verdict.issue)
  if (fixed !== undefined) line.set('fixed', fixed)
  const raw = rawOf({ reply, verdict: known ?? verdict })
  if (raw !== null) line.set('raw', raw)
  if ('notes' in reply && reply.notes !== undefined) line.set('notes', reply.notes)
  if (origin !== undefined) line.set('result', BigInt(RESULT_VERSION))
  if (origin !== undefined && origin.cases !== null) line.set('cases', origin.cases)
  if (origin !== undefined) line.set('implementation', origin.implementation)
  return dumps(line, { ensureAscii: true })
}

/** The beginning of what a program or server sent, where it failed a case; null elsewhere. */
export function rawOf({ reply, verdict }: Pick<CaseResult, 'reply' | 'verdict'>): string | null {
  const isFailure = verdict.kind === 'failed' || verdict.kind === 'errored'
  return isFailure && 'raw' in reply ? (reply.raw ?? null) : null
}

/** Why a case did not pass, on one line; null when it did. */
export function reasonOf(verdict: Verdict): string | null {
  if (verdict.kind === 'passed') return null
  return verdict.kind === 'failed' ? differenceLine(verdict.difference) : verdict.reason
}

function errorOf({ type, message }: { readonly type: string; readonly message: string }): PyValue {
  return new Map([
    ['type', type],
    ['message', message],
  ])
}

/** How many cases got which verdict. */
export type Counts = Readonly<Record<VerdictKind, number>>

/** Counts without any case. */
export function noCounts(): Record<VerdictKind, number> {
  return { passed: 0, failed: 0, errored: 0, skipped: 0 }
}

/** All counts together, each verdict by itself. */
export function sumCells(all: readonly (Counts | null)[]): Counts {
  const total = noCounts()
  for (const counts of all) for (const kind of VERDICT_KINDS) total[kind] += counts?.[kind] ?? 0
  return total
}
