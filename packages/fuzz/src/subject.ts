import type { Exception } from './exception.ts'
import type { Language } from './language.ts'
import type { Answer, Question } from './question.ts'

/** Facts about a parser under test, in this process or elsewhere. */
export interface About {
  /** For people: `nous at main`, `python3 parser.py`. */
  readonly name: string
  /** The format that it reads: what texts are made of. */
  readonly language: Language
  /** The version of the reference that it follows; null for a parser that follows none. */
  readonly profile: string | null
  /** What can be asked. A law that needs more does not apply. */
  readonly answers: ReadonlySet<Question['op']>
  /** Whether its outcomes carry issues. Without them a law cannot require that dropped text is reported. */
  readonly reportsIssues: boolean
  /** Whether a snapshot in the middle of a stream must equal the parse of the text so far; else only the last one. */
  readonly exactSnapshots: boolean
  /**
   * Whether arguments keep their spelling, and white space between calls is not read as text; else a text that means the same JSON
   * suffices, and such white space does not count.
   */
  readonly exactArguments: boolean
  /** Whether work is counted in characters; else it is timed. */
  readonly countsWork: boolean
  /** What the reference answered to texts; null where it raised. Empty where nothing is recorded. */
  readonly recorded: ReadonlyMap<string, readonly RecordedItem[] | null>
  /** Deliberate breaches of laws, each narrow and with a case. */
  readonly exceptions: readonly Exception[]
}

/** A piece of a recorded answer, in its order: prose, or a call. */
export type RecordedItem = { readonly prose: string } | { readonly name: string; readonly arguments: string }

/** A parser in this process: it answers at once. */
export interface Subject extends About {
  /** Never throws: what goes wrong is an answer. */
  readonly answer: (question: Question) => Answer
}

/** A parser elsewhere: questions go in batches, and answers come back in their order. */
export interface RemoteSubject extends About {
  readonly answerAll: (questions: readonly Question[]) => Promise<readonly Answer[]>
}
