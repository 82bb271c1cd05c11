import type { EpisodeScore } from '../judging/score-episode.ts'
import type { Counts } from '../statistics/tally.ts'
import { addTo, inOrder } from '../statistics/tally.ts'
import { BLAMED, causeKey } from '../trace/attribution.ts'
import type { Attribution, Blamed } from '../trace/attribution.ts'
import { createRowCounts, settledCause } from './row-counts.ts'
import type { RowCounts } from './row-counts.ts'

/** How often something was the cause of a failure. */
export interface Cause {
  readonly blames: Blamed
  /** Id of the rule, see `TURN_CAUSES` and `EPISODE_CAUSES`. */
  readonly rule: string
  /** The repair that would have been needed; null where the rule has no such thing. */
  readonly detail: string | null
  /** Turns that failed because of it, and episodes. */
  readonly turns: number
  readonly episodes: number
  /** The evidence of the first one. May hold model text. */
  readonly example: string
}

/** Who is to blame, counted. */
export interface Blame {
  readonly turns: Counts<Blamed>
  readonly episodes: Counts<Blamed>
  /** Most episodes first, then most turns. */
  readonly causes: readonly Cause[]
  /** What the counts of the row say, where a cause is another one because of it. */
  readonly counts?: RowCounts
}

/** The causes of several rows as those of one: each once, in the order in which they come, with its counts added up. */
export function mergedCauses(blames: readonly Pick<Blame, 'causes'>[]): readonly Cause[] {
  const found = new Map<string, Cause>()
  for (const cause of blames.flatMap(({ causes }) => causes)) {
    const key = causeKey(cause)
    const known = found.get(key)
    const [turns, episodes] = [(known?.turns ?? 0) + cause.turns, (known?.episodes ?? 0) + cause.episodes]
    found.set(key, { ...(known ?? cause), turns, episodes })
  }
  return [...found.values()]
}

/** The entry of a cause among those of a row. */
export function sameCause(cause: Pick<Cause, 'rule' | 'detail'>, causes: readonly Cause[]): Cause | undefined {
  const key = causeKey(cause)
  return causes.find((each) => causeKey(each) === key)
}

/** Counts causes. What is kept does not grow with the run: rules are few. */
export function createBlame(): { add(score: EpisodeScore): void; result(): Blame } {
  const counts = createRowCounts()
  const found = new Map<string, { readonly first: Attribution; turns: number; episodes: number }>()
  const count = (attribution: Attribution | null, of: 'turns' | 'episodes'): void => {
    if (attribution === null) return
    const { instead } = attribution
    const key = `${causeKey(attribution)}${instead === undefined ? '' : causeKey(instead)}`
    const known = found.get(key) ?? { first: attribution, turns: 0, episodes: 0 }
    known[of] += 1
    found.set(key, known)
  }
  return {
    add: (score) => {
      counts.add(score)
      for (const turn of score.turns) count(turn.attribution, 'turns')
      count(score.attribution, 'episodes')
    },
    result: () => {
      const row = counts.result()
      const settled = [...found.values()].map(({ first, ...times }) => ({
        ...times,
        first,
        cause: settledCause(first, row),
      }))
      const [turns, episodes] = [new Map<Blamed, number>(), new Map<Blamed, number>()]
      for (const { cause, ...times } of settled) {
        if (times.turns > 0) addTo(turns, cause.blames, times.turns)
        if (times.episodes > 0) addTo(episodes, cause.blames, times.episodes)
      }
      const isOther = settled.some(({ first, cause }) => first.rule !== cause.rule)
      return {
        turns: inOrder(turns, BLAMED),
        episodes: inOrder(episodes, BLAMED),
        causes: mergedCauses([
          {
            causes: settled.map(
              ({ cause: { blames, rule, detail, evidence }, turns: ofTurns, episodes: ofEpisodes }) => ({
                ...{ blames, rule, detail, turns: ofTurns, episodes: ofEpisodes },
                example: evidence,
              }),
            ),
          },
        ]).toSorted((one, other) => other.episodes - one.episodes || other.turns - one.turns),
        ...(isOther ? { counts: row } : {}),
      }
    },
  }
}
