import type { Invocation, Options, OptionTable } from '../command.ts'
import { withEnvFiles } from '../environment.ts'
import type { CodeOfFiles, CodeRules, NamingFile } from '../found-files.ts'
import { isCodeFile, isModulePath } from '../input-file.ts'
import { declaredOnly, layeredOptions, strangeVariables, variableOf } from '../layered-options.ts'
import { UsageError } from '../usage-error.ts'
import type { ConfigFile } from './config/read-config.ts'
import { NO_CONFIG, readConfig, writtenOptions } from './config/read-config.ts'
import type { EvalOptionName, EvalOptions } from './eval-options.ts'
import { isGiven, readEvalOptions } from './eval-options.ts'
import { EVAL_OPTIONS } from './options.ts'
import type { ModelSources } from './server-of.ts'

/** Options, environment and configuration of an evaluation command. */
export interface EvalContext {
  /** Flags, then variables, then the configuration. */
  readonly options: EvalOptions
  /** Only flags. */
  readonly given: EvalOptions
  /** The same layers, for options that only one command has. */
  readonly own: Options
  /** With the variables of `.env` files. */
  readonly environment: Invocation['environment']
  /** The variables that a found `.env` file sets, each with that file. */
  readonly foundIn: ReadonlyMap<string, string>
  readonly config: ConfigFile
  /** Which modules named by files are imported. */
  readonly rules: CodeRules
}

/**
 * Reads `.env` files, the configuration and the options.
 *
 * @param code which code of found files the command runs; with --dry-run it runs none
 * @throws UsageError for a missing or wrong file, and for one that names code it must not name
 */
export async function readEvalContext(
  invocation: Invocation,
  table: OptionTable,
  code: CodeOfFiles = 'run',
): Promise<EvalContext> {
  const { options: given, output, positionals } = invocation
  const named = Object.hasOwn(table, 'env-file') ? given.list('env-file') : []
  const files = named.length > 0 ? named : (invocation.environment[variableOf('env-file')]?.split(',') ?? [])
  const { environment, foundIn } = await withEnvFiles(
    invocation.environment,
    files.filter((file) => file !== ''),
  )
  for (const message of strangeVariables(environment, Object.keys(EVAL_OPTIONS))) output.warn(message)
  refuseCodeOfEnvFiles(table, { given: declaredOnly(table, given), environment, foundIn })
  const isDry = declaredOnly(table, layeredOptions(table, { given, environment, written: {} })).flag('dry-run')
  const rules = { code: isDry && code === 'run' ? 'never' : code, output }
  const config = Object.hasOwn(table, 'config')
    ? await readConfig(
        namedConfig({ given: given.text('config') ?? positionalConfig(table, positionals), environment, foundIn }),
        rules,
      )
    : NO_CONFIG
  const written = Object.fromEntries(
    Object.entries(writtenOptions(config)).filter(([name]) => Object.hasOwn(table, name)),
  )
  const own = layeredOptions(table, { given, environment, written })
  const flags = readEvalOptions(declaredOnly(table, given))
  return { options: readEvalOptions(own), given: flags, own, environment, foundIn, config, rules }
}

export function modelSources({ options, given, environment, foundIn, config }: EvalContext): ModelSources {
  return { options, given, environment, foundIn, config: config.config, configPath: config.path }
}

/** The file that sets an option; null if the command line or the real environment does. */
export function fileSetting(
  { given, environment, foundIn, config }: Pick<EvalContext, 'given' | 'environment' | 'foundIn' | 'config'>,
  name: EvalOptionName,
): NamingFile | null {
  const variable = variableOf(name)
  if (isGiven(given, name)) return null
  if ((environment[variable] ?? '') === '')
    return config.path === null ? null : { path: config.path, isFound: config.isFound }
  const file = foundIn.get(variable)
  return file === undefined ? null : { path: file, isFound: true }
}

const CODE_OPTIONS: readonly (readonly [name: string, isCode: (value: string) => boolean])[] = [
  ['config', isCodeFile],
  ['suite', isCodeFile],
  ['mcp', () => true],
  ['format', isModulePath],
  ['protocol', isModulePath],
]

type Layers = Pick<EvalContext, 'environment' | 'foundIn'>

/** A `.env` file is data: people copy one without checking it for code. @throws UsageError */
function refuseCodeOfEnvFiles(
  table: OptionTable,
  { given, environment, foundIn }: Layers & { readonly given: Options },
): void {
  for (const [name, isCode] of CODE_OPTIONS) {
    const variable = variableOf(name)
    const file = foundIn.get(variable)
    const isUsed = Object.hasOwn(table, name) && given.list(name).length === 0 && given.text(name) === null
    if (file === undefined || !isUsed) continue
    const module = (environment[variable] ?? '').split(',').find((value) => isCode(value.trim()))
    if (module === undefined) continue
    throw new UsageError(
      `${file}: ${variable} names the code ${module}, and a .env file that was found must not name code. If you trust it: --${name} ${module}`,
    )
  }
}

function namedConfig({ given, environment, foundIn }: Layers & { readonly given: string | null }): NamingFile | null {
  if (given !== null) return { path: given, isFound: false }
  const path = environment[variableOf('config')] ?? ''
  return path === '' ? null : { path, isFound: foundIn.has(variableOf('config')) }
}

/** `callspec eval my.config.ts`. */
function positionalConfig(table: OptionTable, positionals: readonly string[]): string | null {
  return table === EVAL_OPTIONS ? (positionals[0] ?? null) : null
}
