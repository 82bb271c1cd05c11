import { faultNamed } from './catalogue.ts'
import { draw, inverseNormal } from './draw.ts'
import type { FindExamples } from './examples.ts'
import type { Fault } from './fault.ts'
import { chanceOf } from './inject.ts'
import type { TurnId } from './inject.ts'
import { episodeKey, episodesAround, faultsUnder, isKnown } from './model-spec.ts'
import type { EpisodeId, Faults, ModelSpec, Passes, Share } from './model-spec.ts'
import type { Position } from './plan.ts'
import { POLICIES } from './policies.ts'
import type { Policy } from './policy.ts'
import type { SimProtocol } from './protocol.ts'
import { dealOut } from './quota.ts'
import type { Reference } from './reference.ts'
import { ModelNameError } from './shares.ts'

/** The draws of one episode. */
export interface EpisodeDraw {
  /** The model's policy; null if it follows the plan. */
  readonly policy: { readonly policy: Policy; readonly argument: number } | null
  /** The fault of a turn, even if it changes nothing there; or null. */
  readonly faultOf: (turn: TurnId, at: { readonly position: Position; readonly isAnswer: boolean }) => Fault | null
}

/** An episode of a model. */
interface EpisodeDrawKey {
  readonly spec: ModelSpec
  readonly protocol: SimProtocol
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
    const { spec, protocol, reference, sample } = key
    const ranks = (): ReadonlyMap<string, number> =>
      ranked([spec.identity, groupOf(passes, sample)], () =>
        rankEpisodes(spec, episodesAround(references, { sample, passes })),
      )
    if (givesUp({ ...key, references, ranks, passes }))
      return { policy: policyNamed('premature', 0), faultOf: () => null }
    if (spec.mode === 'bernoulli') return randomDraw(key)
    // A number of tasks is meant for every pass, a rate for all of them.
    const counted = isCounted(faultsUnder(spec, protocol)) ? null : passes
    const deal = dealt([spec.identity, protocol, groupOf(counted, sample)], () =>
      dealOut(episodesAround(references, { sample, passes: counted }), { spec, protocol, examples }),
    )
    return dealtDraw(deal.get(episodeKey(reference.task, sample)))
  }
}

function groupOf(passes: Passes | null, sample: number): string | number {
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

function randomDraw({ spec, protocol, reference, sample }: EpisodeDrawKey): EpisodeDraw {
  const { faults, policies } = faultsUnder(spec, protocol)
  const key = [spec.seed, `${spec.identity} ${protocol}`, reference.task, sample] as const
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
  readonly protocol: SimProtocol
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
 * separately (with `sigma`, tasks differ in difficulty, so the passes of a task correlate); a pair of protocols with
 * known discordant counts; or a number of passes for each task.
 */
function givesUp(options: SkillOptions): boolean {
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

/** In the share `rho` of episodes both protocols of a pair draw the same number, in the others separate ones. */
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

/** The first ones, by rank and in that order. */
function firstBy<T>(items: readonly T[], rank: (item: T) => number, count: number): ReadonlySet<T> {
  const ranked = items.map((item) => ({ item, rank: rank(item) })).sort((left, right) => left.rank - right.rank)
  return new Set(ranked.slice(0, count).map(({ item }) => item))
}
