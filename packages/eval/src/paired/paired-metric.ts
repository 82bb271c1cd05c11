import type { Better } from '../metrics/rates.ts'
import type { EpisodeOutcome } from './outcome.ts'

/** What can be compared pair by pair, by the names of rates and figures; shares first. */
export const PAIRED_METRICS = [
  'task_success',
  'clean_stop_rate',
  'strict_parse_rate',
  'parse_rate',
  'calls_per_episode',
  'turns_per_episode',
  'tokens_per_episode',
] as const

/** A figure that can be compared pair by pair. */
export type PairedMetric = (typeof PAIRED_METRICS)[number]

/** How a figure is made of episodes. */
export interface PairedSpec {
  /** Null where more is neither better nor worse. */
  readonly better: Better | null
  /** Whether the figure is a share, to be shown in points. */
  readonly isShare: boolean
  /** What is summed over what; null where it is not known of an episode, and then the pair is left out. */
  readonly parts: (outcome: EpisodeOutcome) => readonly [sum: number, of: number] | null
}

const share = (parts: PairedSpec['parts']): PairedSpec => ({ better: 'higher', isShare: true, parts })
/** A model that gives up early makes few calls, and is no better for it: what was solved on both sides is compared, without a judgement. */
const mean = (count: (outcome: EpisodeOutcome) => number | null): PairedSpec => ({
  ...{ better: null, isShare: false },
  parts: (outcome) => {
    const counted = outcome.success ? count(outcome) : null
    return counted === null ? null : [counted, 1]
  },
})

/** Every figure that is compared, by its name. */
export const PAIRED: Readonly<Record<PairedMetric, PairedSpec>> = {
  task_success: share(({ success }) => [Number(success), 1]),
  clean_stop_rate: share(({ cleanStop }) => [Number(cleanStop), 1]),
  strict_parse_rate: share(({ strictOk, attempts }) => [strictOk, attempts]),
  parse_rate: share(({ strictOk, recovered, attempts }) => [strictOk + recovered, attempts]),
  calls_per_episode: mean(({ calls }) => calls),
  turns_per_episode: mean(({ turns }) => turns),
  tokens_per_episode: mean(({ tokens }) => tokens),
}
