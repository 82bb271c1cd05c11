import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import type { CompatIndex, CompatRow } from './types.ts'

/** Data that cannot be read. The message is one line: what, where, what to do. */
export class CompatDataError extends Error {}

/** Opened data; files are read when they are needed, and once. */
export interface CompatData {
  readonly folder: string
  readonly index: CompatIndex
  /** @throws CompatDataError for a version that the index does not list */
  row(engine: string, version: string): CompatRow
  /** Ids of cases by the key in `asked`. */
  asked(): Readonly<Record<string, readonly string[]>>
  /** Answers and reasons by their key: the first 400 characters of each. */
  answers(engine: string): Readonly<Record<string, string>>
  /** By id: why the case may be wrong. */
  contested(): Readonly<Record<string, string>>
  /** The strict cases of a format, or those of a version (`glm-4.7@ling-3`), as JSON Lines. */
  cases(format: string): readonly string[]
}

/** The form that this package reads. */
const FORM = 1

/**
 * Opens data.
 *
 * @param folder of the data; default: `data` of this package
 * @throws CompatDataError for a missing or broken file, or data of a newer form
 */
export function openCompatData(folder: string = join(packageFolder(), 'data')): CompatData {
  const read = readOnce(folder)
  const index = checked(read('index.json'), join(folder, 'index.json'), INDEX) as CompatIndex
  return {
    folder,
    index,
    row(engine, version) {
      const file = index.engines
        .find(({ name }) => name === engine)
        ?.versions.find((each) => each.version === version)?.file
      if (file === undefined) throw new CompatDataError(`${join(folder, 'index.json')}: lists no ${engine}@${version}.`)
      return checked(read(file), join(folder, file), ROW) as CompatRow
    },
    asked: () => read('asked.json') as Readonly<Record<string, readonly string[]>>,
    answers: (engine) => read(`answers/${engine}.json`) as Readonly<Record<string, string>>,
    contested: () => read('contested.json') as Readonly<Record<string, string>>,
    cases: (format) =>
      textOf(join(folder, `cases/${format}.jsonl`))
        .split('\n')
        .filter((line) => line !== ''),
  }
}

function packageFolder(): string {
  return dirname(createRequire(fileURLToPath(import.meta.url)).resolve('@callspec/compat-data/package.json'))
}

function readOnce(folder: string): (path: string) => unknown {
  const files = new Map<string, unknown>()
  return (path) => {
    if (!files.has(path)) files.set(path, parsedJson(join(folder, path)))
    return files.get(path)
  }
}

function parsedJson(path: string): unknown {
  try {
    return JSON.parse(textOf(path)) as unknown
  } catch (error) {
    if (error instanceof CompatDataError) throw error
    throw new CompatDataError(`${path}: is not JSON. Install @callspec/compat-data again.`)
  }
}

/** The program `callspec` has the files compressed. */
function textOf(path: string): string {
  const compressed = `${path}.br`
  try {
    if (existsSync(compressed)) return brotliDecompressSync(readFileSync(compressed)).toString()
    return readFileSync(path, 'utf8')
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new CompatDataError(`${path}: cannot be read (${reason}). Install @callspec/compat-data, or build the clone.`)
  }
}

function checked(value: unknown, path: string, members: Shape): unknown {
  const form = isMap(value) ? value['compatData'] : undefined
  if (typeof form === 'number' && form > FORM) {
    throw new CompatDataError(
      `${path}: has form ${form}, and this version of callspec reads form ${FORM}. Update: npm install callspec@latest`,
    )
  }
  if (form !== FORM) throw new CompatDataError(`${path}: is not compatibility data (no "compatData": ${FORM}).`)
  const fault = faultOf(value, members)
  if (fault !== null) throw new CompatDataError(`${path}: "${fault}" is missing or of another type. Install it again.`)
  return value
}

/** What members are: text, a map, or a list of texts or of maps with these members. */
type Kind = 'text' | 'texts' | 'map'

interface Shape {
  readonly [member: string]: Kind | Shape
}

const VERSION: Shape = { version: 'text', date: 'text', ran: 'text', casesVersion: 'text' }

const INDEX: Shape = {
  casesVersion: 'text',
  engines: {
    ...{ name: 'text', title: 'text', what: 'text', flags: 'texts', answers: 'text' },
    versions: { ...VERSION, file: 'text' },
  },
}

const ROW: Shape = {
  ...{
    ...VERSION,
    engine: 'text',
    title: 'text',
    what: 'text',
    commands: 'map',
    notAsked: { parser: 'text', why: 'text' },
  },
  results: { parser: 'text', format: 'text', operation: 'text', counts: 'map', asked: 'text', cases: 'map' },
}

/** The path of the first member that is not as it should be; null where all are. */
function faultOf(value: unknown, members: Shape): string | null {
  if (!isMap(value)) return ''
  for (const [name, shape] of Object.entries(members)) {
    const member = value[name]
    if (typeof shape === 'string') {
      if (!isOfShape(member, shape)) return name
      continue
    }
    if (!Array.isArray(member)) return name
    for (const [at, each] of member.entries()) {
      const fault = faultOf(each, shape)
      if (fault !== null) return `${name}[${at}].${fault}`
    }
  }
  return null
}

function isOfShape(value: unknown, shape: Kind): boolean {
  switch (shape) {
    case 'text':
      return typeof value === 'string'
    case 'texts':
      return Array.isArray(value) && value.every((each) => typeof each === 'string')
    case 'map':
      return isMap(value)
  }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
