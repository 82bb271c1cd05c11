import { finding } from './finding.ts'
import type { Finding } from './finding.ts'
import type { Probe } from './probe.ts'
import { saySame, withoutReply } from './said.ts'

/** Replies at temperature 1. */
export interface SeedProbes {
  readonly first: Probe
  /** With the seed of the first. */
  readonly again: Probe
  /** With two other seeds. */
  readonly others: readonly Probe[]
}

/** Whether the same seed gets the same reply, and other seeds get other ones: what it takes for tries of a task to differ. */
export function judgeSeeds({ first, again, others }: SeedProbes): Finding {
  const missing = [first, again].find(({ kind }) => kind !== 'reply')
  if (missing !== undefined && missing.kind !== 'reply')
    return withoutReply('seed', missing, { verdict: 'warn', whatToChange: 'Results will not be reproducible.' })
  if (saySame(first, again) !== true)
    return finding(
      'seed',
      'warn',
      'the same seed gave two replies, at temperature 1',
      'Results are not reproducible: evaluate with --repeat 3 or more, or with temperature 0.',
    )
  const compared = others.map((other) => saySame(first, other))
  if (compared.includes(false))
    return finding('seed', 'ok', 'the same seed gave the same reply twice, another seed another one, at temperature 1')
  if (compared.length < 2 || compared.includes(null))
    return finding('seed', 'ok', 'the same seed gave the same reply twice, at temperature 1')
  return finding('seed', 'warn', 'three seeds gave the same reply, at temperature 1', ALIKE)
}

const ALIKE =
  'Tries of one task will be alike and count as one: --repeat 1 says as much as --repeat 3. Does the server, or a cache in ' +
  'front of it, pass over seed or temperature? If the model is just certain, longer tasks will tell.'
