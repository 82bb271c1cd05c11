import type { EpisodeScore } from '../judging/score-episode.ts'
import type { Counts } from '../statistics/counts.ts'
import { addTo, inOrder } from '../statistics/tally.ts'
import { BLAMED, causeKey } from '../trace/attribution.ts'
import type { Attribution, Blamed } from '../trace/attribution.ts'

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
  const turns = new Map<Blamed, number>()
  const episodes = new Map<Blamed, number>()
  const causes = new Map<string, { readonly first: Attribution; turns: number; episodes: number }>()
  const count = (attribution: Attribution | null, of: 'turns' | 'episodes'): void => {
    if (attribution === null) return
    addTo(of === 'turns' ? turns : episodes, attribution.blames)
    const key = causeKey(attribution)
    const known = causes.get(key) ?? { first: attribution, turns: 0, episodes: 0 }
    known[of] += 1
    causes.set(key, known)
  }
  return {
    add: (score) => {
      for (const turn of score.turns) count(turn.attribution, 'turns')
      count(score.attribution, 'episodes')
    },
    result: () => ({
      turns: inOrder(turns, BLAMED),
      episodes: inOrder(episodes, BLAMED),
      causes: [...causes.values()]
        .map(({ first: { blames, rule, detail, evidence }, ...counts }) => ({
          blames,
          rule,
          detail,
          ...counts,
          example: evidence,
        }))
        .sort((one, other) => other.episodes - one.episodes || other.turns - one.turns),
    }),
  }
}
