import type { Program } from './program.ts'

/** A pattern needs more work on a text than is allowed. */
export class PatternLimitError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'PatternLimitError'
  }
}

/** A search in one text: where it may go on, what it has tried. */
export interface Search {
  readonly program: Program
  readonly text: string
  /** Whether a character past the end of the text is wanted, not missing. */
  readonly isPartial: boolean
  /** Whether a look-behind, `\b` or `\B` at the end of the text is taken to hold: at the last start of a partial search. */
  isLenientAtEnd: boolean
  /** Offset where the search began. */
  readonly from: number
  /** A match that is empty at this offset does not count; -1 if every match counts. */
  readonly notEmptyAt: number
  readonly slots: Int32Array
  /** Tried alternatives: entries of four numbers. */
  readonly stack: number[]
  /** Work of this search and of those before it in the same text. */
  work: number
  readonly maxWork: number
  /** From this work on, failed alternatives are remembered. */
  readonly rememberFrom: number
  /** Alternatives that have failed, once much work was done: one bit per step and offset. */
  memory: Set<number> | null
  /** Ranges in which a loop has failed completely, by step. */
  readonly failed: Map<number, Failed>
}

interface Failed {
  readonly from: number
  readonly to: number
}

/** Result of a try: the end of the match, `FAILED`, or `WANTED` if a character past the end was wanted. */
export const FAILED = -1
/** See `FAILED`. */
export const WANTED = -2

/** The work of several searches in one text, or in the pieces of a stream. */
export interface Effort {
  work: number
  /** UTF-16 units of the text so far. */
  length: number
}

/** Work per character of a text, and in addition to it, that the searches in it may do: some ten milliseconds for a short text. */
const WORK_PER_CHARACTER = 100
const WORK_BESIDES = 2_000_000
/** From this work per character on, failed alternatives are remembered. */
const REMEMBER_AFTER = 24

/** A search that has done nothing yet. */
export function newSearch(
  program: Program,
  text: string,
  settings: {
    readonly isPartial: boolean
    readonly from: number
    readonly effort: Effort
    readonly notEmptyAt?: number
  },
): Search {
  return {
    program,
    text,
    isPartial: settings.isPartial,
    isLenientAtEnd: false,
    from: settings.from,
    notEmptyAt: settings.notEmptyAt ?? -1,
    slots: new Int32Array(program.slots).fill(-1),
    stack: [],
    work: settings.effort.work,
    maxWork: WORK_BESIDES + WORK_PER_CHARACTER * settings.effort.length,
    rememberFrom: settings.effort.work + 2_000 + REMEMBER_AFTER * (text.length - settings.from),
    memory: null,
    failed: new Map(),
  }
}

/** First number of an entry of the stack: put a place of a group back. */
export const RESTORE = -1
/** First number of an entry of the stack: a loop that has alternatives left. */
export const LOOP = -2
