import { alternatives } from './alternatives.ts'
import type { Case } from './case.ts'
import { compareAnswers } from './compare.ts'
import { differenceLine } from './difference.ts'
import type { Difference } from './difference.ts'
import type { Implementation, Reply } from './implementation.ts'
import { comparable } from './normal-form.ts'
import type { Pair } from './answer.ts'
import { unclaimed } from './protocol/declaration.ts'

/** What is said about one case. The four kinds are never added together. */
export type Verdict =
  /** `space`: right but for white space at the edges of prose, here. */
  | { readonly kind: 'passed'; readonly space?: Difference }
  | { readonly kind: 'failed'; readonly difference: Difference }
  | { readonly kind: 'errored'; readonly reason: string }
  /** `issue`: the URL of an issue in the reason. `isUnclaimed`: it was not asked, since nobody claims the answer. */
  | { readonly kind: 'skipped'; readonly reason: string; readonly issue?: string; readonly isUnclaimed?: true }

/** The names of the four verdicts. */
export type VerdictKind = Verdict['kind']

/** In the order in which they are printed. */
export const VERDICT_KINDS: readonly VerdictKind[] = ['passed', 'failed', 'errored', 'skipped']

/** A case, what the implementation did with it, and what that is worth. */
export interface CaseResult {
  readonly case: Case
  readonly reply: Reply
  readonly verdict: Verdict
  /** It passed although it is listed as a known failure, with this reason. */
  readonly fixed?: string
  /** What it came to before it was set aside as a known failure. */
  readonly known?: Verdict
}

/** How a suite is run. */
export interface SuiteOptions {
  /** How many cases are under way at a time. Default 1. */
  readonly jobs?: number
  /** Why a case is expected to fail, when it is listed. Default: none is. */
  readonly knownFailure?: (item: Case) => string | null
  /** Whether white space at the edges of prose that differs is wrong under `strict` too. Default false: it is told. */
  readonly strictSpace?: boolean
}

/**
 * Gives the cases that the implementation claims to it, and judges the answers. Results come in the order of the cases;
 * no more than `jobs` of them are held.
 */
export async function* runSuite(
  cases: Iterable<Case> | AsyncIterable<Case>,
  implementation: Implementation,
  { jobs = 1, knownFailure = () => null, strictSpace = false }: SuiteOptions = {},
): AsyncGenerator<CaseResult> {
  const underWay: Promise<CaseResult>[] = []
  try {
    for await (const item of cases) {
      const result = resultOf(item, implementation, { knownFailure, strictSpace })
      // Nobody may be waiting for it yet when it fails.
      result.catch(() => undefined)
      underWay.push(result)
      const first = underWay.length >= jobs ? underWay.shift() : undefined
      if (first !== undefined) yield await first
    }
  } finally {
    // Also when reading the cases failed: what was asked is not left behind.
    await Promise.allSettled(underWay)
  }
  for (const result of underWay) yield await result
}

async function resultOf(
  item: Case,
  implementation: Implementation,
  { knownFailure, strictSpace }: Required<Pick<SuiteOptions, 'knownFailure' | 'strictSpace'>>,
): Promise<CaseResult> {
  const unasked = unclaimed(implementation.about, item)
  if (unasked !== null) {
    const reply = { kind: 'skipped', reason: unasked } as const
    return { case: item, reply, verdict: { ...reply, isUnclaimed: true } }
  }
  const reply = await implementation.answer(item)
  const verdict = doubted(judge(item, reply, { strictSpace }), reply)
  if (item.isSynthetic === true) return { case: item, reply, verdict: countedForNothing(item, verdict) }
  const known = knownFailure(item)
  if (known === null || verdict.kind === 'skipped') return { case: item, reply, verdict }
  if (verdict.kind === 'passed') return { case: item, reply, verdict, fixed: known }
  return { case: item, reply, verdict: skippedBecause(`known failure: ${known}`), known: verdict }
}

function countedForNothing({ cutFrom }: Case, verdict: Verdict): Verdict {
  const cut = `synthetic: no user meets replies cut "${cutFrom?.cut ?? ''}"`
  return verdict.kind === 'skipped' ? verdict : { kind: 'skipped', reason: `${cut}; ${verdict.kind}` }
}

function doubted(verdict: Verdict, reply: Reply): Verdict {
  const doubt = 'doubt' in reply ? reply.doubt : undefined
  if (verdict.kind !== 'failed' || doubt === undefined) return verdict
  return { kind: 'errored', reason: `${differenceLine(verdict.difference)}; but ${doubt}` }
}

function skippedBecause(reason: string): Verdict {
  const issue = /https?:\/\/[^\s)>"']+/.exec(reason)?.[0]
  return { kind: 'skipped', reason, ...(issue === undefined ? {} : { issue }) }
}

/** Compares an answer with what the reference gave, or with each of the answers that are right. */
export function judge(
  item: Case,
  reply: Reply,
  { strictSpace = false }: { readonly strictSpace?: boolean } = {},
): Verdict {
  if (reply.kind === 'errored') return reply
  if (reply.kind === 'skipped') return skippedBecause(reply.reason)
  const verdicts = alternatives(item).map((expected) => judgeOne(item, [expected, reply]))
  const [first = { kind: 'passed' } as const] = verdicts
  const best =
    verdicts.find((each) => each.kind === 'passed' && each.space === undefined) ??
    verdicts.find((each) => each.kind === 'passed') ??
    first
  const isSpace = best.kind === 'passed' && best.space !== undefined
  return isSpace && strictSpace ? { kind: 'failed', difference: best.space } : best
}

function judgeOne(item: Case, pair: Pair): Verdict {
  const { op, profile, format } = item
  const topic = format === undefined ? { op, profile } : { op, profile, format }
  const exact = compareAnswers(...comparable({ ...topic, edges: 'kept' }, pair))
  if (exact === null) return { kind: 'passed' }
  const difference = compareAnswers(...comparable(item, pair))
  return difference === null ? { kind: 'passed', space: exact } : { kind: 'failed', difference }
}
