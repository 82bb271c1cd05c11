import type { Case } from './case.ts'
import { compareAnswers } from './compare.ts'
import type { Difference } from './difference.ts'
import type { Implementation, Reply } from './implementation.ts'

/** What is said about one case. The four kinds are never added together. */
export type Verdict =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed'; readonly difference: Difference }
  | { readonly kind: 'errored'; readonly reason: string }
  | { readonly kind: 'skipped'; readonly reason: string }

/** The names of the four verdicts. */
export type VerdictKind = Verdict['kind']

/** In the order in which they are printed. */
export const VERDICT_KINDS: readonly VerdictKind[] = ['passed', 'failed', 'errored', 'skipped']

/** A case, what the implementation did with it, and what that is worth. */
export interface CaseResult {
  readonly case: Case
  readonly reply: Reply
  readonly verdict: Verdict
}

/** Gives every case to the implementation, one after the other, and judges the answers. Holds one case at a time. */
export async function* runSuite(
  cases: Iterable<Case> | AsyncIterable<Case>,
  implementation: Implementation,
): AsyncGenerator<CaseResult> {
  for await (const item of cases) {
    const reply = await implementation.answer(item)
    yield { case: item, reply, verdict: judge(item, reply) }
  }
}

/** Compares an answer with what the reference gave. */
export function judge(item: Case, reply: Reply): Verdict {
  if (reply.kind === 'errored' || reply.kind === 'skipped') return reply
  const difference = compareAnswers(item.expected, reply)
  return difference === null ? { kind: 'passed' } : { kind: 'failed', difference }
}
