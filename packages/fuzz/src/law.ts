import type { LawId } from './law-id.ts'
import type { GoodAnswer, Question } from './question.ts'
import type { Sample } from './sample.ts'
import type { About } from './subject.ts'

/**
 * A sentence about parsers that a machine can check. It asks questions about a sample and judges the answers; both are
 * pure, so one law serves a function in this process and a program behind a protocol.
 */
export interface Law {
  readonly id: LawId
  /** The law, in one sentence. */
  readonly statement: string
  /** Rows of the list of real problems (`docs/laws.md`) that it guards against. */
  readonly guards: readonly number[]
  /**
   * How many characters are asked about: about as many as the text has, or its square, or a long text that is made of it.
   * Laws with quadratic cost get fewer and shorter texts.
   */
  readonly cost: 'linear' | 'quadratic'
  /** What it needs of a sample: any text, a text with its plan, or a text with a recorded answer. */
  readonly needs: 'text' | 'plan' | 'record'
  /** Whether the parser can be asked at all. */
  readonly applies: (subject: About) => boolean
  /** What to ask; nothing where the law does not speak about the sample. */
  readonly ask: (sample: Sample, subject: About) => readonly Question[]
  /** What is wrong with the answers, in the order of the questions; null if nothing is. */
  readonly judge: (sample: Sample, answers: readonly GoodAnswer[], subject: About) => Violation | null
}

/** How a law was broken. */
export interface Violation {
  /** Which part of the law, in a few words joined by hyphens; violations of one kind are counted together. */
  readonly breach: string
  /** The chunks in which it was broken; one where the text was given whole. */
  readonly chunks: readonly string[]
  readonly expected: unknown
  readonly got: unknown
}
