import type { OptionSpec } from './command.ts'
import { UsageError } from './usage-error.ts'

/** What is wrong with a value that is none of the choices. */
export function noChoice(name: string, value: string, { choices = [], refused }: OptionSpec): UsageError {
  const why = refused?.get(value)
  const what = why === undefined ? `is unknown. Known: ${choices.join(', ')}.` : `cannot be asked for: ${why}`
  return new UsageError(`${name} "${value}" ${what}`)
}
