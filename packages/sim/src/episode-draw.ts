import type { TurnId } from './inject.ts'
import { faultNamed, chanceOf, firstPart, injectFirst } from './inject.ts'
import { draw, inverseNormal } from './draw.ts'
import type { FindExamples, Policy } from './policy.ts'
import type { Fault } from './fault.ts'
import type { EpisodeId, Faults, ModelSpec, Passes, Share } from './model-spec.ts'
import { episodeKey, episodesAround, faultsUnder, isKnown } from './model-spec.ts'
import type { Position, Reference } from './reference.ts'
import { planned } from './reference.ts'
import { POLICIES } from './policies.ts'
import type { SimFormat } from './spoken-formats.ts'
import { ModelNameError } from './shares.ts'
import { speakerOf } from './speak/speakers.ts'

/** The draws of one episode. */
export interface EpisodeDraw {
  /** The model's policy; null if it follows the plan. */
  readonly policy: { readonly policy: Policy; readonly argument: number } | null
  /** The fault of a turn, even if it changes nothing there; or null. */
  readonly faultOf: (turn: TurnId, at: { readonly position: Position; readonly isAnswer: boolean }) => Fault | null
}

interface EpisodeDrawKey {
  readonly spec: ModelSpec
  readonly format: SimFormat
  readonly reference: Reference
  readonly sample: number
}

/**
 * Makes the draws of episodes. Quotas are assigned to all episodes at once and kept, since a server asks for them with
 * every reply.
 *
 * @throws ModelNameError from the returned function, for quotas that the suite cannot fill
 */
export function createEpisodeDraws(
  references: readonly Reference[],
  { examples, passes }: { readonly examples: FindExamples; readonly passes: Passes | null },
): (key: EpisodeDrawKey) => EpisodeDraw {
  const dealt = keeping<ReadonlyMap<string, Share>>()
  const ranked = keeping<ReadonlyMap<string, number>>()
  return (key) => {
    const { spec, format, reference, sample } = key
    const ranks = (): ReadonlyMap<string, number> =>
      ranked([spec.identity, passGroupOf(passes, sample)], () =>
        rankEpisodes(spec, episodesAround(references, { sample, passes })),
      )
    if (givesUp({ ...key, references, ranks, passes }))
      return { policy: policyNamed('premature', 0), faultOf: () => null }
    if (spec.mode === 'bernoulli') return randomDraw(key)
    // A number of tasks is meant for every pass, a rate for all of them.
    const counted = isCounted(faultsUnder(spec, format)) ? null : passes
    const deal = dealt([spec.identity, format, passGroupOf(counted, sample)], () =>
      dealOut(episodesAround(references, { sample, passes: counted }), { spec, format, examples }),
    )
    return dealtDraw(deal.get(episodeKey(reference.task, sample)))
  }
}

function passGroupOf(passes: Passes | null, sample: number): string | number {
  return isKnown(passes, sample) ? 'all' : sample
}

function isCounted({ faults, policies }: Faults): boolean {
  return [...faults, ...policies].some(({ amount }) => amount.kind === 'count')
}

/** Beyond this number they are computed again. */
const MOST_KEPT = 1000

function keeping<T>(): (key: readonly (string | number)[], make: () => T) => T {
  const kept = new Map<string, T>()
  return (key, make) => {
    const name = key.join('\u001f')
    const known = kept.get(name) ?? make()
    if (kept.size >= MOST_KEPT) kept.clear()
    kept.set(name, known)
    return known
  }
}

function dealtDraw(share: Share | undefined): EpisodeDraw {
  if (share === undefined) return { policy: null, faultOf: () => null }
  const fault = POLICIES.has(share.id) ? null : faultNamed(share.id)
  return {
    policy: policyNamed(share.id, share.argument),
    faultOf: (turn, at) => (isAffected(fault, turn, at) ? fault : null),
  }
}

function randomDraw({ spec, format, reference, sample }: EpisodeDrawKey): EpisodeDraw {
  const { faults, policies } = faultsUnder(spec, format)
  const key = [spec.seed, `${spec.identity} ${format}`, reference.task, sample] as const
  const chosen = chooseBy(policies, () => draw(...key, 'policy'))
  if (spec.scope === 'turn') {
    return {
      policy: policyNamed(chosen?.id, chosen?.argument ?? 0),
      faultOf: (turn, { position }) => {
        // After an error result the model makes no fault in the next turn, and after two none at all. Otherwise chance alone
        // would create loops in an episode, and no label could be known in advance.
        if (position.isAfterError || position.ownErrors >= 2) return null
        return faultNamed(chooseBy(faults, () => chanceOf(turn)('fault'))?.id ?? '')
      },
    }
  }
  const fault = faultNamed(chooseBy(faults, () => draw(...key, 'fault'))?.id ?? '')
  return {
    policy: policyNamed(chosen?.id, chosen?.argument ?? 0),
    faultOf: (turn, at) => (isAffected(fault, turn, at) ? fault : null),
  }
}

/** The one turn of an episode that a fault affects: the first, or the answer. */
function isAffected(fault: Fault | null, { step }: TurnId, { isAnswer }: { readonly isAnswer: boolean }): boolean {
  return fault?.affects === 'answers' ? isAnswer : step === 0 && !isAnswer
}

/** One draw compared with the shares in their order, so that each has a fixed slice. */
function chooseBy(shares: readonly Share[], chance: () => number): Share | null {
  if (shares.length === 0) return null
  let left = chance()
  for (const share of shares) {
    left -= share.amount.kind === 'rate' ? share.amount.rate : 0
    if (left < 0) return share
  }
  return null
}

function policyNamed(id: string | undefined, argument: number): EpisodeDraw['policy'] {
  const policy = POLICIES.get(id ?? '')
  return policy === undefined ? null : { policy, argument }
}

/** The settings that decide whether a task is solved. */
interface SkillOptions extends EpisodeId {
  readonly spec: ModelSpec
  readonly format: SimFormat
  readonly references: readonly Reference[]
  /** The rank of each episode among those that share fixed numbers, by `episodeKey`. */
  readonly ranks: () => ReadonlyMap<string, number>
  readonly passes: Passes | null
}

/** Episodes in a random order. */
function rankEpisodes(spec: ModelSpec, episodes: readonly EpisodeId[]): ReadonlyMap<string, number> {
  const keys = episodes.map((episode) => episodeKey(episode.reference.task, episode.sample))
  const ranked = firstBy(keys, (key) => draw(spec.identity, key, 'pair'), keys.length)
  return new Map([...ranked].map((key, rank) => [key, rank]))
}

/**
 * Whether the model gives up at once. How often follows from one of three settings: a skill, with each episode drawn
 * separately (with `sigma`, tasks differ in difficulty, so the passes of a task correlate); a pair of formats with
 * known discordant counts; or a number of passes for each task.
 */
function givesUp(options: SkillOptions): boolean {
  const { spec, format } = options
  if (spec.wins !== null) return !winsPass(options, spec.wins)
  if (spec.pair?.kind === 'fixed') return !winsFixed(options, spec.pair)
  const skill = spec.pair?.skills[format] ?? faultsUnder(spec, format).skill
  return skill !== null && skillDraw(options) >= taskSkill(options, skill)
}

/** Skill spread on the logistic scale: `logistic(logit(skill) + sigma * z)`, with one z per task. */
function taskSkill({ spec, reference }: SkillOptions, skill: number): number {
  if (spec.sigma === 0 || skill <= 0 || skill >= 1) return skill
  const z = inverseNormal(draw(spec.seed, spec.identity, reference.task, 'difficulty'))
  const logit = Math.log(skill / (1 - skill)) + spec.sigma * z
  return 1 / (1 + Math.exp(-logit))
}

/** In the share `rho` of episodes both formats of a pair draw the same number, in the others separate ones. */
function skillDraw({ spec, format, reference, sample }: SkillOptions): number {
  const key = [spec.seed, spec.identity, reference.task, sample] as const
  const isShared = spec.pair?.kind === 'drawn' && draw(...key, 'shared') < spec.pair.rho
  return draw(...key, isShared ? 'skill' : `skill ${format}`)
}

function winsPass({ spec, reference, sample, passes, references }: SkillOptions, wins: readonly number[]): boolean {
  if (passes === null) throw new ModelNameError('wins needs to know the passes: start the server with their number.')
  const wanted = wins[references.indexOf(reference) % wins.length] ?? 0
  const samples = Array.from({ length: passes.repeat }, (_, pass) => passes.seed + pass)
  return firstBy(samples, (each) => draw(spec.identity, reference.task, each, 'win'), wanted).has(sample)
}

function winsFixed(
  { format, reference, sample, ranks }: SkillOptions,
  { first, second, both, onlyFirst, onlySecond }: Extract<NonNullable<ModelSpec['pair']>, { kind: 'fixed' }>,
): boolean {
  const all = ranks()
  if (both + onlyFirst + onlySecond > all.size)
    throw new ModelNameError(`both, b and c are ${both + onlyFirst + onlySecond} episodes, but there are ${all.size}.`)
  if (format !== first && format !== second) return true
  const rank = all.get(episodeKey(reference.task, sample)) ?? all.size
  if (rank < both) return true
  if (rank < both + onlyFirst) return format === first
  return rank < both + onlyFirst + onlySecond && format === second
}

/** The first ones, by rank and in that order. */
function firstBy<T>(items: readonly T[], rank: (item: T) => number, count: number): ReadonlySet<T> {
  const ranked = items.map((item) => ({ item, rank: rank(item) })).sort((left, right) => left.rank - right.rank)
  return new Set(ranked.slice(0, count).map(({ item }) => item))
}

/** What quotas are dealt out to. */
export interface QuotaOptions {
  readonly spec: ModelSpec
  readonly format: SimFormat
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
  const { spec, format } = options
  const free = episodes
    .map((episode) => ({
      episode,
      rank: draw(spec.identity, format, episode.sample, episode.reference.task, 'rank'),
    }))
    .sort((left, right) => left.rank - right.rank)
    .map(({ episode }) => episode)
  const dealt = new Map<string, Share>()
  const { faults, policies } = faultsUnder(spec, format)
  for (const share of [...faults, ...policies]) {
    const wanted = wantedOf(share, episodes)
    for (let taken = 0; taken < wanted; taken += 1) {
      const at = free.findIndex((episode) => fitsShare(share, episode, options))
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
function fitsShare(
  { id, argument, amount }: Share,
  episode: EpisodeId,
  { spec, format, examples }: QuotaOptions,
): boolean {
  const { reference } = episode
  // Counts are for presets with one of everything, which occur where there is most to change.
  if (amount.kind === 'count' && !hasArguments(episode)) return false
  const policy = POLICIES.get(id)
  if (policy === undefined) {
    const fault = faultNamed(id)
    return fault !== null && injectFirst({ fault, spec, format, ...episode }) !== null
  }
  const context = { format, reference, part: firstPart(format, reference), results: [], argument, examples }
  const position = { done: 0, turns: 0, ownErrors: 0, isAfterError: false }
  return policy.act({ ...context, position, planned: planned(reference, 0, speakerOf(format).width) }) !== null
}

function hasArguments({ reference }: EpisodeId): boolean {
  return Object.keys(reference.plan[0]?.[0]?.args ?? {}).length > 0
}
