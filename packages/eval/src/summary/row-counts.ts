import type { CountName } from '../attribution/attribution.ts'
import { PROMPT_SHRINKS } from '../attribution/rendered.ts'
import { RESTS_ON } from '../attribution/transport-causes.ts'
import type { EpisodeScore } from '../judging/score-episode.ts'
import type { ScoredTurn } from '../score/scored-turn.ts'
import type { Attribution } from '../trace/attribution.ts'

/** What the token counts of a row say, which those of one episode do not. */
export interface RowCounts {
  /** The counts that prove nothing: they are made up, or those of replies hold hidden thoughts. */
  readonly doubted: readonly CountName[]
  /** Whether prompts shrink from turn to turn in most episodes, and most of those fail: then the server cuts them. */
  readonly cutsPrompts: boolean
}

/** The cause that counts, with all episodes of its row at hand. */
export function settledCause(attribution: Attribution, counts: RowCounts | undefined): Attribution {
  const { instead, ...alone } = attribution
  if (instead === undefined || counts === undefined) return alone
  if (instead.rule === PROMPT_SHRINKS.id) return counts.cutsPrompts ? instead : alone
  const count = RESTS_ON.get(attribution.rule)
  return count !== undefined && counts.doubted.includes(count) ? instead : alone
}

/** A row as far as it decides which causes count. */
export interface SettledRow {
  readonly model: string
  readonly protocol: string
  readonly blame: { readonly counts?: RowCounts }
}

/** An episode with the causes that count in its row. */
export function settledScore(score: EpisodeScore, rows: readonly SettledRow[]): EpisodeScore {
  const { model, protocol } = score.key
  const counts = rows.find((row) => row.model === model && row.protocol === protocol)?.blame.counts
  const settled = (attribution: Attribution | null): Attribution | null =>
    attribution === null ? null : settledCause(attribution, counts)
  const turns = score.turns.map((turn) => ({ ...turn, attribution: settled(turn.attribution) }))
  return { ...score, attribution: settled(score.attribution), turns }
}

/** Looks at the counts of a row, episode by episode. What is kept does not grow with the run. */
export function createRowCounts(): { add(score: EpisodeScore): void; result(): RowCounts } {
  const [prompts, completions] = [createConstant(), createConstant()]
  const tasks = new Set<string>()
  const replies = new Map<number, string>()
  const shrinking = { possible: 0, failed: 0, succeeded: 0 }
  let [hidesThoughts, repliesDiffer] = [false, false]
  return {
    add: (score) => {
      const { key, countsTooMany, success, replies: said = '' } = score
      const turns = score.turns.filter(({ usage, strict }) => usage !== null && strict !== 'infra_error')
      if (tasks.size < ENOUGH) tasks.add(key.task)
      if (countsTooMany === true) hidesThoughts = true
      for (const { usage } of turns) {
        prompts.add(usage?.prompt ?? 0)
        completions.add(usage?.completion ?? 0)
      }
      const known = replies.get(turns.length) ?? said
      if (replies.size < ENOUGH) replies.set(turns.length, known)
      if (known !== said) repliesDiffer = true
      const shrinks = shrinksIn(turns)
      if (shrinks !== null) shrinking.possible += 1
      if (shrinks === true) shrinking[success ? 'succeeded' : 'failed'] += 1
    },
    result: () => {
      const { possible, failed, succeeded } = shrinking
      const promptsMadeUp = tasks.size >= ENOUGH && prompts.isConstant()
      const completionsProveNothing = hidesThoughts || (repliesDiffer && completions.isConstant())
      return {
        doubted: [
          ...(promptsMadeUp ? (['prompt'] as const) : []),
          ...(completionsProveNothing ? (['completion'] as const) : []),
        ],
        // A model that solves its tasks has read its prompts: then the server only leaves out of its counts what it had in a cache.
        cutsPrompts: failed + succeeded >= ENOUGH && 2 * (failed + succeeded) > possible && failed > succeeded,
      }
    },
  }
}

/** So many tasks, or episodes, are no accident. */
const ENOUGH = 3

/** Whether a prompt is shorter than the one before of its kind; null where none could be, or some of it came from a known cache. */
function shrinksIn(turns: readonly ScoredTurn[]): boolean | null {
  const last = new Map<ScoredTurn['asked'], number>()
  let shrinks: boolean | null = null
  for (const { asked, usage } of turns) {
    if (usage === null || usage.prompt === 0) continue
    if (usage.cached !== undefined) return null
    const before = last.get(asked)
    if (before !== undefined) shrinks = shrinks === true || usage.prompt < before
    last.set(asked, usage.prompt)
  }
  return shrinks
}

function createConstant(): { add(count: number): void; isConstant(): boolean } {
  const seen = new Set<number>()
  let times = 0
  return {
    add: (count) => {
      if (seen.size < 2) seen.add(count)
      times += 1
    },
    isConstant: () => seen.size === 1 && times > ENOUGH,
  }
}
