import type { StreamDelta } from '@callspec/core'
import type { ParseOutcome, ToolSpec } from '@callspec/core/qwen-agent'

/** What a law asks a parser. The same questions go to a function in this process and to a program behind a protocol. */
export type Question =
  | {
      readonly op: 'parse'
      readonly text: string
      /** Whether the text begins inside a thought, as the prompt would have it. Default false. */
      readonly thoughtInContent?: boolean
      /** Whether an answer that was given before does not do. Default false. */
      readonly again?: boolean
      /** The tools of the request, plain. Default: none are given. */
      readonly tools?: readonly ToolSpec[]
    }
  /** The answers after every chunk (`each`), or the one at the end (`last`). */
  | {
      readonly op: 'stream'
      readonly chunks: readonly string[]
      readonly snapshots: 'each' | 'last'
      readonly thoughtInContent?: boolean
    }
  /** The deltas of a stream, as an OpenAI-style server sends them, the one with the finish reason included. */
  | { readonly op: 'deltas'; readonly chunks: readonly string[]; readonly tools?: readonly ToolSpec[] }
  /** What is left of a reply when it is cut at the format's stop words, and what `parse` says of that. */
  | { readonly op: 'stop'; readonly text: string }
  /** How much work it is to read a text in these chunks, with a snapshot after every so many of them and at the end. */
  | { readonly op: 'work'; readonly chunks: readonly string[]; readonly chunksPerSnapshot: number }

/** What a parser did with a question. */
export type Answer = GoodAnswer | NoAnswer

/** An answer of the form that the question asks for. */
export type GoodAnswer =
  | { readonly op: 'parse'; readonly outcome: ParseOutcome }
  | { readonly op: 'stream'; readonly outcomes: readonly ParseOutcome[] }
  | { readonly op: 'deltas'; readonly deltas: readonly StreamDelta[] }
  | { readonly op: 'stop'; readonly kept: string; readonly outcome: ParseOutcome }
  | { readonly op: 'work'; readonly work: Work }

/** A parser that gave no answer. A law that meets one is broken, whatever it says. */
export interface NoAnswer {
  readonly op: 'none'
  readonly how: 'crashed' | 'hung' | 'garbled'
  /** What was seen: the error, the signal, the line. */
  readonly reason: string
}

/** What reading a text took. */
export interface Work {
  /** Characters looked at, or milliseconds. */
  readonly unit: 'characters' | 'milliseconds'
  readonly amount: number
  /** Characters of the answers that were given: they have to be written, so they are allowed. */
  readonly answered: number
}
