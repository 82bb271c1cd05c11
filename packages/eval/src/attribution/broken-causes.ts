import type { AttributionRule } from './attribution.ts'
import type { FailedTurn } from './failed-turn.ts'
import { at, quote } from './quotation.ts'

/** Replies of the model that never became a completion: one that had no end, and one that its own server could not read. */
export const BROKEN_CAUSES: readonly AttributionRule<FailedTurn>[] = [
  {
    id: 'never-ends',
    blames: 'model',
    means: 'The reply had not ended when the time-out or the size limit cut it.',
    evidence: ({ input, line: { failure, ms, chunks } }) => {
      if (failure?.kind !== 'never-ends') return null
      const size = `${input.text.length} characters${ms === null ? '' : ` in ${seconds(ms)}`}`
      const last = chunks?.at(-1)?.[0] ?? null
      const silence =
        ms === null || last === null || ms - last < ms / 2 ? '' : `, the last of them after ${seconds(last)}`
      return `${failure.message}: ${size}${silence}, ${at(input.text, Math.max(0, input.text.length - TAIL))}`
    },
  },
  {
    id: 'unparsed-output',
    blames: 'model',
    means: 'The server could not read the calls in the reply and answered with an error; another tool parser might.',
    evidence: ({ line: { failure } }) =>
      failure?.kind === 'unparsed-output' ? `the server's parser refused the reply: ${quote(failure.message)}` : null,
  },
]

/** So much of the end of a reply is quoted. */
const TAIL = 40

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
