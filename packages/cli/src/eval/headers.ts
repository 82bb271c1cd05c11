import { headerFault } from '@callspec/eval'
import type { EndpointHeaders } from '@callspec/eval'
import type { Invocation } from '../command.ts'
import { variableOf } from '../layered-options.ts'
import { UsageError } from '../usage-error.ts'

/** Where headers are named. */
export interface HeaderSources {
  /** What `--header` was given. */
  readonly header: readonly string[]
  readonly environment: Invocation['environment']
}

/**
 * The headers that every request gets: those of the configuration, then those of CALLSPEC_HEADER, one a line, then those of
 * `--header`; of two with the same name the later one counts. `${NAME}` stands for a variable.
 *
 * @param written those of the configuration
 * @throws UsageError for what is no header, and for a variable that is not set; never with a value
 */
export function headersOf(written: EndpointHeaders, { header, environment }: HeaderSources): EndpointHeaders {
  const variable = (environment[variableOf('header')] ?? '').split('\n').filter((line) => line.trim() !== '')
  const entries: readonly (readonly [string, string])[] = [
    ...Object.entries(written),
    ...variable.map((line) => headerFrom(line, variableOf('header'))),
    ...header.map((text) => headerFrom(text, '--header')),
  ]
  const headers = new Map<string, readonly [string, string]>()
  for (const [name, template] of entries) {
    const value = filled(template, name, environment).trim()
    const fault = headerFault(name, value)
    if (fault !== null) throw new UsageError(`${fault}.`)
    headers.set(name.toLowerCase(), [name, value])
  }
  return Object.fromEntries(headers.values())
}

/** The variables that a header is made of. */
export function variablesIn(template: string): readonly string[] {
  return [...template.matchAll(VARIABLE)].flatMap(([, name]) => (name === undefined ? [] : [name]))
}

const VARIABLE = /\$\{([^}]*)\}/g

function headerFrom(text: string, where: string): readonly [string, string] {
  const at = text.indexOf(':')
  if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
  // What stands there may be a key.
  throw new UsageError(`${where} takes a name and a value, such as 'api-key: \${AZURE_KEY}'.`)
}

function filled(template: string, name: string, environment: HeaderSources['environment']): string {
  return template.replace(VARIABLE, (_, variable: string) => {
    const value = environment[variable] ?? ''
    if (value !== '') return value
    throw new UsageError(`the variable ${variable}, which the header ${name} is to hold, is not set.`)
  })
}
