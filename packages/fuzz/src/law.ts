import type { FormatException, StreamDelta } from '@callspec/core'
import type { ParseOutcome, ToolSpec } from '@callspec/core/qwen-agent'

import type { Language } from './language.ts'
import type { Sample } from './sample.ts'

/** The names of the laws, in the order in which they are checked. */
export const LAW_IDS = [
  'totality',
  'deterministic',
  'mode-parity',
  'split-invariance',
  'content-conservation',
  'no-marker-leak',
  'think-isolation',
  'truncation-honesty',
  'json-closure',
  'index-identity',
  'empty-arguments',
  'value-typing',
  'schema-typing',
  'utf-integrity',
  'stop-residue',
  'round-trip',
  'agreement',
  'linear-work',
] as const

/** The name of a law. */
export type LawId = (typeof LAW_IDS)[number]

/** Whether a text is the name of a law. */
export function isLawId(name: string): name is LawId {
  return LAW_IDS.some((id) => id === name)
}

/**
 * A statement about parsers that a machine can check. It asks questions about a sample and judges the answers. Both functions
 * are pure, so one law checks a function in this process and a program that speaks the protocol.
 */
export interface Law {
  readonly id: LawId
  readonly statement: string
  /** Rows of the list of real problems (`docs/laws.md`) that it guards against. */
  readonly guards: readonly number[]
  /** Characters that the questions contain: about the length of the text, or its square. Quadratic laws get fewer and shorter texts. */
  readonly cost: 'linear' | 'quadratic'
  /** What it needs of a sample: any text, a text with its plan, or a text with a recorded answer. */
  readonly needs: 'text' | 'plan' | 'record'
  /** Whether the law can be checked on this parser. */
  readonly applies: (subject: About) => boolean
  /** The questions; empty where the law does not apply to the sample. */
  readonly ask: (sample: Sample, subject: About) => readonly LawQuestion[]
  /** What is wrong with the answers, which are in the order of the questions; null if nothing is. */
  readonly judge: (sample: Sample, answers: readonly GoodAnswer[], subject: About) => Violation | null
}

/** How a law was broken. */
export interface Violation {
  /** Which part of the law, in a few words joined by hyphens; violations of one kind are counted together. */
  readonly breach: string
  /** The chunks that broke it; a single one where the text was given whole. */
  readonly chunks: readonly string[]
  readonly expected: unknown
  readonly got: unknown
}

/** A deliberate breach of a law: behaviour of a reference that is kept although the law says otherwise. */
export interface Exception extends FormatException {
  readonly law: LawId
}

/** A question of a law. Functions in this process and programs that speak the protocol receive the same ones. */
export type LawQuestion =
  | {
      readonly op: 'parse'
      readonly text: string
      /** Whether the prompt ended inside a thought, so that the text begins in it. Default false. */
      readonly thoughtInContent?: boolean
      /** Whether the parser must be called although an answer is known. Default false. */
      readonly again?: boolean
      /** The tools of the request, plain. Default: none. */
      readonly tools?: readonly ToolSpec[]
    }
  /** The answers after every chunk (`each`), or the one at the end (`last`). */
  | {
      readonly op: 'stream'
      readonly chunks: readonly string[]
      readonly snapshots: 'each' | 'last'
      readonly thoughtInContent?: boolean
    }
  /** The deltas of a stream as an OpenAI-style server sends them, including the one with the finish reason. */
  | { readonly op: 'deltas'; readonly chunks: readonly string[]; readonly tools?: readonly ToolSpec[] }
  /** What is left of a reply when it is cut at the format's stop words, and the parse of that. */
  | { readonly op: 'stop'; readonly text: string }
  /** The work of reading a text in these chunks, with a snapshot after every so many of them and at the end. */
  | { readonly op: 'work'; readonly chunks: readonly string[]; readonly chunksPerSnapshot: number }

export type LawAnswer = GoodAnswer | NoAnswer

/** An answer of the form that the question asks for. */
export type GoodAnswer =
  | { readonly op: 'parse'; readonly outcome: ParseOutcome }
  | { readonly op: 'stream'; readonly outcomes: readonly ParseOutcome[] }
  | { readonly op: 'deltas'; readonly deltas: readonly StreamDelta[] }
  | { readonly op: 'stop'; readonly kept: string; readonly outcome: ParseOutcome }
  | { readonly op: 'work'; readonly work: MeasuredWork }

/** The parser gave no answer. This breaks every law that asked, unless it is skipped. */
export interface NoAnswer {
  readonly op: 'none'
  /** `skipped`: the parser is not made for this text, which then says nothing about a law. */
  readonly how: 'crashed' | 'hung' | 'garbled' | 'skipped'
  /** The error, the signal or the line that was seen. */
  readonly reason: string
}

/** What reading a text cost. */
export interface MeasuredWork {
  /** Characters looked at, or milliseconds. */
  readonly unit: 'characters' | 'milliseconds'
  readonly amount: number
  /** Characters of the answers; writing them is allowed work. */
  readonly answered: number
}

/** Facts about a parser under test, in this process or elsewhere. */
export interface About {
  /** For people: `nous at main`, `python3 parser.py`. */
  readonly name: string
  /** The format that it reads. */
  readonly language: Language
  /** The version of the reference that it follows; null for a parser that follows none. */
  readonly profile: string | null
  /** The questions that it answers. A law that needs others does not apply. */
  readonly answers: ReadonlySet<LawQuestion['op']>
  /** Whether its outcomes carry issues. Without them a law cannot require that dropped text is reported. */
  readonly reportsIssues: boolean
  /** Whether every snapshot must equal the parse of the text so far; else only the last one. */
  readonly exactSnapshots: boolean
  /**
   * Whether arguments keep their spelling, and white space between calls is not read as text; else a text that means the same JSON
   * suffices, and such white space does not count.
   */
  readonly exactArguments: boolean
  /** Whether work is counted in characters; else it is timed. */
  readonly countsWork: boolean
  /** Answers of the reference by text; null where it raised. Empty where nothing is recorded. */
  readonly recorded: ReadonlyMap<string, readonly RecordedItem[] | null>
  readonly exceptions: readonly Exception[]
  /** The chunks of a stream as users of the parser meet them. Absent: as a law asks. */
  readonly arriving?: (chunks: readonly string[]) => readonly string[]
}

/** A piece of a recorded answer: prose, or a call. */
export type RecordedItem = { readonly prose: string } | { readonly name: string; readonly arguments: string }

/** A parser in this process: it answers at once. */
export interface Subject extends About {
  /** Never throws: an error of the parser becomes an answer. */
  readonly answer: (question: LawQuestion) => LawAnswer
}

/** A parser elsewhere: it answers batches of questions, in their order. */
export interface RemoteSubject extends About {
  readonly answerAll: (questions: readonly LawQuestion[]) => Promise<readonly LawAnswer[]>
}
