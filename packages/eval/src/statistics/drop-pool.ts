import { randomSource } from './random.ts'
import { signFlip } from './sign-flip.ts'
import { mean, sampleDeviation } from './tally.ts'

/** One task on both sides: of every try, hits and what they are a share of. */
export interface ShareTries {
  readonly before: readonly Hits[]
  readonly after: readonly Hits[]
}

type Hits = readonly [hits: number, of: number]

/**
 * Makes differences per task, before minus after, as they would be if a share of the hits of the side after had been lost:
 * about `size` of them, all tasks alike often.
 *
 * Which of two sides without a shown difference is called the one after is chance, so every task stands there both ways. Where
 * one is better, tasks stay as they are.
 *
 * Tries of a task fall together as far as they vary together: where they are always alike, as at temperature 0, a reply that
 * goes wrong does so in all of them. How far that is, is the part of the variance between the two sides of a task that its
 * tries do not explain.
 */
export function createDropPool(tasks: readonly ShareTries[], size: number): (lost: number) => Float64Array {
  const differences = tasks.map(({ before, after }) => shareOf(before) - shareOf(after))
  const isLevel = signFlip({ values: differences, denominator: null }).p >= 0.05
  const ways = tasks.flatMap(({ before, after }) =>
    isLevel ? [wayOf(before, after), wayOf(after, before)] : [wayOf(before, after)],
  )
  const together = togetherness(tasks, { differences, isLevel })
  const times = Math.max(1, Math.ceil(size / Math.max(1, ways.length)))
  return (lost) => {
    // The same coins for every share, so that more lost means more lost everywhere.
    const random = randomSource(size)
    const pool = new Float64Array(ways.length * times)
    for (const [at, way] of ways.entries())
      for (let time = 0; time < times; time += 1)
        pool[at * times + time] = way.before - keptHits(way, { lost, random, isShared: random() < together }) / way.of
    return pool
  }
}

/** A task seen from one side: the share before, and the hits after in all tries, and in how many tries there is a j-th one. */
interface Way {
  readonly before: number
  readonly of: number
  readonly hits: number
  readonly perPlace: readonly number[]
}

/** More hits of one try are thinned evenly: nobody sees the difference, and a file may name any number. */
const MOST_COINS = 64

function wayOf(before: readonly Hits[], after: readonly Hits[]): Way {
  const [hits, of] = totalOf(after)
  const most = Math.max(0, ...after.map(([own]) => own))
  const places = most > MOST_COINS ? 0 : most
  const perPlace = Array.from({ length: places }, (_, place) => after.filter(([own]) => own > place).length)
  return { before: shareOf(before), hits, of: Math.max(1, of), perPlace }
}

interface Losing {
  readonly lost: number
  readonly random: () => number
  readonly isShared: boolean
}

function keptHits({ hits, perPlace }: Way, { lost, random, isShared }: Losing): number {
  if (perPlace.length === 0) return hits * (1 - lost)
  let kept = 0
  for (const tries of perPlace) {
    if (isShared) kept += random() >= lost ? tries : 0
    else for (let each = 0; each < tries; each += 1) kept += random() >= lost ? 1 : 0
  }
  return kept
}

/** From 0, tries of a task are independent, to 1, they are always alike. */
function togetherness(
  tasks: readonly ShareTries[],
  { differences, isLevel }: { readonly differences: readonly number[]; readonly isLevel: boolean },
): number {
  const sides = tasks.flatMap(({ before, after }) => [before, after]).filter((tries) => tries.length > 1)
  const variances = sides.map((tries) => (sampleDeviation(tries.map(([hits, of]) => hits / Math.max(1, of))) ?? 0) ** 2)
  const within = mean(variances) ?? 0
  if (within === 0) return 1
  const tries = mean(sides.map(({ length }) => length)) ?? 1
  const squares = isLevel ? mean(differences.map((each) => each ** 2)) : (sampleDeviation(differences) ?? 0) ** 2
  const common = Math.max(0, (squares ?? 0) / 2 - within / tries)
  return common / (common + within)
}

function shareOf(tries: readonly Hits[]): number {
  const [hits, of] = totalOf(tries)
  return of === 0 ? 0 : hits / of
}

function totalOf(tries: readonly Hits[]): Hits {
  return tries.reduce(([hits, of], [more, by]): Hits => [hits + more, of + by], [0, 0])
}
