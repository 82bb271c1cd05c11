/**
 * A row as Redis keeps it: who stored it, and the line of the journal. The name tells two histories of one episode apart: a row
 * goes behind one that is there, not behind any row at that place.
 */
export interface Row {
  readonly name: string
  readonly json: string
}

/** Hexadecimal digits of a name. */
export const NAME_LENGTH = 12

/** No row. */
export const NO_NAME = ''

/** The row that a text is: its name, then its JSON. */
export function readRow(text: string): Row {
  return { name: text.slice(0, NAME_LENGTH), json: text.slice(NAME_LENGTH) }
}
