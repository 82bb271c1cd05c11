import { shrinkSample } from './shrink.ts'
import type { Sample } from './sample.ts'

/**
 * `shrinkSample` with answers that have to be waited for: it runs again and again with what is known so far, and stops at the
 * first question whose answer is not. The work beside the questions is small.
 *
 * @param limits `mostAsked`: how many samples are asked about, for programs take longer to answer than functions; `isOver`:
 *   whether to stay with what is known
 */
export async function shrinkSampleAsync(
  sample: Sample,
  fails: (smaller: Sample) => Promise<boolean>,
  limits: { readonly mostAsked: number; readonly isOver?: () => boolean },
): Promise<Sample> {
  const { mostAsked, isOver = never } = limits
  const known = new Map<string, boolean>()
  for (;;) {
    let asked: Sample | null = null
    const smallest = shrinkSample(sample, (smaller) => {
      if (asked !== null) return false
      const answer = known.get(keyOf(smaller))
      if (answer === undefined) asked = smaller
      return answer === true
    })
    if (isOver()) return smallestKnown(sample, known)
    if (asked === null || known.size >= mostAsked)
      return known.size >= mostAsked ? smallestKnown(sample, known) : smallest
    known.set(keyOf(asked), await fails(asked))
  }
}

/** What the answers so far lead to. */
function smallestKnown(sample: Sample, known: ReadonlyMap<string, boolean>): Sample {
  return shrinkSample(sample, (smaller) => known.get(keyOf(smaller)) === true)
}

function never(): boolean {
  return false
}

function keyOf({ text, cuts, other, plan }: Sample): string {
  return JSON.stringify([text, cuts, other, plan === null])
}
