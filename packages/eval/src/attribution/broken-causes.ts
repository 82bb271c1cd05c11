import type { AttributionRule, FailedTurn } from './attribution.ts'
import { at, quote } from './quotation.ts'
import { goesInCircles } from '../score/repetition.ts'
import type { TurnLine } from '../trace/trace.ts'

/** Replies that never became a completion: one that had no end, and one that its own server could not read. */
export const BROKEN_CAUSES: readonly AttributionRule<FailedTurn>[] = [
  {
    id: 'reply-stalled',
    blames: 'server',
    means:
      'Nothing came in the last half of `--timeout`. Only runs of older versions hold it; it is now requested again.',
    evidence: ({ line }) => {
      const cut = cutByTimeout(line)
      return cut?.kind === 'stalled' ? `nothing came after ${seconds(cut.lastMs)} of ${seconds(cut.ms)}` : null
    },
  },
  {
    id: 'timeout-too-short',
    blames: 'setup',
    means: 'Our own `--timeout` cut the reply off while new text was coming that did not repeat itself.',
    evidence: ({ line, input }) => {
      const cut = cutByTimeout(line)
      if (cut?.kind !== 'going-on') return null
      const more = `--timeout ${Math.ceil((LONGER * cut.ms) / 1000)}s`
      return `after ${seconds(cut.ms)} new text was still coming (${input.text.length} characters so far): set ${more}`
    },
  },
  {
    id: 'never-ends',
    blames: 'model',
    means: 'The reply went in circles until the time-out cut it, or had not ended at the size limit.',
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

/** A patience that is proposed is so many times as long. */
const LONGER = 4

/** How the time-out found a reply that it cut off. */
type TimeoutCut =
  | { readonly kind: 'stalled'; readonly ms: number; readonly lastMs: number }
  | { readonly kind: 'going-on' | 'in-circles'; readonly ms: number }

/** Decided by the times of the chunks; null for other replies, and for one that was recorded without them. */
function cutByTimeout({ failure, ms, chunks, text, reasoning, toolCalls }: TurnLine): TimeoutCut | null {
  const [, given] = failure?.kind === 'never-ends' ? (TIMEOUT.exec(failure.message) ?? []) : []
  if (given === undefined || ms === null) return null
  const isOld = given === 'in time'
  const [lastMs = null] = chunks?.at(-1) ?? []
  const onlyText = reasoning === '' && toolCalls.length === 0
  if (isOld && (lastMs === null || !onlyText)) return null
  if (isOld && lastMs !== null && ms - lastMs >= ms / 2) return { kind: 'stalled', ms, lastMs }
  const all = [text, reasoning, ...toolCalls.map((call) => call.arguments)]
  // What the server calls its time may be virtual.
  const timeout = isOld ? ms : Number.parseFloat(given.slice(WITHIN.length)) * 1000
  return { kind: all.some(goesInCircles) ? 'in-circles' : 'going-on', ms: timeout }
}

const WITHIN = 'within '
/** As `read-reply.ts` says it, and as it was said before. */
const TIMEOUT = /^the reply did not end (in time|within [\d.]+ s)$/

/** So much of the end of a reply is quoted. */
const TAIL = 40

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
