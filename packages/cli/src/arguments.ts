import { parseArgs } from 'node:util'
import type { Command, Options, OptionSpec, OptionTable } from './command.ts'
import { shownOptions } from './command.ts'
import { didYouMean, knownNames, UsageError } from './usage-error.ts'
import { isModulePath } from './input-file.ts'

export interface ParsedArguments {
  readonly help: boolean
  readonly subcommand: string | null
  readonly positionals: readonly string[]
  readonly options: Options
  /** One sentence for each deprecated option that was given. */
  readonly deprecations: readonly string[]
}

type GivenOptions = ReadonlyMap<string, readonly (string | boolean)[]>

/**
 * Reads the words after the command's name.
 *
 * `--help` wins over every mistake on the line. Otherwise the first mistake is thrown as a UsageError that names the option and, for
 * a misspelt one, the nearest known name.
 */
export function parseArguments(command: Command, words: readonly string[]): ParsedArguments {
  const tokens = tokenizeWords(command.options, withBareValues(command.options, words))
  const help = tokens.some((token) => token.kind === 'option' && (token.name === 'help' || token.rawName === '-h'))
  if (help) return helpOf(command, tokens)
  const given = new Map<string, (string | boolean)[]>()
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind === 'option') takeOption(given, command, token)
  }
  const subcommand = command.subcommands === undefined ? null : takeSubcommand(command, positionals)
  const extra = positionals[command.maxPositionals ?? 0]
  if (extra !== undefined) {
    throw new UsageError(`unexpected argument "${extra}". See callspec ${command.name} --help`)
  }
  const deprecations = [...given.keys()].flatMap((name) => {
    const instead = command.options[name]?.deprecated
    return instead === undefined ? [] : [`--${name} is deprecated: ${instead}`]
  })
  return { help, subcommand, positionals, options: optionsOf(command.options, given), deprecations }
}

/** For `callspec batch import --help`: the page of the subcommand. */
function helpOf(command: Command, tokens: readonly WordToken[]): ParsedArguments {
  const first = tokens.find((token) => token.kind === 'positional')?.value ?? ''
  const subcommand = Object.hasOwn(command.subcommands ?? {}, first) ? first : null
  return { help: true, subcommand, positionals: [], options: optionsOf(command.options, new Map()), deprecations: [] }
}

type WordToken =
  | { readonly kind: 'positional'; readonly value: string }
  | {
      readonly kind: 'option'
      readonly name: string
      readonly rawName: string
      readonly value: string | undefined
      readonly inlineValue: boolean | undefined
    }
  | { readonly kind: 'option-terminator' }

/** Splits the words with `parseArgs`. Not strictly, because its own messages do not say what to do. */
function tokenizeWords(table: OptionTable, words: readonly string[]): readonly WordToken[] {
  const options = Object.fromEntries(
    Object.entries(table).map(([name, spec]) => [
      name,
      {
        type: spec.value === undefined ? ('boolean' as const) : ('string' as const),
        ...(spec.short === undefined ? {} : { short: spec.short }),
      },
    ]),
  )
  const { tokens } = parseArgs({ args: [...words], options, strict: false, allowPositionals: true, tokens: true })
  return tokens
}

/** Gives an option without a value its `whenBare`. */
function withBareValues(table: OptionTable, words: readonly string[]): readonly string[] {
  const end = words.includes('--') ? words.indexOf('--') : words.length
  return words.map((word, at) => {
    const next = words[at + 1]
    const isBare = at < end && word.startsWith('--') && (next === undefined || /^-./.test(next))
    const value = isBare && Object.hasOwn(table, word.slice(2)) ? table[word.slice(2)]?.whenBare : undefined
    return value === undefined ? word : `${word}=${value}`
  })
}

function takeOption(
  given: Map<string, (string | boolean)[]>,
  command: Command,
  token: WordToken & { kind: 'option' },
): void {
  const { name, value } = resolveOption(command, token)
  const spec = command.options[name]
  const before = given.get(name)
  if (before !== undefined && spec?.value !== undefined && spec.repeat !== true) {
    throw new UsageError(`--${name} was given twice, with "${String(before[0])}" and "${String(value)}". Give it once.`)
  }
  if (spec?.repeat !== true) given.set(name, [value])
  else given.set(name, [...(before ?? []), ...(spec.isList === true ? String(value).split(',') : [value])])
}

function resolveOption(
  command: Command,
  token: WordToken & { kind: 'option' },
): { name: string; value: string | boolean } {
  const table = command.options
  const positive = token.name.startsWith('no-') ? token.name.slice(3) : null
  if (positive !== null && !Object.hasOwn(table, token.name) && table[positive]?.negatable === true) {
    if (token.inlineValue === true) throw new UsageError(`${token.rawName} takes no value`)
    return { name: positive, value: false }
  }
  const spec = Object.hasOwn(table, token.name) ? table[token.name] : undefined
  if (spec === undefined) throw unknownOption(command, token.rawName)
  return { name: token.name, value: spec.value === undefined ? flagValue(token) : textValue(spec, token) }
}

function flagValue(token: WordToken & { kind: 'option' }): true {
  if (token.value !== undefined) throw new UsageError(`${token.rawName} takes no value, got "${token.value}"`)
  return true
}

function textValue(spec: OptionSpec, token: WordToken & { kind: 'option' }): string {
  const { rawName, value } = token
  // `-` alone means standard input or output; anything longer is more likely the next option.
  if (value === undefined || (token.inlineValue === false && value.length > 1 && value.startsWith('-'))) {
    const hint = value === undefined ? '' : `; if "${value}" is meant, write ${rawName}=${value}`
    throw new UsageError(`${rawName} needs a value (${spec.value ?? ''})${hint}`)
  }
  const unknown = unknownIn(spec, value)
  if (unknown !== null) throw noChoice(rawName, unknown, spec)
  return value
}

function unknownOption(command: Command, rawName: string): UsageError {
  const names = shownOptions(command.options).flatMap(([name, spec]) =>
    spec.negatable === true ? [name, `no-${name}`] : [name],
  )
  const hint = didYouMean(rawName.replace(/^-+/, ''), [...names, 'help'], { prefix: '--' })
  return new UsageError(`unknown option ${rawName}.${hint || ` See callspec ${command.name} --help`}`)
}

function takeSubcommand(command: Command, positionals: string[]): string | null {
  const known = Object.keys(command.subcommands ?? {})
  const name = positionals.shift()
  if (name === undefined) {
    if (command.worksAlone === true) return null
    throw new UsageError(
      `callspec ${command.name} needs one of: ${known.join(', ')}. See callspec ${command.name} --help`,
    )
  }
  if (known.includes(name)) return name
  throw new UsageError(
    `unknown subcommand "${name}" of callspec ${command.name}.${didYouMean(name, known)} Known: ${known.join(', ')}.`,
  )
}

function optionsOf(table: OptionTable, given: GivenOptions): Options {
  const last = (name: string): string | boolean | null => {
    // A name that the command did not declare is a fault of ours; it would otherwise always read as "not given".
    if (!Object.hasOwn(table, name)) throw new Error(`callspec: option --${name} is read but not declared`)
    return given.get(name)?.at(-1) ?? null
  }
  const text = (name: string): string | null => {
    const value = last(name)
    return typeof value === 'string' ? value : null
  }
  const number: Options['number'] = (name, limits = {}) => {
    const value = text(name)
    return value === null ? null : numberFrom(`--${name}`, value, { ...limits, whole: false })
  }
  const integer: Options['integer'] = (name, limits = {}) => {
    const value = text(name)
    return value === null ? null : numberFrom(`--${name}`, value, { ...limits, whole: true })
  }
  const choice = (name: string): boolean | null => {
    const value = last(name)
    return typeof value === 'boolean' ? value : null
  }
  const list = (name: string): readonly string[] => {
    last(name)
    return (given.get(name) ?? []).filter((value) => typeof value === 'string')
  }
  return { flag: (name) => choice(name) === true, choice, text, list, integer, number }
}

/**
 * The number that a user wrote.
 *
 * @param label where it was written, such as `--limit`
 * @throws UsageError for anything else, or a number outside the limits
 */
export function numberFrom(
  label: string,
  text: string,
  limits: { readonly min?: number; readonly max?: number; readonly whole: boolean },
): number {
  const value = Number(text)
  const min = limits.min ?? -Infinity
  const max = limits.max ?? Infinity
  const wellFormed = limits.whole ? /^[+-]?\d+$/.test(text) : text.trim() !== '' && Number.isFinite(value)
  if (wellFormed && value >= min && value <= max) return value
  const kind = limits.whole ? 'a whole number' : 'a number'
  const range = min === -Infinity && max === Infinity ? '' : ` ${limitsText(min, max)}`
  throw new UsageError(`${label} must be ${kind}${range}, got "${text}"`)
}

function limitsText(min: number, max: number): string {
  if (max === Infinity) return `of at least ${min}`
  return min === -Infinity ? `of at most ${max}` : `from ${min} to ${max}`
}

/** The error about a value that is not one of the choices. */
export function noChoice(
  name: string,
  value: string,
  { choices = [], refused, families, takesModules }: OptionSpec,
): UsageError {
  const why = refused?.get(value)
  const what =
    why === undefined
      ? `is unknown.${didYouMean(value, choices, { families })} ${choicesKnown(choices, takesModules === true)}`
      : `cannot be asked for: ${why}`
  return new UsageError(`${name} "${value}" ${what}`)
}

/** Names of formats are many, and modules are formats, too. */
function choicesKnown(choices: readonly string[], takesModules: boolean): string {
  const known = knownNames(choices, takesModules ? 'callspec formats' : '--help')
  return takesModules ? known.replace(/\.$/, '; or a file such as ./my-format.mjs.') : known
}

/** The value that an option does not accept, or the part of a list; null if it accepts all. */
export function unknownIn(spec: OptionSpec, value: string): string | null {
  const parts = spec.isList === true ? value.split(',') : [value]
  return parts.find((each) => !isChoice(spec, each)) ?? null
}

function isChoice({ choices, takesModules }: OptionSpec, value: string): boolean {
  return choices === undefined || choices.includes(value) || (takesModules === true && isModulePath(value))
}

const DURATION_UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/**
 * A time that a user wrote, in milliseconds: `1.5` (seconds), `500ms`, `90s`, `2m`, `1h`.
 *
 * @param label where it was written, such as `--timeout`
 * @throws UsageError for anything else, or a time outside the limits
 */
export function durationFrom(
  label: string,
  text: string,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  const [, number = '', unit = 's'] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)?$/.exec(text.trim()) ?? []
  const value = Number(number) * (DURATION_UNITS[unit] ?? NaN)
  if (number !== '' && value >= min && value <= max) return value
  throw new UsageError(
    `${label} must be a time from ${durationText(min)} to ${durationText(max)} such as 90s or 500ms, got "${text}"`,
  )
}

function durationText(ms: number): string {
  const [unit = 'ms', size = 1] =
    Object.entries(DURATION_UNITS).findLast(([, each]) => ms >= each && ms % each === 0) ?? []
  return `${ms / size}${unit}`
}
