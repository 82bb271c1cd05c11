import type { Writer } from './writer.ts'

/** What texts of a format are made of: its markers by their meaning, and how it writes a call. */
export interface Language {
  /** Of the format, such as `nous`. */
  readonly id: string
  /** Each begins a call. */
  readonly callStart: readonly string[]
  /** Each stands inside a call and parts its pieces. */
  readonly callInner: readonly string[]
  /** Each ends a call. Empty where a call ends with the reply or the next call. */
  readonly callEnd: readonly string[]
  /** Around a thought; null where the format knows none. */
  readonly thought: Thought | null
  /** Words that end a reply, in the order in which they are tried. */
  readonly stopWords: readonly string[]
  /** What is left of them when their last token is missing; the last one that fits is removed. */
  readonly partialStopWords: readonly string[]
  /** Further pieces that the parser reacts to, or that models write near calls. */
  readonly others: readonly string[]
  /** How a call is spelled; null where name and arguments do not stand in its text as they are. */
  readonly call: CallSpelling | null
  /** Markers around calls that open or end none by themselves. Absent: none. */
  readonly wrappers?: readonly string[]
  /** Around the head of a message; a reply begins inside of one, and its text is no prose. Absent: none. */
  readonly head?: { readonly open: string; readonly close: string } | undefined
  /** How prose is written where it does not stand bare: what stands before it, and before what follows. Absent: bare. */
  readonly prose?: { readonly start: string; readonly joint: string } | undefined
  /** Whether the values of arguments stand as text, and are texts where no schema says otherwise. Absent: no. */
  readonly hasTextValues?: boolean
  /** Whether names of calls and arguments have to be identifiers. Absent: no. */
  readonly identifiers?: boolean
  /** Whether calls are pieces of one value. Absent: each stands for itself. */
  readonly callsInBody?: boolean
  /** Whether prose beside a call makes prose of the whole reply. Absent: no. */
  readonly callsAlone?: boolean
  /** What stands between two calls of one reply; null where only one counts, or where each is shown as a reply. */
  readonly callSeparator: string | null
  /** Whether two calls that are written together are read as two, joined by a separator or not. Absent: no. */
  readonly callsTogether?: boolean
  /** An id for a call at a place, of the form that the format writes and reads back. Absent: it writes none. */
  readonly idOf?: ((name: string, index: number) => string) | undefined
  /** Replies as the format's own renderer shows them. */
  readonly write: Writer
}

/** The text around name and arguments of a call. */
export interface CallSpelling {
  readonly beforeName: string
  readonly betweenNameAndArguments: string
  readonly afterArguments: string
}

/** How a thought is marked. */
export interface Thought {
  readonly start: string
  readonly end: string
  /** Whether the parser sees by itself that there is a thought, or only when it is told (`thoughtInContent`). */
  readonly isDetected: boolean
  /** Whether the parser tells a thought apart from prose. */
  readonly isApart: boolean
}

/** Prose as a piece of a reply, with what parts it from a next one. */
export function spellProse({ prose }: Language, text: string, isLast: boolean): string {
  return prose === undefined ? text : prose.start + text + (isLast ? '' : prose.joint)
}

/** Every marker of calls and thoughts. */
export function markersOf({ callStart, callInner, callEnd, thought }: Language): readonly string[] {
  return [...callStart, ...callInner, ...callEnd, ...(thought === null ? [] : [thought.start, thought.end])]
}
