import type { PlainValue, PyValue } from '@callspec/python'
import { fromPlain, loads, Raise } from '@callspec/python'
import type { TemplateError } from './error.ts'
import type { Value } from './values/value.ts'

/**
 * The variables of a template: JSON text, which loses nothing; a map of lossless values as `loads` makes them; or plain
 * data as `JSON.parse` makes it, in which `1.0` has become `1` and integer-like keys stand first.
 */
export type Variables = string | ReadonlyMap<string, PyValue> | { readonly [name: string]: PlainValue }

/** The values by name, or why there are none. */
export function readVariables(
  variables: Variables,
): { readonly values: ReadonlyMap<string, Value> } | { readonly error: TemplateError } {
  try {
    const value = typeof variables === 'string' ? loads(variables) : fromPlain(variables)
    if (value instanceof Map) return { values: value as ReadonlyMap<string, Value> }
    return { error: { type: 'VariablesError', message: 'The variables are no JSON object.' } }
  } catch (error) {
    // What `loads` and `fromPlain` throw is about the data alone.
    if (error instanceof Raise || error instanceof Error) {
      return { error: { type: 'VariablesError', message: `The variables cannot be read: ${error.message}` } }
    }
    throw error
  }
}
