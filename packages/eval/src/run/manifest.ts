import type { Protocol } from '../protocol.ts'
import type { RunFacts } from '../summary/eval-summary.ts'
import type { Shard } from './plan.ts'
import { canonicalJson, sha256 } from './request-hash.ts'
import type { RequestSettings } from './request-settings.ts'
import { schemaFault } from './schemas.ts'
import { RunError } from './run-error.ts'
import { RUN_SCHEMA } from './trace.ts'

/** What a run was asked to do, and with what: the content of `run.json`. Holds no key and no password. */
export interface RunManifest {
  readonly schema: typeof RUN_SCHEMA
  /** The version of the program that began the run. */
  readonly callspec: string
  readonly node: string
  readonly scorer: string
  /** SHA-256 of everything that decides what is asked, see `DECIDING`. */
  readonly config: string
  readonly suite: {
    readonly name: string
    readonly version: string
    readonly sha256: string
    /** SHA-256 of `suite.json`, the copy in the folder. */
    readonly stored: string
  }
  readonly models: readonly string[]
  readonly protocols: readonly Protocol[]
  /** The version of each reference whose host reads a protocol. */
  readonly hosts: Readonly<Partial<Record<Protocol, string>>>
  /** Ids, in the order in which they are asked. */
  readonly tasks: readonly string[]
  readonly seed: number
  readonly repeat: number
  /** Which parts of the plan are in the folder; null for all of it. */
  readonly shard: Shard | null
  readonly stops: 'on' | 'off'
  readonly api: 'chat' | 'completions'
  readonly stream: boolean
  /** By model: what is sent beside the prompt, such as a temperature. */
  readonly parameters: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Whom each model stands for: what its server is asked for, and where that is, without user and password. */
  readonly endpoints: Readonly<Record<string, { readonly name: string; readonly baseUrl: string }>>
  readonly startedAt: string
  /** Null until the last episode has ended. */
  readonly finishedAt: string | null
  /** What decides nothing but the time, such as how many episodes run at once. */
  readonly settings: Readonly<Record<string, unknown>>
  /** That the lines of the journal, and this file, carry check sums; absent in runs from before there were any. */
  readonly sums?: 'crc32'
  /** What was changed by hand in the files of the run, and accepted; absent where nothing was. */
  readonly edited?: readonly string[]
  /** The builds of the engines behind the models, as far as they say: several where a run went on with another one. */
  readonly engines?: Readonly<Record<string, readonly string[]>>
  /** How many lines the journal had when the last episode had ended; absent before. */
  readonly lines?: number
}

/** A manifest without what is worked out from the rest. */
export type ManifestFields = Omit<
  RunManifest,
  'schema' | 'config' | 'node' | 'finishedAt' | 'sums' | 'edited' | 'lines' | 'engines'
>

/** What decides which completions are asked for. The address is not among it: a server may move during a long run. */
const DECIDING = [
  ['suite', ({ suite }) => suite.stored],
  ['models', ({ models }) => models],
  ['protocols', ({ protocols }) => protocols],
  ['hosts', ({ hosts }) => hosts],
  ['tasks', ({ tasks }) => tasks],
  ['seed', ({ seed }) => seed],
  ['repeat', ({ repeat }) => repeat],
  ['stops', ({ stops }) => stops],
  ['api', ({ api }) => api],
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
    ...fields,
  }
}

/** The content of `run.json`. Its check sum is of its members, not of how they are written. */
export function manifestText(manifest: RunManifest): string {
  const whole = manifest.sums === undefined ? manifest : { ...manifest, sum: sha256(canonicalJson(manifest)) }
  return `${JSON.stringify(whole, null, 2)}\n`
}

/** Where two plans differ, as `name: one, then the other`; empty when they ask for the same. */
export function planDifferences(recorded: RunManifest, wanted: RunManifest): readonly string[] {
  return DECIDING.flatMap(([name, read]) => {
    const [before, now] = [canonicalJson(read(recorded)), canonicalJson(read(wanted))]
    return before === now ? [] : [`${name}: ${excerpt(before)} there, ${excerpt(now)} here`]
  })
}

/** How the requests to a model of the run are made. */
export function settingsOf({ endpoints, parameters, stops, api }: RunManifest, model: string): RequestSettings {
  return { name: endpoints[model]?.name ?? model, parameters: parameters[model] ?? {}, stops, api }
}

/** What a summary says of the run. */
export function factsOf(manifest: RunManifest): RunFacts {
  const { suite, models, protocols, hosts, seed, repeat, shard, stops, api, stream, tasks, edited, sums, engines } =
    manifest
  return {
    ...{ suite, models, protocols, hosts, seed, repeat, shard, stops, api, stream, tasks: tasks.length },
    ...(edited === undefined || edited.length === 0 ? {} : { edited }),
    ...(sums === undefined ? { isUnsealed: true } : {}),
    ...(engines === undefined || Object.keys(engines).length === 0 ? {} : { engines }),
  }
}

/** What stands in `run.json`, and whether it is what was written. */
export interface ReadManifest {
  readonly manifest: RunManifest
  /** Whether its check sum fits; true where it carries none, as in runs from before there were any. */
  readonly isAsWritten: boolean
}

/**
 * Reads `run.json`.
 *
 * @throws RunError for what is no manifest, and for one of a version that this program does not know
 */
export function readManifest(text: string, path: string): ReadManifest {
  const value = parsed(text, path)
  const version = versionOf(value)
  if (version !== RUN_SCHEMA) throw new RunError(`${path} ${versionText(version)} ${VERSION_HINT}`)
  const fault = schemaFault('run', value)
  if (fault !== null) throw new RunError(`${path} is not as it was written: ${fault}. Put back what was changed.`)
  const { sum, ...manifest } = value as RunManifest & { readonly sum?: string }
  const isAsWritten = manifest.sums === undefined ? sum === undefined : sum === sha256(canonicalJson(manifest))
  return { manifest, isAsWritten }
}

/** The plan's hash tells two lists of 500 tasks apart, a person needs to see the beginning. */
function excerpt(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new RunError(`${path} is no JSON. Was it cut off or changed by hand? Without it the folder cannot be read.`)
  }
}

/** The first format had no `schema`, but a `version`. */
function versionOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return 'schema' in value ? value.schema : 'version' in value ? value.version : undefined
}

function versionText(version: unknown): string {
  return version === undefined ? 'names no version.' : `is of version ${JSON.stringify(version)}.`
}

const VERSION_HINT = `This program reads version ${RUN_SCHEMA}: use the callspec that wrote it, or run the evaluation again.`
