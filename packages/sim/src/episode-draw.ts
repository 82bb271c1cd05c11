import { faultNamed } from './catalogue.ts'
import { draw } from './draw.ts'
import type { FindExamples } from './examples.ts'
import type { Fault } from './fault.ts'
import { faultsUnder } from './model-spec.ts'
import type { Faults, ModelSpec, Share } from './model-spec.ts'
import { episodeKey, episodesAround, isKnown } from './passes.ts'
import type { Passes } from './passes.ts'
import type { Position } from './plan.ts'
import { POLICIES } from './policies/table.ts'
import type { Policy } from './policies/policy.ts'
import type { SimProtocol } from './protocol.ts'
import { dealOut } from './quota.ts'
import type { Reference } from './reference.ts'
import { givesUp, rankEpisodes } from './skill.ts'
import { chanceOf } from './inject.ts'
import type { TurnId } from './inject.ts'

/** What has been drawn for one episode. */
export interface EpisodeDraw {
  /** How the model behaves; null: it does what the plan says. */
  readonly policy: { readonly policy: Policy; readonly argument: number } | null
  /** The fault of a turn, whether it changes anything there or not; null for none. */
  readonly faultOf: (turn: TurnId, at: { readonly position: Position; readonly isAnswer: boolean }) => Fault | null
}

/** Which episode of which model. */
export interface EpisodeDrawKey {
  readonly spec: ModelSpec
  readonly protocol: SimProtocol
  readonly reference: Reference
  readonly sample: number
}

/**
 * Makes the draws of episodes. Dealing out quotas takes all episodes at once, so what was dealt is kept: a server asks
 * for every reply.
 *
 * @throws ModelNameError from the function it gives, for quotas that the suite cannot fill
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

/** Beyond so many they are worked out again. */
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
        // Told of a mistake, the model takes care; after two, for good. Otherwise chance alone would make loops of an
        // episode, and no label could be known in advance.
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

/** One draw against the shares in their order, so that each has a fixed slice of it. */
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
