import { canonicalJson, sha256, parsedJson } from '../text/json.ts'
import { shortened } from '../text/excerpt.ts'
import type { RequestSettings, RunFacts, RunManifest, Shard } from '../trace/run-manifest.ts'
import { schemaFault } from './schemas.ts'
import { RunError } from '../trace/run-error.ts'
import { RUN_SCHEMA } from '../trace/trace.ts'
import { basename } from 'node:path'
import type { Plan } from '../trace/plan.ts'
import { makePlan } from '../trace/plan.ts'
import type { Suite } from '../trace/task.ts'

/** A manifest without the members that are computed. */
export type ManifestFields = Omit<
  RunManifest,
  | 'schema'
  | 'config'
  | 'node'
  | 'finishedAt'
  | 'sums'
  | 'results'
  | 'edited'
  | 'lines'
  | 'engines'
  | 'transport'
  | 'servers'
>

/** The settings that decide which completions are requested. The address is not one of them: a server may move during a long run. */
const DECIDING = [
  ['suite', ({ suite }) => suite.stored],
  ['models', ({ models }) => models],
  ['formats', ({ protocols }) => protocols],
  ['hosts', ({ hosts }) => hosts],
  // Left out when empty, so that older plans keep their hashes.
  ['modules', ({ modules }) => modules && Object.entries(modules).map(([id, { sha256: hash }]) => [id, hash])],
  ['tasks', ({ tasks }) => tasks],
  ['seed', ({ seed }) => seed],
  ['repeat', ({ repeat }) => repeat],
  ['stops', ({ stops }) => stops],
  ['api', ({ api }) => api],
  // Absent for the value of runs before this setting existed, so that they keep their hashes.
  ['prompt', ({ prompt }) => (prompt === 'callspec' ? prompt : undefined)],
  ['stream', ({ stream }) => stream],
  ['parameters', ({ parameters }) => parameters],
  ['names', ({ endpoints }) => Object.entries(endpoints).map(([id, { name }]) => [id, name])],
] as const satisfies readonly (readonly [string, (fields: ManifestFields) => unknown])[]

/** A new manifest, with the hash of its plan. */
export function newManifest(fields: ManifestFields): RunManifest {
  const deciding = Object.fromEntries(DECIDING.map(([name, read]) => [name, read(fields)]))
  return {
    schema: RUN_SCHEMA,
    config: sha256(canonicalJson(deciding)),
    node: process.versions.node,
    finishedAt: null,
    sums: 'crc32',
    results: null,
    ...fields,
  }
}

/** The content of `run.json`. Its check sum covers the members, not their formatting. */
export function manifestText(manifest: RunManifest): string {
  const whole = manifest.sums === undefined ? manifest : { ...manifest, sum: sha256(canonicalJson(manifest)) }
  return `${JSON.stringify(whole, null, 2)}\n`
}

/** The differences of two plans, as `name: one, then the other`; empty when they request the same. */
export function planDifferences(recorded: RunManifest, wanted: RunManifest): readonly string[] {
  // The hash of the plan distinguishes two lists of 500 tasks; a reader sees the beginning.
  return DECIDING.flatMap(([name, read]) => {
    const [before, now] = [canonicalJson(read(recorded)), canonicalJson(read(wanted))]
    return before === now ? [] : [`${name}: ${shortened(before)} there, ${shortened(now)} here`]
  })
}

/** How the requests to a model of the run are made. */
export function settingsOf(
  { endpoints, parameters, stops, api, prompt = 'maker' }: RunManifest,
  model: string,
): RequestSettings {
  return { name: endpoints[model]?.name ?? model, parameters: parameters[model] ?? {}, stops, api, prompt }
}

/** The facts of a run in its summary. */
export function factsOf(manifest: RunManifest): RunFacts {
  const { suite, models, protocols, hosts, seed, repeat, shard, stops, api, stream, tasks, edited, sums } = manifest
  const { prompt } = manifest
  return {
    ...{ suite, models, protocols, hosts, seed, repeat, shard, stops, api, stream, tasks: tasks.length },
    ...(prompt === undefined ? {} : { prompt }),
    ...(edited === undefined || edited.length === 0 ? {} : { edited }),
    ...(sums === undefined ? { isUnsealed: true } : {}),
  }
}

/** The content of `run.json`, and whether it is as it was written. */
export interface ReadManifest {
  readonly manifest: RunManifest
  /** Whether its check sum fits; true for runs from before there were check sums. */
  readonly isAsWritten: boolean
}

/** @throws RunError for an invalid manifest, and for one of an unknown version */
export function readManifest(text: string, path: string): ReadManifest {
  const value = parsedManifest(text, path)
  const version = versionOf(value)
  if (version !== RUN_SCHEMA) throw new RunError(`${path} ${versionText(version)} ${VERSION_HINT}`)
  const fault = schemaFault('run', value)
  if (fault !== null) throw new RunError(`${path} is not as it was written: ${fault}. Put back what was changed.`)
  const { sum, ...manifest } = value as RunManifest & { readonly sum?: string }
  const isAsWritten = manifest.sums === undefined ? sum === undefined : sum === sha256(canonicalJson(manifest))
  return { manifest, isAsWritten }
}

function parsedManifest(text: string, path: string): unknown {
  const value = parsedJson(text)
  if (value !== undefined) return value
  throw new RunError(`${path} is no JSON. Was it cut off or changed by hand? Without it the folder cannot be read.`)
}

/** The first version of the file had no `schema`, but a `version`. */
function versionOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return 'schema' in value ? value.schema : 'version' in value ? value.version : undefined
}

function versionText(version: unknown): string {
  return version === undefined ? 'names no version.' : `is of version ${JSON.stringify(version)}.`
}

const VERSION_HINT = `This program reads version ${RUN_SCHEMA}: use the callspec that wrote it, or run the evaluation again.`

export interface NamedManifest {
  readonly folder: string
  readonly manifest: RunManifest
}

/**
 * The manifest of several parts of one plan, independent of their order. Members that describe the run but do not define the plan are
 * those of the part that began first.
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
  // Members that count wasted work are left out: a part may be given twice.
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

/** The marks of changed parts. */
function editedIn({ folder, manifest: { edited = [] } }: NamedManifest): readonly string[] {
  return edited.map((what) => `${basename(folder)}: ${what}`)
}

/** Null for the whole plan, also when all its parts were merged. */
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

/** The plan of a manifest, with the tasks of the suite that it names. */
export function planOf(manifest: RunManifest, suite: Suite): Plan {
  const { models, protocols, repeat, seed, shard } = manifest
  const named = new Set(manifest.tasks)
  const tasks = suite.tasks.filter((task) => named.has(task.id))
  return makePlan({ models, formats: protocols, tasks, repeat, seed, shard })
}

/** The known builds of the engines, with the current ones added. */
export function joinBuilds(
  known: Readonly<Record<string, readonly string[]>>,
  now: Readonly<Record<string, string>>,
): Readonly<Record<string, readonly string[]>> {
  const added = Object.entries(now).map(
    ([model, build]) => [model, [...new Set([...(known[model] ?? []), build])]] as const,
  )
  return { ...known, ...Object.fromEntries(added) }
}
