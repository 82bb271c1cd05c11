import { GrammarError } from './expression.ts'

/** A format of a structural tag, as it is written. */
export type Format = Readonly<Record<string, unknown>>

/** Where a format is: its path for messages, and the ends of the tag around it, which free text must not hold. */
export type Surroundings = { readonly path: string; readonly ends: readonly string[]; readonly depth: number }

export function isFormat(value: unknown): value is Format {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function stringMember(format: Format, name: string, path: string): string {
  const value = format[name]
  if (typeof value !== 'string') throw new GrammarError(`${path}.${name} must be a string.`)
  return value
}

export function listMember(format: Format, name: string, path: string): readonly unknown[] {
  const value = format[name]
  if (!Array.isArray(value) || value.length === 0)
    throw new GrammarError(`${path}.${name} must be a list with at least one entry.`)
  return value as unknown[]
}

export function flagMember(format: Format, name: string, path: string, fallback: boolean): boolean {
  const value = format[name]
  if (value === undefined) return fallback
  if (typeof value !== 'boolean') throw new GrammarError(`${path}.${name} must be true or false.`)
  return value
}

export function stringsMember(format: Format, name: string, path: string): readonly string[] {
  const value = format[name] ?? []
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string'))
    throw new GrammarError(`${path}.${name} must be a list of strings.`)
  return value
}

export function countMember(format: Format, name: string, path: string): number | null {
  const value = format[name]
  if (value === undefined || value === null) return null
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0)
    throw new GrammarError(`${path}.${name} must be a whole number that is not negative.`)
  return value
}
