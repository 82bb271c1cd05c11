import type { RegexDialect } from './character-set.ts'
import type { RegexNode } from './node.ts'

/** A pattern that the module `regex` refuses. `at` is the offset of the fault in UTF-16 units. */
export class RegexError extends Error {
  readonly at: number

  constructor(message: string, at: number) {
    super(`${message} at position ${at}`)
    this.name = 'RegexError'
    this.at = at
  }
}

/** The error of a pattern that cannot be read at `at`. */
export function regexError(message: string, at: number): RegexError {
  return new RegexError(message, at)
}

/** The flags that count at a place of a pattern. */
export interface RegexFlags {
  readonly isFolded: boolean
  readonly isMultiline: boolean
  readonly isDotAll: boolean
  readonly isVerbose: boolean
}

/** How far a pattern has been read. */
export interface RegexCursor {
  readonly source: string
  readonly dialect: RegexDialect
  /** Offset of the next unit to be read. */
  at: number
  depth: number
  flags: RegexFlags
  groupCount: number
  readonly names: Map<string, number>
  readonly references: { readonly group: number | string; readonly at: number }[]
  /** Flags that the pattern sets for all of itself. */
  wholeFlags: RegexFlags | null
  /** Reads alternatives up to `)` or the end. */
  readonly parseChoice: () => RegexNode
}
