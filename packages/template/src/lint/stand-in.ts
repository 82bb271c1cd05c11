import type { TemplateError } from '../error.ts'
import type { Json, Probe } from './probe.ts'
import type { StandIn } from './report.ts'

/** What an error says is missing from the surroundings of a template; null for every other error. */
export function missingIn({ type, message }: TemplateError): StandIn | null {
  const filter = /^No (filter|test) named '([\w.]{1,80})'/.exec(message)
  if (filter !== null) return { kind: filter[1] === 'test' ? 'test' : 'filter', name: filter[2] ?? '' }
  const variable = type === 'UndefinedError' ? /^'(\w{1,80})' is undefined$/.exec(message) : null
  return variable === null ? null : { kind: 'variable', name: variable[1] ?? '' }
}

/** A template with what it lacks put in its place. */
export interface Patched {
  readonly source: string
  readonly variables: (probe: Probe) => { readonly [name: string]: Json }
}

/**
 * The template with stand-ins: a filter hands on its value, a test asks whether there is one, a function says nothing, and
 * a variable is a text. Lines stay where they are.
 */
export function patched(source: string, standIns: readonly StandIn[]): Patched {
  const text = standIns.reduce(patchSource, source)
  const names = standIns.filter(({ kind }) => kind === 'variable').map(({ name }) => name)
  return { source: text, variables: (probe) => Object.fromEntries(names.map((name) => [name, valueOf(name, probe)])) }
}

/** The stand-in for what is missing: what is called is a function. */
export function standInFor(source: string, missing: StandIn): StandIn {
  const isCalled = missing.kind === 'variable' && new RegExp(`\\b${missing.name}\\(`).test(source)
  return isCalled ? { ...missing, kind: 'function' } : missing
}

function patchSource(source: string, { kind, name }: StandIn): string {
  if (kind === 'function') return `{%- macro ${name}() -%}{%- endmacro -%}${source}`
  if (kind === 'filter') return source.replace(new RegExp(`\\|(\\s*)${escaped(name)}\\b`, 'g'), '|$1default')
  if (kind === 'test')
    return source.replace(new RegExp(`\\bis(\\s+(?:not\\s+)?)${escaped(name)}\\b`, 'g'), 'is$1defined')
  return source
}

function escaped(name: string): string {
  return name.replaceAll('.', () => '\\.')
}

/** Names say what is meant: the tools as text, or a date. */
function valueOf(name: string, { tools }: Probe): Json {
  if (/functions?|tools?|schema/i.test(name)) return JSON.stringify(tools ?? [])
  return /date|time|today|now/i.test(name) ? '2026-01-15' : ''
}
