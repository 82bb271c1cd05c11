import { faultNamed } from './catalogue.ts'
import { draw } from './draw.ts'
import type { FindExamples } from './examples.ts'
import { firstPart, injectFirst } from './inject.ts'
import { episodeKey, faultsUnder } from './model-spec.ts'
import type { EpisodeId, ModelSpec, Share } from './model-spec.ts'
import { planned } from './plan.ts'
import { POLICIES } from './policies.ts'
import type { SimProtocol } from './protocol.ts'
import { ModelNameError } from './shares.ts'
import { speakerOf } from './speak/speakers.ts'

/** What quotas are dealt out to. */
export interface QuotaOptions {
  readonly spec: ModelSpec
  readonly protocol: SimProtocol
  readonly examples: FindExamples
}

/**
 * Which episode gets which fault or policy, so that every count is exact. The episodes are ranked by a hash, and every
 * share takes the first free ones that it fits.
 *
 * @throws ModelNameError where a share needs more episodes than it fits; a preset takes what there is
 */
export function dealOut(episodes: readonly EpisodeId[], options: QuotaOptions): ReadonlyMap<string, Share> {
  if (options.spec.mode !== 'stratified') return dealQuotas(episodes, options)
  const strata = new Map<string, EpisodeId[]>()
  for (const episode of episodes) {
    const name = `${episode.reference.category}/${episode.reference.lang}`
    strata.set(name, [...(strata.get(name) ?? []), episode])
  }
  return new Map([...strata.values()].flatMap((stratum) => [...dealQuotas(stratum, options)]))
}

function dealQuotas(episodes: readonly EpisodeId[], options: QuotaOptions): ReadonlyMap<string, Share> {
  const { spec, protocol } = options
  const free = episodes
    .map((episode) => ({
      episode,
      rank: draw(spec.identity, protocol, episode.sample, episode.reference.task, 'rank'),
    }))
    .sort((left, right) => left.rank - right.rank)
    .map(({ episode }) => episode)
  const dealt = new Map<string, Share>()
  const { faults, policies } = faultsUnder(spec, protocol)
  for (const share of [...faults, ...policies]) {
    const wanted = wantedOf(share, episodes)
    for (let taken = 0; taken < wanted; taken += 1) {
      const at = free.findIndex((episode) => fits(share, episode, options))
      const [episode] = at < 0 ? [] : free.splice(at, 1)
      if (episode !== undefined) dealt.set(episodeKey(episode.reference.task, episode.sample), share)
      else if (!spec.isPreset)
        throw new ModelNameError(
          `${share.id} should affect ${wanted} of ${episodes.length} episodes, but only ${taken} can have it.`,
        )
    }
  }
  return dealt
}

/** A rate of all episodes, or a count of every pass. */
function wantedOf({ amount }: Share, episodes: readonly EpisodeId[]): number {
  if (amount.kind === 'rate') return Math.round(amount.rate * episodes.length)
  return amount.count * new Set(episodes.map((episode) => episode.sample)).size
}

/** Where it would change nothing it is not dealt out. */
function fits(
  { id, argument, amount }: Share,
  episode: EpisodeId,
  { spec, protocol, examples }: QuotaOptions,
): boolean {
  const { reference } = episode
  // Counts are for presets with one of everything, which occur where there is most to change.
  if (amount.kind === 'count' && !hasArguments(episode)) return false
  const policy = POLICIES.get(id)
  if (policy === undefined) {
    const fault = faultNamed(id)
    return fault !== null && injectFirst({ fault, spec, protocol, ...episode }) !== null
  }
  const context = { protocol, reference, part: firstPart(protocol, reference), results: [], argument, examples }
  const position = { done: 0, turns: 0, ownErrors: 0, isAfterError: false }
  return policy.act({ ...context, position, planned: planned(reference, 0, speakerOf(protocol).width) }) !== null
}

function hasArguments({ reference }: EpisodeId): boolean {
  return Object.keys(reference.plan[0]?.[0]?.args ?? {}).length > 0
}
