import type { Invocation, Options, OptionSpec, OptionTable } from './command.ts'
import { didYouMean } from './nearest.ts'
import { numberFrom } from './number-from.ts'
import { UsageError } from './usage-error.ts'

/** Settings of a file by the names of options. They have been checked: texts, flags and lists of texts. */
export type WrittenOptions = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

type Environment = Invocation['environment']
type Limits = { readonly min?: number; readonly max?: number }

/** `CALLSPEC_MAX_CONCURRENCY` for `max-concurrency`. */
export function variableOf(name: string): string {
  return `CALLSPEC_${name.toUpperCase().replaceAll('-', () => '_')}`
}

/**
 * Options from three places: the command line, then variables `CALLSPEC_NAME`, then a file. A variable that is empty is
 * not set; one for a repeatable option holds its values separated by commas.
 *
 * @throws UsageError, when a value is read that the variable cannot mean
 */
export function layeredOptions(
  table: OptionTable,
  {
    given,
    environment,
    written,
  }: { readonly given: Options; readonly environment: Environment; readonly written: WrittenOptions },
): Options {
  // Commands share readers, and one that lacks an option reads it as not given.
  const isDeclared = (name: string): boolean => Object.hasOwn(table, name)
  const variable = (name: string): string | null => (isDeclared(name) && environment[variableOf(name)]) || null
  const writtenText = (name: string): string | null => {
    const value = written[name]
    return typeof value === 'string' ? value : null
  }
  const writtenList = (name: string): readonly string[] => {
    const value = written[name]
    if (typeof value === 'string') return [value]
    return typeof value === 'object' ? value : []
  }
  const choice = (name: string): boolean | null => {
    const set =
      (isDeclared(name) ? given.choice(name) : null) ??
      (variable(name) === null ? null : flagFrom(name, variable(name) ?? ''))
    const value = written[name]
    return set ?? (typeof value === 'boolean' ? value : null)
  }
  const numeric = (name: string, limits: Limits, whole: boolean): number | null => {
    const set = variable(name)
    if (set !== null) return numberFrom(variableOf(name), set, { ...limits, whole })
    const value = writtenText(name)
    return value === null ? null : numberFrom(name, value, { ...limits, whole })
  }
  return {
    choice,
    flag: (name) => choice(name) === true,
    text: (name) =>
      (isDeclared(name) ? given.text(name) : null) ?? checked(table, name, variable(name)) ?? writtenText(name),
    list: (name) => {
      const flags = isDeclared(name) ? given.list(name) : []
      if (flags.length > 0) return flags
      const set = variable(name)
      if (set !== null) return valuesOf(set).map((each) => checked(table, name, each) ?? each)
      return writtenList(name)
    },
    integer: (name, limits = {}) =>
      (isDeclared(name) ? given.integer(name, limits) : null) ?? numeric(name, limits, true),
    number: (name, limits = {}) =>
      (isDeclared(name) ? given.number(name, limits) : null) ?? numeric(name, limits, false),
  }
}

/** Variables that look like an option, but are none: one warning each. */
export function strangeVariables(environment: Environment, known: readonly string[]): readonly string[] {
  const names = [...known.map(variableOf), ...OTHER_VARIABLES]
  return Object.keys(environment)
    .filter((name) => name.startsWith('CALLSPEC_') && environment[name] !== '' && !names.includes(name))
    .map((name) => ({ name, hint: didYouMean(name, names) }))
    .filter(({ hint }) => hint !== '')
    .map(({ name, hint }) => `${name} is set, but no option is called so.${hint}`)
}

/** Read elsewhere. */
const OTHER_VARIABLES: readonly string[] = ['CALLSPEC_DEBUG', 'CALLSPEC_FAILED_EXIT_CODE']

function valuesOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
}

function checked(table: OptionTable, name: string, value: string | null): string | null {
  const spec: OptionSpec | undefined = table[name]
  if (value === null || spec?.choices === undefined || spec.choices.includes(value)) return value
  throw new UsageError(`${variableOf(name)} "${value}" is unknown. Known: ${spec.choices.join(', ')}.`)
}

const FLAG_WORDS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 'true', 'yes', 'on'].map((word) => [word, true] as const),
  ...['0', 'false', 'no', 'off'].map((word) => [word, false] as const),
])

function flagFrom(name: string, text: string): boolean {
  const value = FLAG_WORDS.get(text.toLowerCase())
  if (value !== undefined) return value
  throw new UsageError(`${variableOf(name)} must be true or false, got "${text}"`)
}
