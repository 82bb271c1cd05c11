import { draw, inverseNormal } from './draw.ts'
import { faultsUnder } from './model-spec.ts'
import type { ModelSpec } from './model-spec.ts'
import { episodeKey } from './passes.ts'
import type { EpisodeId, Passes } from './passes.ts'
import type { SimProtocol } from './protocol.ts'
import type { Reference } from './reference.ts'
import { ModelNameError } from './shares.ts'

/** Everything that decides whether a task is solved. */
export interface SkillOptions extends EpisodeId {
  readonly spec: ModelSpec
  readonly protocol: SimProtocol
  readonly references: readonly Reference[]
  /** The place of each episode among those that share fixed numbers, by `episodeKey`. */
  readonly ranks: () => ReadonlyMap<string, number>
  readonly passes: Passes | null
}

/** Episodes in an order of chance. */
export function rankEpisodes(spec: ModelSpec, episodes: readonly EpisodeId[]): ReadonlyMap<string, number> {
  const keys = episodes.map((episode) => episodeKey(episode.reference.task, episode.sample))
  const ranked = firstBy(keys, (key) => draw(spec.identity, key, 'pair'), keys.length)
  return new Map([...ranked].map((key, rank) => [key, rank]))
}

/**
 * Whether the model gives up at once. Three ways to say how often: a skill, each episode drawn by itself (with `sigma`
 * tasks differ in difficulty, so the passes of a task hang together); a pair of protocols with known discordant counts;
 * so many passes of each task.
 */
export function givesUp(options: SkillOptions): boolean {
  const { spec, protocol } = options
  if (spec.wins !== null) return !winsPass(options, spec.wins)
  if (spec.pair?.kind === 'fixed') return !winsFixed(options, spec.pair)
  const skill = spec.pair?.skills[protocol] ?? faultsUnder(spec, protocol).skill
  return skill !== null && skillDraw(options) >= taskSkill(options, skill)
}

/** Skill spread on the logistic scale: `logistic(logit(skill) + sigma * z)`, with one z per task. */
function taskSkill({ spec, reference }: SkillOptions, skill: number): number {
  if (spec.sigma === 0 || skill <= 0 || skill >= 1) return skill
  const z = inverseNormal(draw(spec.seed, spec.identity, reference.task, 'difficulty'))
  const logit = Math.log(skill / (1 - skill)) + spec.sigma * z
  return 1 / (1 + Math.exp(-logit))
}

/** In so many episodes as `rho` says both protocols of a pair draw the same number, elsewhere each its own. */
function skillDraw({ spec, protocol, reference, sample }: SkillOptions): number {
  const key = [spec.seed, spec.identity, reference.task, sample] as const
  const isShared = spec.pair?.kind === 'drawn' && draw(...key, 'shared') < spec.pair.rho
  return draw(...key, isShared ? 'skill' : `skill ${protocol}`)
}

function winsPass({ spec, reference, sample, passes, references }: SkillOptions, wins: readonly number[]): boolean {
  if (passes === null) throw new ModelNameError('wins needs to know the passes: start the server with their number.')
  const wanted = wins[references.indexOf(reference) % wins.length] ?? 0
  const samples = Array.from({ length: passes.repeat }, (_, pass) => passes.seed + pass)
  return firstBy(samples, (each) => draw(spec.identity, reference.task, each, 'win'), wanted).has(sample)
}

function winsFixed(
  { protocol, reference, sample, ranks }: SkillOptions,
  { first, second, both, onlyFirst, onlySecond }: Extract<NonNullable<ModelSpec['pair']>, { kind: 'fixed' }>,
): boolean {
  const all = ranks()
  if (both + onlyFirst + onlySecond > all.size)
    throw new ModelNameError(`both, b and c are ${both + onlyFirst + onlySecond} episodes, but there are ${all.size}.`)
  if (protocol !== first && protocol !== second) return true
  const rank = all.get(episodeKey(reference.task, sample)) ?? all.size
  if (rank < both) return true
  if (rank < both + onlyFirst) return protocol === first
  return rank < both + onlyFirst + onlySecond && protocol === second
}

/** The first so many, by rank and in that order. */
function firstBy<T>(items: readonly T[], rank: (item: T) => number, count: number): ReadonlySet<T> {
  const ranked = items.map((item) => ({ item, rank: rank(item) })).sort((left, right) => left.rank - right.rank)
  return new Set(ranked.slice(0, count).map(({ item }) => item))
}
