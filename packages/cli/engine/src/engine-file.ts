import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Schema } from '@cfworker/json-schema'
import { Validator } from '@cfworker/json-schema'

const CONFORMANCE = resolve(import.meta.dirname, '../../../conformance')
export const ADAPTERS: string = join(CONFORMANCE, 'adapters')

/** One release, or one commit, of an engine. */
export interface EngineVersion {
  readonly version: string
  /** YYYY-MM-DD; `dated` of the engine says of what. */
  readonly date: string
  readonly commit?: string
}

/** What one parser of an engine is asked. */
export interface EnginePair {
  readonly parser: string
  /** `glm-4.7`, or a version of it: `glm-4.7@ling-3`. */
  readonly format: string
  readonly operations: readonly EngineOperation[]
  /** Absent: all of them. */
  readonly versions?: readonly string[]
}

/** `cut`: the texts of `parse` and `stream` as streams, cut at tokens. */
export type EngineOperation = 'parse' | 'stream' | 'cut' | 'render'

/** An `engine.json`; `schemas/engine.schema.json` of conformance describes the members. */
export interface Engine {
  readonly name: string
  readonly title: string
  readonly what: string
  readonly homepage: string
  readonly needs: 'python3' | 'go' | 'cargo' | 'node'
  readonly versions: readonly EngineVersion[]
  readonly dated: string
  readonly install: readonly (readonly string[])[]
  readonly size: string
  readonly weight: 'light' | 'heavy'
  readonly stubs: readonly string[]
  readonly command: string
  readonly cuts?: readonly string[]
  readonly pairs: readonly EnginePair[]
  readonly notAsked: readonly { readonly parser: string; readonly format?: string; readonly why: string }[]
}

/** A wrong `engine.json`, an unknown name, or a wrong option. The message is one line. */
export class EngineInputError extends Error {}

/** The engines of a folder of adapters, by name. @throws EngineInputError for the first wrong file */
export function readEngines(adapters: string): readonly Engine[] {
  return readdirSync(adapters)
    .toSorted()
    .filter((name) => existsSync(join(adapters, name, 'engine.json')))
    .map((name) => readEngine(join(adapters, name, 'engine.json'), name))
}

/** Reads an `engine.json`. @throws EngineInputError that names file and member */
export function readEngine(path: string, folder: string): Engine {
  const value = parsedJson(path)
  const fault = schemaFault(value) ?? memberFault(value as Engine, folder)
  if (fault !== null) throw new EngineInputError(`${path}: ${fault}`)
  return value as Engine
}

function parsedJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown
  } catch (error) {
    throw new EngineInputError(`${path}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function schemaFault(value: unknown): string | null {
  const schema = JSON.parse(readFileSync(join(CONFORMANCE, 'schemas/engine.schema.json'), 'utf8')) as Schema
  const { errors } = new Validator(schema, '2020-12', false).validate(value)
  // An error of an outer value only repeats those of its members.
  const deepest = errors.toSorted((one, other) => depth(other.instanceLocation) - depth(one.instanceLocation))[0]
  if (deepest === undefined) return null
  const place = deepest.instanceLocation.replace(/^#\/?/, '').replaceAll('/', '.')
  return `${place === '' ? '' : `${place}: `}${deepest.error}`
}

function depth(location: string): number {
  return location.split('/').length
}

/** What a schema cannot say. */
function memberFault({ name, versions, pairs, cuts }: Engine, folder: string): string | null {
  if (name !== folder) return `name: must be "${folder}", the name of the folder`
  const known = versions.map(({ version }) => version)
  const repeated = known.find((version, at) => known.indexOf(version) !== at)
  if (repeated !== undefined) return `versions: "${repeated}" is listed twice`
  const keys = pairs.map(({ parser, format }) => `${parser} with ${format}`)
  const twice = keys.find((key, at) => keys.indexOf(key) !== at)
  if (twice !== undefined) return `pairs: ${twice} is listed twice`
  const unknown = pairs.flatMap((pair) => pair.versions ?? []).find((version) => !known.includes(version))
  if (unknown !== undefined) return `pairs: version "${unknown}" is not in versions`
  const isCut = pairs.some(({ operations }) => operations.includes('cut'))
  return isCut && cuts === undefined ? 'cuts: is missing, but a pair has the operation "cut"' : null
}

/** One version of an engine, and the folder where it is installed. */
export interface EngineRow {
  readonly engine: Engine
  readonly version: EngineVersion
  readonly adapter: string
  /** Ends with NAME@VERSION. */
  readonly folder: string
}

/** The rows of names such as `ollama` or `ollama@0.34.4`. @throws EngineInputError for an unknown one */
export function rowsOf(
  engines: readonly Engine[],
  names: readonly string[],
  { adapters, installed }: { readonly adapters: string; readonly installed: string },
): readonly EngineRow[] {
  return names.flatMap((given) => {
    const [name, wanted] = given.split('@', 2)
    const engine = engines.find((each) => each.name === name)
    if (engine === undefined) {
      const known = engines.map((each) => each.name).join(', ')
      throw new EngineInputError(`"${given}" is not an engine. Engines: ${known}.`)
    }
    const versions = engine.versions.filter(({ version }) => wanted === undefined || version === wanted)
    if (versions.length === 0) {
      const known = engine.versions.map(({ version }) => version).join(', ')
      throw new EngineInputError(`${name}: version "${wanted}" is not in its engine.json, which has ${known}.`)
    }
    return versions.map((version) => ({
      ...{ engine, version, adapter: join(adapters, engine.name) },
      folder: join(installed, `${engine.name}@${version.version}`),
    }))
  })
}

/** The format of a pair, and the version of it: `strict` where the pair names none. */
export function versionOf({ format }: Pick<EnginePair, 'format'>): { readonly id: string; readonly version: string } {
  const [id = '', version = 'strict'] = format.split('@', 2)
  return { id, version }
}

export function pairsOf({ engine, version }: EngineRow): readonly EnginePair[] {
  return engine.pairs.filter(({ versions }) => versions === undefined || versions.includes(version.version))
}
