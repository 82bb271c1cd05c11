/** Finds out by the times of replies whether an endpoint is asked for more than it can bear. */
export interface LatencyWatch {
  /** Takes the time of a reply and when it came, in milliseconds; says whether fewer should be asked for at the same time. */
  answered(ms: number, now: number): boolean
}

/** So many replies are looked at together. */
const WINDOW = 20

/** More than twice as slow as at best… */
const SLOWER = 2
/** … while less comes out of it: a busy server that batches is slower, and gives more. */
const FEWER = 0.75
/** What was best is forgotten by so much per window: later tasks may be longer. */
const FORGOTTEN = 1.05

/** Of an endpoint that nothing is known of. */
export function createLatencyWatch(): LatencyWatch {
  let [least, most] = [Infinity, 0]
  let [sum, count, since] = [0, 0, 0]
  return {
    answered: (ms, now) => {
      if (count === 0) since = now - ms
      sum += ms
      count += 1
      if (count < WINDOW) return false
      const [latency, rate] = [sum / count, count / Math.max(1, now - since)]
      ;[sum, count] = [0, 0]
      least = Math.min(least * FORGOTTEN, latency)
      most = Math.max(most / FORGOTTEN, rate)
      return latency > SLOWER * least && rate < FEWER * most
    },
  }
}
