import { dirname, isAbsolute, join } from 'node:path'
import type { ShapeFault, ShapePath } from '@callspec/eval'
import { checkShape, pathText } from '@callspec/eval'
import { readDataFile } from '../../data-file.ts'
import type { CodeRules, NamingFile } from '../../found-files.ts'
import { exportsOf, importModule, isRunFolder, refuseForeign } from '../../found-files.ts'
import { isCodeFile, isModulePath, exists, readSource } from '../../input-file.ts'
import type { WrittenOptions } from '../../layered-options.ts'
import { didYouMean, UsageError } from '../../usage-error.ts'
import { CONFIG_SHAPE } from './config-shape.ts'
import type { EvalConfig } from './config.ts'

/** Searched in the current folder when no configuration is named. */
export const CONFIG_NAMES: readonly string[] = ['ts', 'mts', 'js', 'mjs', 'json5', 'json'].map(
  (ending) => `callspec.config.${ending}`,
)

/** A checked configuration and its source. */
export interface ConfigFile {
  /** Null where there is no file. */
  readonly path: string | null
  /** Whether the file was found, not named on the command line. */
  readonly isFound: boolean
  readonly config: EvalConfig
  /** Turns a path of the file into one from the current folder. */
  resolve(path: string): string
}

export const NO_CONFIG: ConfigFile = { path: null, isFound: false, config: {}, resolve: (path) => path }

/**
 * Reads the named configuration, else the one of `CONFIG_NAMES` in the current folder, else none. Files of a run folder never count.
 *
 * @param named what the command line or a variable names
 * @throws UsageError with file and line for what is missing, cannot be read, or has not the shape; for a found file of another
 *   user; for code that the rules do not run
 */
export async function readConfig(named: NamingFile | null, rules: CodeRules): Promise<ConfigFile> {
  const file = named ?? (await findConfig(rules))
  if (file === null) return NO_CONFIG
  const { path, isFound } = file
  if (isFound) await refuseForeign(path, `--config ${path}`)
  const { value, place } = isCodeFile(path) ? await fromModule(file, rules) : await fromData(path)
  const fault = checkShape(CONFIG_SHAPE, value)
  if (fault !== null) throw faultError(fault, place)
  const home = dirname(path)
  return {
    path,
    isFound,
    config: value as EvalConfig,
    resolve: (each) => (isAbsolute(each) || home === '.' ? each : join(home, each)),
  }
}

/** A command that runs only named code skips code that it finds, and says so: its gates may be expected to apply. */
async function findConfig({ code, output }: CodeRules): Promise<NamingFile | null> {
  const found: string[] = []
  for (const name of CONFIG_NAMES) if (await exists(name)) found.push(name)
  if (found[0] === undefined) return null
  if (await isRunFolder('.')) {
    output.note(
      `callspec: ${found.join(', ')} was not read: it is in a run folder, which other people may have written.`,
    )
    return null
  }
  const skipped = code === 'when-named' ? found.filter(isCodeFile) : []
  if (skipped[0] !== undefined)
    output.note(`callspec: ${skipped[0]} was not read: it is code, which this command runs only with -c ${skipped[0]}`)
  const [path, ...others] = found.filter((name) => !skipped.includes(name))
  if (path === undefined) return null
  if (others.length === 0) return { path, isFound: true }
  throw new UsageError(`there are several configurations: ${found.join(', ')}. Keep one, or name one with --config.`)
}

interface ConfigValue {
  readonly value: unknown
  readonly place: PlaceOf
}

async function fromData(path: string): Promise<ConfigValue> {
  const source = await readSource(path)
  const { value, place } = readDataFile(source, 'an object such as { models: ["NAME"] }')
  if (Array.isArray((value as EvalConfig | null)?.tasks)) {
    throw new UsageError(`${path}: this is a suite, not a configuration. Name it with --suite ${path}.`)
  }
  return { value, place }
}

async function fromModule({ path, isFound }: NamingFile, { code, output }: CodeRules): Promise<ConfigValue> {
  if (await isRunFolder(dirname(path)))
    throw new UsageError(
      `${path}: is code in a run folder (there is a run.json next to it), and other people may have written it. If you trust it, copy it to another folder.`,
    )
  if (isFound && code === 'never')
    throw new UsageError(
      `${path}: is code, and --dry-run runs no code that it finds. If you trust it: --config ${path}`,
    )
  if (isFound) output.note(`callspec: runs ${path}`)
  const found = await importModule(path)
  const value = found['default'] ?? found['config']
  if (value === undefined) {
    throw new UsageError(
      `${path}: exports no configuration. Write "export default defineConfig({ … })". ${exportsOf(found)}`,
    )
  }
  return { value, place: () => path }
}

/** The configuration by option names of `callspec eval`, without models and suites that are objects. */
export function writtenOptions(file: ConfigFile): WrittenOptions {
  const { config, resolve } = file
  const { tasks = {}, gates = {}, output = {} } = config
  return {
    model: config.models?.map((model) => (typeof model === 'string' ? model : (model.id ?? model.name))),
    'base-url':
      typeof config.baseUrl === 'object'
        ? config.baseUrl.map((each) => (typeof each === 'string' ? each : each.baseUrl))
        : config.baseUrl,
    'same-build': config.sameBuild,
    'api-key-env': config.apiKeyEnv,
    format: writtenFormats(file),
    suite: typeof config.suite === 'string' ? resolve(config.suite) : undefined,
    limit: optionText(tasks.limit),
    filter: tasks.filter,
    'filter-category': tasks.category,
    lang: typeof tasks.lang === 'string' ? tasks.lang : tasks.lang?.join(','),
    repeat: optionText(config.repeat),
    seed: optionText(config.seed),
    'max-calls': optionText(config.maxCalls),
    'max-tokens': optionText(config.maxTokens),
    stream: config.stream,
    stops: config.stops,
    api: typeof config.api === 'string' ? [config.api] : config.api,
    prompt: config.prompt,
    'max-concurrency': optionText(config.maxConcurrency),
    timeout: optionText(config.timeout),
    'max-retries': optionText(config.maxRetries),
    'wait-for-server': optionText(config.waitForServer),
    delay: optionText(config.delay),
    budget: typeof config.budget === 'string' ? [config.budget] : config.budget,
    'time-limit': optionText(config.timeLimit),
    cache: config.cache,
    reports: output.reports === undefined ? undefined : resolve(output.reports),
    output: output.files?.map((file) => (file === '-' ? file : resolve(file))),
    reporter: output.reporters,
    table: output.table,
    min: bounds(gates.min),
    max: bounds(gates.max),
    'min-passes': gates.minPasses,
    baseline: gates.baseline === undefined ? undefined : resolve(gates.baseline),
    'max-regression': optionText(gates.maxRegression),
    'require-detectable': optionText(gates.requireDetectable),
    'gate-on': gates.gateOn,
    'max-infra-rate': optionText(gates.maxInfraRate),
    'fail-on-error': gates.failOnError,
  }
}

/** The formats of a configuration; paths are those from the current folder. */
export function writtenFormats({ config: { formats, protocols }, resolve }: ConfigFile): readonly string[] | undefined {
  return (formats ?? protocols)?.map((name) => (isModulePath(name) ? resolve(name) : name))
}

function bounds(given: Readonly<Record<string, number>> | undefined): readonly string[] | undefined {
  return given === undefined ? undefined : Object.entries(given).map(([name, value]) => `${name}=${value}`)
}

function optionText(value: number | string | undefined): string | undefined {
  return value === undefined ? undefined : String(value)
}

/** The location of a value in a user's file: `FILE:LINE`, or just the file. */
export type PlaceOf = (path: ShapePath) => string

/** A fault in a file as one line: where, what, and for an unknown name the nearest known one. */
export function faultError({ path, message, unknown }: ShapeFault, placeOf: PlaceOf): UsageError {
  // The message about an unknown key names the key, so that its path is that of the object.
  const isKey = unknown !== undefined && path.at(-1) === unknown.name
  const where = pathText(isKey ? path.slice(0, -1) : path)
  return new UsageError(`${placeOf(path)}: ${where === '' ? '' : `${where}: `}${message}.${hintOn(unknown)}`)
}

const SHOWN_NAMES = 24

function hintOn(unknown: ShapeFault['unknown']): string {
  if (unknown === undefined) return ''
  const near = didYouMean(unknown.name, unknown.known)
  if (near !== '' || unknown.known.length === 0) return near
  const shown = unknown.known.slice(0, SHOWN_NAMES)
  return ` Known: ${shown.join(', ')}${shown.length < unknown.known.length ? ', …' : ''}.`
}
