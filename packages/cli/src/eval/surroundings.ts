import type { Invocation, Options, OptionTable } from '../command.ts'
import { withEnvFiles } from '../env-file.ts'
import { declaredOnly, layeredOptions, strangeVariables, variableOf } from '../layered-options.ts'
import { readConfig } from './config/read-config.ts'
import type { ConfigFile } from './config/read-config.ts'
import { writtenOptions } from './config/written-options.ts'
import { readEvalOptions } from './eval-options.ts'
import type { EvalOptions } from './eval-options.ts'
import { EVAL_OPTIONS } from './options.ts'

/** What a command of the evaluation was told, from all sides. */
export interface Surroundings {
  /** Flags, then variables, then the configuration. */
  readonly options: EvalOptions
  /** Flags alone. */
  readonly given: EvalOptions
  /** The layers themselves, for what one command alone has. */
  readonly own: Options
  /** With what stands in `.env` files. */
  readonly environment: Invocation['environment']
  readonly config: ConfigFile
}

/**
 * Reads `.env` files and the configuration, and puts the options together.
 *
 * @throws UsageError for a file that is missing or wrong
 */
export async function readSurroundings(invocation: Invocation, table: OptionTable): Promise<Surroundings> {
  const { options: given, output, positionals } = invocation
  const named = Object.hasOwn(table, 'env-file') ? given.list('env-file') : []
  const files = named.length > 0 ? named : (invocation.environment[variableOf('env-file')]?.split(',') ?? [])
  const environment = await withEnvFiles(
    invocation.environment,
    files.filter((file) => file !== ''),
  )
  for (const message of strangeVariables(environment, Object.keys(EVAL_OPTIONS))) output.warn(message)
  const readsConfig = Object.hasOwn(table, 'config')
  const path = readsConfig
    ? (given.text('config') ?? configOf(table, positionals) ?? variable(environment, 'config'))
    : null
  const config = readsConfig ? await readConfig(path) : NO_CONFIG
  const written = Object.fromEntries(
    Object.entries(writtenOptions(config)).filter(([name]) => Object.hasOwn(table, name)),
  )
  const own = layeredOptions(table, { given, environment, written })
  const flags = readEvalOptions(declaredOnly(table, given))
  return { options: readEvalOptions(own), given: flags, own, environment, config }
}

const NO_CONFIG: ConfigFile = { path: null, config: {}, resolve: (path) => path }

/** `callspec eval my.config.ts`: only where a command asks for nothing else. */
function configOf(table: OptionTable, positionals: readonly string[]): string | null {
  return table === EVAL_OPTIONS ? (positionals[0] ?? null) : null
}

function variable(environment: Invocation['environment'], name: string): string | null {
  return environment[variableOf(name)] || null
}
