import { parseArgs } from 'node:util'

/** The options of a small program, each with one value; `markers` may come again. */
export type Given = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Reads the words of a command line.
 *
 * @throws Error that names the word which is no option
 */
export function readArguments(words: readonly string[], names: readonly string[]): Given {
  const options = Object.fromEntries(
    names.map((name) => [name, { type: 'string', multiple: name === 'marker' } as const]),
  )
  return parseArgs({ args: [...words], options }).values
}

/** The text of an option, null where it was not given. */
export function textOf(given: Given, name: string): string | null {
  const value = given[name]
  return typeof value === 'string' ? value : null
}

/**
 * The number of an option, null where it was not given.
 *
 * @throws Error that names the option, when it is no whole number of at least `least`
 */
export function numberOf(given: Given, name: string, least: number): number | null {
  const value = textOf(given, name)
  if (value === null) return null
  if (/^\d{1,9}$/.test(value) && Number(value) >= least) return Number(value)
  throw new Error(`--${name} ${value}: is no whole number of at least ${least}.`)
}

/** The message of an error, on one line. */
export function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ')
}
