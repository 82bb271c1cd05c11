import type { Options } from '../command.ts'

const TEXT_OPTIONS = [
  'api-key-env',
  'suite',
  'tools',
  'mcp',
  'filter',
  'filter-failing',
  'lang',
  'stops',
  'prompt',
  'timeout',
  'wait-for-server',
  'delay',
  'record',
  'replay',
  'resume',
  'shard',
  'reports',
  'min-passes',
  'baseline',
  'config',
  'queue',
  'queue-prefix',
  'metrics-host',
  'time-limit',
] as const

const LIST_OPTIONS = [
  'model',
  'base-url',
  'format',
  'protocol',
  'header',
  'filter-category',
  'output',
  'reporter',
  'min',
  'max',
  'gate-on',
  'budget',
  'env-file',
  'allow-format',
  'api',
] as const

const FLAG_OPTIONS = [
  'strict',
  'same-build',
  'shared-folder',
  'retry-errors',
  'accept-edited',
  'watch',
  'dry-run',
  'json',
  'verbose',
  'fail-on-error',
] as const

/** Flags with a `--no-` form: true, false or not given. */
const CHOICE_OPTIONS = ['stream', 'cache', 'table'] as const

const WHOLE_OPTIONS = [
  'repeat',
  'seed',
  'limit',
  'max-calls',
  'max-tokens',
  'max-concurrency',
  'max-retries',
  'queue-memory',
  'metrics-port',
] as const
const SHARE_OPTIONS = ['max-infra-rate', 'max-regression', 'require-detectable'] as const

/**
 * The options of an evaluation command by their names in `callspec eval`. A text, number or choice is null if it was not given or the
 * command does not have it. Numbers are within their limits.
 */
export type EvalOptions = Readonly<
  Record<(typeof TEXT_OPTIONS)[number], string | null> &
    Record<(typeof LIST_OPTIONS)[number], readonly string[]> &
    Record<(typeof FLAG_OPTIONS)[number], boolean> &
    Record<(typeof CHOICE_OPTIONS)[number], boolean | null> &
    Record<(typeof WHOLE_OPTIONS)[number] | (typeof SHARE_OPTIONS)[number], number | null>
>

export type EvalOptionName = keyof EvalOptions

/**
 * Reads every option of the evaluation at once.
 *
 * @throws UsageError for an invalid number
 */
export function readEvalOptions(options: Options): EvalOptions {
  return {
    ...readEach(TEXT_OPTIONS, (name) => options.text(name)),
    ...readEach(LIST_OPTIONS, (name) => options.list(name)),
    ...readEach(FLAG_OPTIONS, (name) => options.flag(name)),
    ...readEach(CHOICE_OPTIONS, (name) => options.choice(name)),
    ...readEach(WHOLE_OPTIONS, (name) => options.integer(name, LIMITS[name])),
    ...readEach(SHARE_OPTIONS, (name) => options.number(name, LIMITS[name])),
  }
}

/** Whether an option has a value. */
export function isGiven(options: EvalOptions, name: EvalOptionName): boolean {
  const value = options[name]
  if (Array.isArray(value)) return value.length > 0
  return value !== null && !(value === false && FLAG_OPTIONS.some((flag) => flag === name))
}

function readEach<Name extends string, Value>(
  names: readonly Name[],
  read: (name: Name) => Value,
): Readonly<Record<Name, Value>> {
  return Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Name, Value>
}

/** Limits of numbers in flags, variables and files. */
export const LIMITS = {
  repeat: { min: 1, max: 1000 },
  seed: { min: 0, max: 1073741824 },
  limit: { min: 1 },
  'max-calls': { min: 1, max: 1000 },
  'max-tokens': { min: 1 },
  'max-concurrency': { min: 1, max: 1024 },
  'max-retries': { min: 0, max: 100 },
  'queue-memory': { min: 1, max: 1_000_000 },
  'metrics-port': { min: 0, max: 65_535 },
  'max-infra-rate': { min: 0, max: 1 },
  'max-regression': { min: 0, max: 1 },
  'require-detectable': { min: 0, max: 1 },
} as const

/** The reporters that write a file. */
export const FILE_REPORTERS = ['json', 'jsonl', 'junit', 'md', 'html', 'csv'] as const

/** Every reporter; `table` prints. */
export const REPORTERS: readonly Reporter[] = ['table', ...FILE_REPORTERS]

/** One of `REPORTERS`. */
export type Reporter = 'table' | FileReporter
/** One of `FILE_REPORTERS`. */
export type FileReporter = (typeof FILE_REPORTERS)[number]
