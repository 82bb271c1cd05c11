import { cutsOf } from './sample.ts'
import type { Sample } from './sample.ts'

/** More samples are not tried. */
const MAX_TRIES = 1500

/**
 * Makes a failing sample smaller by its characters: fewer of them, then plainer ones, then fewer cuts, then no other text.
 * fast-check has shrunk it by what it was made of before; this goes below the pieces. A plan would no longer be true: it
 * is given up where the sample fails without it, and where it does not, the text stays as it is.
 *
 * @param fails whether a sample still fails in the same way
 */
export function shrinkSample(sample: Sample, fails: (smaller: Sample) => boolean): Sample {
  const steps = smallerSamples(sample)
  let step = steps.next()
  for (let tries = 0; step.done !== true; tries += 1) step = steps.next(tries < MAX_TRIES && fails(step.value))
  return step.value
}

/** `shrinkSample` with answers that take time; the same sample is tried once. */
export async function shrinkSampleAsync(
  sample: Sample,
  fails: (smaller: Sample) => Promise<boolean>,
  mostTries: number = MAX_TRIES,
): Promise<Sample> {
  const known = new Map<string, boolean>()
  const steps = smallerSamples(sample)
  let step = steps.next()
  while (step.done !== true) {
    const key = keyOf(step.value)
    const answer = known.get(key) ?? (known.size < mostTries && (await fails(step.value)))
    known.set(key, answer)
    step = steps.next(answer)
  }
  return step.value
}

function keyOf({ text, cuts, other, plan }: Sample): string {
  return JSON.stringify([text, cuts, other, plan === null])
}

/** Yields samples to try and receives whether each still fails; returns the smallest that does. */
type Tries = Generator<Sample, Sample, boolean>

function* smallerSamples(sample: Sample): Tries {
  const bare = { ...sample, plan: null }
  if (sample.plan !== null && !(yield bare)) return yield* withFewerCuts(sample)
  return yield* withFewerCuts(yield* withPlainer(yield* withFewer(bare)))
}

/** Leaves out runs of characters, long ones first. */
function* withFewer(sample: Sample): Tries {
  let smallest = sample
  for (let size = sample.text.length >> 1; size >= 1; size >>= 1) {
    for (let at = 0; at + size <= smallest.text.length;) {
      const smaller = without(smallest, at, at + size)
      if (yield smaller) smallest = smaller
      else at += size
    }
  }
  return smallest
}

/** Puts an `a` where it makes no difference. */
function* withPlainer(sample: Sample): Tries {
  let plainest = sample
  for (let at = 0; at < plainest.text.length; at++) {
    if (/[a-z]/.test(plainest.text.charAt(at))) continue
    const text = `${plainest.text.slice(0, at)}a${plainest.text.slice(at + 1)}`
    if (yield { ...plainest, text }) plainest = { ...plainest, text }
  }
  return plainest
}

function* withFewerCuts(sample: Sample): Tries {
  let fewest = sample.cuts.length > 0 && (yield { ...sample, cuts: [] }) ? { ...sample, cuts: [] } : sample
  for (let at = 0; at < fewest.cuts.length;) {
    const fewer = { ...fewest, cuts: fewest.cuts.toSpliced(at, 1) }
    if (yield fewer) fewest = fewer
    else at++
  }
  const plain = { ...fewest, other: '' }
  return fewest.other !== '' && (yield plain) ? plain : fewest
}

/** The sample without the characters from `start` to `end`; cuts inside of them fall on `start`. */
function without(sample: Sample, start: number, end: number): Sample {
  const cuts = sample.cuts.map((cut) => (cut <= start ? cut : Math.max(start, cut - (end - start))))
  return { ...sample, text: sample.text.slice(0, start) + sample.text.slice(end), cuts }
}

/** A sample for a law that was broken in other chunks than the sample's own. */
export function sampleIn(chunks: readonly string[], sample: Sample): Sample {
  return { ...sample, text: chunks.join(''), cuts: cutsOf(chunks) }
}
