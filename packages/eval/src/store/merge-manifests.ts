import { basename } from 'node:path'
import { planDifferences } from './manifest.ts'
import { RunError } from '../trace/run-error.ts'
import type { RunManifest, Shard } from '../trace/run-manifest.ts'
import { joinBuilds } from './join-builds.ts'

/** A manifest and whose it is. */
export interface NamedManifest {
  readonly folder: string
  readonly manifest: RunManifest
}

/**
 * The manifest of several parts of one plan, the same whatever order they come in. What is only told and decides nothing is
 * that of the part that began first.
 *
 * @throws RunError when they are not parts of one plan
 */
export function mergeManifests(given: readonly NamedManifest[]): RunManifest {
  const [first, ...others] = [...given].sort(byBegin)
  if (first === undefined) throw new RunError('there is nothing to merge: name at least one run folder')
  for (const other of others) {
    const differences = planDifferences(first.manifest, other.manifest)
    if (differences.length > 0)
      throw new RunError(
        `${first.folder} and ${other.folder} are no parts of one plan: ${differences.join('; ')}. Compare them instead.`,
      )
  }
  // What was done for nothing is left out: a part may come twice, and would count twice.
  const { lines: _, sums, results: __, edited: ___, transport: ____, ...manifest } = first.manifest
  const engines = [...given].sort(byBegin).reduce(withEngines, {})
  const edited = [...given].sort(byBegin).flatMap(editedIn)
  const isSealed = given.every((part) => part.manifest.sums !== undefined)
  const finished = given.flatMap(({ manifest }) => manifest.finishedAt ?? [])
  return {
    ...manifest,
    ...(isSealed && sums !== undefined ? { sums, results: null } : {}),
    ...(edited.length === 0 ? {} : { edited }),
    ...(Object.keys(engines).length === 0 ? {} : { engines }),
    shard: mergeShards(given),
    finishedAt: finished.reduce<string | null>((last, time) => (last === null || time > last ? time : last), null),
  }
}

type Engines = NonNullable<RunManifest['engines']>

/** Parts may have been played on several builds. */
function withEngines(known: Engines, { manifest: { engines = {} } }: NamedManifest): Engines {
  const pairs = Object.entries(engines).flatMap(([model, builds]) => builds.map((build) => ({ [model]: build })))
  return pairs.reduce(joinBuilds, known)
}

/** What was changed in a part stays a mark of the whole. */
function editedIn({ folder, manifest: { edited = [] } }: NamedManifest): readonly string[] {
  return edited.map((what) => `${basename(folder)}: ${what}`)
}

/** Null for the whole plan, also when it is put together of all its parts. */
function mergeShards(given: readonly NamedManifest[]): Shard | null {
  const split = given.flatMap(({ folder, manifest: { shard } }) => (shard === null ? [] : [{ folder, ...shard }]))
  const [first] = split
  if (first === undefined) return null
  const odd = split.find(({ of }) => of !== first.of)
  if (odd !== undefined)
    throw new RunError(
      `${first.folder} is of a plan in ${first.of} parts, ${odd.folder} of one in ${odd.of}. Merge those of one kind first.`,
    )
  const parts = [...new Set(split.flatMap(({ parts }) => parts))].sort((one, other) => one - other)
  return split.length < given.length || parts.length === first.of ? null : { of: first.of, parts }
}

function byBegin(one: NamedManifest, other: NamedManifest): number {
  const [a, b] = [JSON.stringify(one.manifest), JSON.stringify(other.manifest)]
  const order = one.manifest.startedAt.localeCompare(other.manifest.startedAt, 'en')
  return order !== 0 ? order : a < b ? -1 : a > b ? 1 : 0
}
