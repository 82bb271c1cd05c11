/** What engines answered to texts that they were asked, as the page carries it. Made of the committed records by `scripts/engine-records.js`. */
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
  /** `asked`: the cases were run through it here, and can be again; `recorded`: its answers of once are kept. */
  readonly how: 'asked' | 'recorded'
  /** When, in words; null where that is not known. */
  readonly date: string | null
}

/** How a text was asked. */
export interface Setting {
  readonly op: 'parse' | 'stream'
  /** A list of tools as JSON; null where none was sent. */
  readonly tools: string | null
  readonly thoughtInContent: boolean
  readonly parallelCalls: boolean
  /** Whether more than one answer is right. */
  readonly isOpen: boolean
}

/** What a deviation is, as somebody has judged it, in which words, and where it was reported. */
export type Reason = readonly [kind: string, words: string, links: readonly string[]]

/** What an engine said of a text: its parts, or the words of its refusal. */
export type EngineAnswer =
  | { readonly refused: string }
  | {
      readonly reasoning?: string
      readonly content?: string
      readonly calls: readonly (readonly [name: string, args: string, id?: string])[]
    }

/** A text as it was asked: who answered as the strict case does, and who otherwise. Numbers of the lists above. */
export type TextRow = readonly [
  text: string,
  setting: number,
  alike: readonly number[],
  otherwise: readonly OtherAnswer[],
]

/** A reason, or null where no answer is the only right one; an answer, or null where none was kept. */
export type OtherAnswer = readonly [engine: number, reason: number | null, answer: number | null]
