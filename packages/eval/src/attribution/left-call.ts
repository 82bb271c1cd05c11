import { foreignCall, alternatives, identifiedFrom } from '../reading/foreign-calls.ts'
import { textCall } from './parse-failure.ts'

/** A call that stands in a text, and what its format is called: ids of formats, or `bare JSON`. */
export interface LeftCall {
  readonly format: string
  /** Offset in UTF-16 units. */
  readonly start: number
}

/** The first call in a text that a parser of its format could read; null for none. */
export function leftCall(text: string): LeftCall | null {
  const foreign = foreignCall(text)
  if (foreign?.isWhole === true) return { ...foreign, format: nameOf(text, foreign.start) ?? foreign.format }
  const start = textCall(text)
  return start === null ? null : { format: nameOf(text, start) ?? 'bare JSON', start }
}

/** Null for the call of a family that cannot be read here. */
function nameOf(text: string, start: number): string | null {
  const formats = identifiedFrom(text, start)
  return formats.length === 0 ? null : alternatives(formats)
}
