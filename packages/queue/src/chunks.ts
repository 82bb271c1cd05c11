/** What a job of BullMQ says: which run, and which episodes of its plan, by their numbers. */
export interface Chunk {
  readonly run: string
  readonly episodes: readonly number[]
}

/** A job as it is enqueued. */
export interface ChunkJob {
  readonly name: 'chunk'
  readonly data: Chunk
  readonly opts: {
    readonly jobId: string
    readonly attempts: 1
    readonly removeOnComplete: true
    readonly removeOnFail: false
  }
}

/** Enough chunks that no worker waits long for the last one of another, and not more jobs than Redis holds with ease. */
const CHUNKS = 250
const LARGEST = 64

/** How many episodes a chunk has. */
export function chunkSize(episodes: number): number {
  return Math.max(1, Math.min(LARGEST, Math.floor(episodes / CHUNKS)))
}

/**
 * Jobs for these episodes.
 *
 * @param round a number that no earlier call for the run was given: BullMQ passes over a job whose id it still knows
 */
export function* chunkJobs(
  episodes: Iterable<number>,
  { run, size, round }: { readonly run: string; readonly size: number; readonly round: number },
): Generator<ChunkJob> {
  let [held, chunk] = [[] as number[], 0]
  const job = (): ChunkJob => {
    const opts = {
      jobId: `${run}-${chunk}-${round}`,
      attempts: 1,
      removeOnComplete: true,
      removeOnFail: false,
    } as const
    chunk += 1
    return { name: 'chunk', data: { run, episodes: held }, opts }
  }
  for (const episode of episodes) {
    held.push(episode)
    if (held.length < size) continue
    yield job()
    held = []
  }
  if (held.length > 0) yield job()
}

/** The chunk that a job holds; null for one that is none. */
export function readChunk(data: unknown): Chunk | null {
  if (typeof data !== 'object' || data === null) return null
  const { run, episodes } = data as Partial<Chunk>
  if (typeof run !== 'string' || !Array.isArray(episodes)) return null
  return episodes.every((episode) => Number.isSafeInteger(episode) && episode >= 0) ? { run, episodes } : null
}

/** A chunk for people: `chunk 12, round 1`. */
export function chunkName(jobId: string): string {
  const [, chunk = '?', round = '?'] = /-(\d+)-(\d+)$/.exec(jobId) ?? []
  return `chunk ${chunk} (round ${round})`
}
