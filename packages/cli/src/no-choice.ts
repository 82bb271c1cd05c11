import type { OptionSpec } from './command.ts'
import { isModulePath } from './module-file.ts'
import { didYouMean } from './nearest.ts'
import { UsageError } from './usage-error.ts'

/** What is wrong with a value that is none of the choices. */
export function noChoice(
  name: string,
  value: string,
  { choices = [], refused, families, takesModules }: OptionSpec,
): UsageError {
  const why = refused?.get(value)
  const what =
    why === undefined
      ? `is unknown.${didYouMean(value, choices, { families })} Known: ${choices.join(', ')}${takesModules === true ? '; or a file such as ./my-format.mjs' : ''}.`
      : `cannot be asked for: ${why}`
  return new UsageError(`${name} "${value}" ${what}`)
}

/** What an option does not take: the value, or a part of one that may hold several. Null where it takes it. */
export function unknownIn(spec: OptionSpec, value: string): string | null {
  const parts = spec.isList === true ? value.split(',') : [value]
  return parts.find((each) => !isChoice(spec, each)) ?? null
}

function isChoice({ choices, takesModules }: OptionSpec, value: string): boolean {
  return choices === undefined || choices.includes(value) || (takesModules === true && isModulePath(value))
}
