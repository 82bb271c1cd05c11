import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
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
  /** The strict cases of a format, as JSON Lines. */
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
  const index = checked(read('index.json'), join(folder, 'index.json')) as CompatIndex
  return {
    folder,
    index,
    row(engine, version) {
      const file = index.engines
        .find(({ name }) => name === engine)
        ?.versions.find((each) => each.version === version)?.file
      if (file === undefined) throw new CompatDataError(`${join(folder, 'index.json')}: lists no ${engine}@${version}.`)
      return checked(read(file), join(folder, file)) as CompatRow
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

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new CompatDataError(`${path}: cannot be read (${reason}). Install @callspec/compat-data, or build the clone.`)
  }
}

function checked(value: unknown, path: string): unknown {
  const form: unknown =
    typeof value === 'object' && value !== null && 'compatData' in value ? value.compatData : undefined
  if (form === FORM) return value
  if (typeof form === 'number' && form > FORM) {
    throw new CompatDataError(
      `${path}: has form ${form}, and this version of callspec reads form ${FORM}. Update: npm install callspec@latest`,
    )
  }
  throw new CompatDataError(`${path}: is not compatibility data (no "compatData": ${FORM}).`)
}
