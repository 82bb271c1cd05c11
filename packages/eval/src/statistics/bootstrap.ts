import { quantile } from './quantile.ts'
import { randomSource } from './random.ts'

/** An estimate with the 95 % interval that resampling gives it. */
export interface BootstrapInterval {
  readonly estimate: number
  readonly interval: readonly [number, number]
  /** How many clusters were drawn from. */
  readonly clusters: number
  /** How many samples were drawn. */
  readonly resamples: number
}

/** How resampling is done. */
export interface BootstrapOptions {
  /** Default 1: the same data give the same interval. */
  readonly seed?: number
  /** Default: 10 000, or fewer with more than 1 000 clusters, but never below 1 000. */
  readonly resamples?: number
}

/** A figure of some sums; null where the sums have none, such as a share of nothing. */
export type Statistic = (sums: ArrayLike<number>) => number | null

/**
 * Bootstrap over clusters, percentile interval. What one task does under several seeds is not independent, so whole tasks
 * are drawn: each cluster is a list of sums (of the same things in the same order), a sample is as many clusters as there
 * are, drawn with replacement, and `statistic` turns the sums of a sample into the figure. Samples without a figure do not
 * count.
 *
 * @returns null when there is no figure, or when more than half of the samples have none
 */
export function clusterBootstrap(
  clusters: readonly (readonly number[])[],
  statistic: Statistic,
  options: BootstrapOptions = {},
): BootstrapInterval | null {
  return bootstrapAll(clusters, [statistic], options)[0] ?? null
}

/** The same for several figures of the same samples: drawing is what takes the time. */
export function bootstrapAll(
  clusters: readonly (readonly number[])[],
  statistics: readonly Statistic[],
  { seed = 1, resamples = affordable(clusters.length) }: BootstrapOptions = {},
): readonly (BootstrapInterval | null)[] {
  const width = clusters[0]?.length ?? 0
  const flat = Float64Array.from(clusters.flat())
  const random = randomSource(seed)
  const found = statistics.map((): number[] => [])
  const sums = new Float64Array(width)
  for (let sample = 0; sample < resamples && clusters.length > 0; sample += 1) {
    sums.fill(0)
    for (let drawn = 0; drawn < clusters.length; drawn += 1) {
      const start = Math.floor(random() * clusters.length) * width
      for (let column = 0; column < width; column += 1) sums[column] = (sums[column] ?? 0) + (flat[start + column] ?? 0)
    }
    for (const [index, statistic] of statistics.entries()) {
      const value = statistic(sums)
      if (value !== null) found[index]?.push(value)
    }
  }
  const whole = columnSums(flat, width)
  return statistics.map((statistic, index) => {
    const estimate = statistic(whole)
    const values = found[index] ?? []
    if (estimate === null || clusters.length === 0 || values.length * 2 < resamples) return null
    const sorted = Float64Array.from(values).sort()
    const interval = [quantile(sorted, 0.025) ?? estimate, quantile(sorted, 0.975) ?? estimate] as const
    return { estimate, interval, clusters: clusters.length, resamples }
  })
}

const RESAMPLES = 10_000
const FEWEST_RESAMPLES = 1_000
/** So many clusters are drawn in a few tenths of a second, with all that is summed of them. */
const AFFORDABLE_DRAWS = 1e7

function affordable(clusters: number): number {
  const affordableResamples = Math.floor(AFFORDABLE_DRAWS / Math.max(1, clusters))
  return Math.max(FEWEST_RESAMPLES, Math.min(RESAMPLES, affordableResamples))
}

function columnSums(flat: Float64Array, width: number): Float64Array {
  const sums = new Float64Array(width)
  for (const [index, value] of flat.entries()) sums[index % width] = (sums[index % width] ?? 0) + value
  return sums
}
