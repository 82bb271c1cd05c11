/**
 * The answers of engines to texts, as the page contains them. Made from the committed records by
 * `scripts/engine-records.js`.
 */
export interface EngineRecords {
  readonly engines: readonly RecordedEngine[]
  readonly settings: readonly Setting[]
  /** Why answers differ. */
  readonly reasons: readonly Reason[]
  readonly answers: readonly EngineAnswer[]
  /** By format. */
  readonly texts: Readonly<Record<string, readonly TextRow[]>>
}

/** An engine at one version. */
export interface RecordedEngine {
  readonly name: string
  readonly version: string
  /** `asked`: the cases were run with it here, and can be again; `recorded`: its earlier answers are kept. */
  readonly how: 'asked' | 'recorded'
  /** When, in words; null if it is not known. */
  readonly date: string | null
}

/** The settings of a question. */
export interface Setting {
  readonly op: 'parse' | 'stream'
  /** A list of tools as JSON; null if none was sent. */
  readonly tools: string | null
  readonly thoughtInContent: boolean
  readonly parallelCalls: boolean
  /** Whether more than one answer is correct. */
  readonly isOpen: boolean
}

/** The kind of a deviation as it was judged, its description, and the reports about it. */
export type Reason = readonly [kind: string, words: string, links: readonly string[]]

/** An engine's reading of a text: its parts, or the message of its refusal. */
export type EngineAnswer =
  | { readonly refused: string }
  | {
      readonly reasoning?: string
      readonly content?: string
      readonly calls: readonly (readonly [name: string, args: string, id?: string])[]
    }

/**
 * A text with its settings: the engines that agree with the strict case, and the others. Numbers of the lists above.
 */
export type TextRow = readonly [
  text: string,
  setting: number,
  alike: readonly number[],
  otherwise: readonly OtherAnswer[],
]

/** A reason, or null if several answers are correct; an answer, or null if none was kept. */
export type OtherAnswer = readonly [engine: number, reason: number | null, answer: number | null]
