import { stat } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { checkShape } from '@callspec/eval'
import { readDataFile } from '../../data-file.ts'
import { faultError } from '../../fault-text.ts'
import type { PlaceOf } from '../../fault-text.ts'
import { exportsOf, importModule } from '../../module-file.ts'
import { readSource } from '../../source-text.ts'
import { UsageError } from '../../usage-error.ts'
import type { EvalConfig } from './config.ts'
import { CONFIG_SHAPE } from './config-shape.ts'

/** Where a configuration is looked for when none is named. */
export const CONFIG_NAMES: readonly string[] = ['ts', 'mts', 'js', 'mjs', 'json5', 'json'].map(
  (ending) => `callspec.config.${ending}`,
)

/** A configuration that has its shape, and where it comes from. */
export interface ConfigFile {
  /** Null where there is no file. */
  readonly path: string | null
  readonly config: EvalConfig
  /** A path of the file as seen from here. */
  resolve(path: string): string
}

/**
 * Reads the configuration: the file that is named, else the one of `CONFIG_NAMES` in the current folder, else none.
 *
 * @throws UsageError with file and line for what is missing, cannot be read, or has not the shape
 */
export async function readConfig(named: string | null): Promise<ConfigFile> {
  const path = named ?? (await findConfig())
  if (path === null) return { path, config: {}, resolve: (each) => each }
  const { value, place } = /\.[cm]?[jt]s$/.test(path) ? await fromModule(path) : await fromData(path)
  const fault = checkShape(CONFIG_SHAPE, value)
  if (fault !== null) throw faultError(fault, place)
  const home = dirname(path)
  return {
    path,
    config: value as EvalConfig,
    resolve: (each) => (isAbsolute(each) || home === '.' ? each : join(home, each)),
  }
}

async function findConfig(): Promise<string | null> {
  const found: string[] = []
  for (const name of CONFIG_NAMES) if (await exists(name)) found.push(name)
  if (found.length < 2) return found[0] ?? null
  throw new UsageError(`there are several configurations: ${found.join(', ')}. Keep one, or name one with --config.`)
}

interface Read {
  readonly value: unknown
  readonly place: PlaceOf
}

async function fromData(path: string): Promise<Read> {
  const source = await readSource(path)
  const { value, place } = readDataFile(source, 'an object such as { models: ["NAME"] }')
  if (Array.isArray((value as EvalConfig | null)?.tasks)) {
    throw new UsageError(`${path}: this is a suite, not a configuration. Name it with --suite ${path}.`)
  }
  return { value, place }
}

async function fromModule(path: string): Promise<Read> {
  const found = await importModule(path)
  const value = found['default'] ?? found['config']
  if (value === undefined) {
    throw new UsageError(
      `${path}: exports no configuration. Write "export default defineConfig({ … })". ${exportsOf(found)}`,
    )
  }
  return { value, place: () => path }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
