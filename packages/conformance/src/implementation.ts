import type { PyDict, PyValue } from '@callspec/python'
import type { ReferenceError } from '@callspec/core'

import type { Declaration } from './protocol/declaration.ts'
import type { TextRange } from './provenance.ts'

/** A case without its answer: what an implementation is asked. */
export interface Question {
  readonly id: string
  readonly op: string
  /** The prompt format that it is about, such as `nous`. Absent where an operation has none. */
  readonly format?: string
  readonly profile: string
  readonly input: PyDict
  /** Stretches of its text in which markers are no tokens of the model. */
  readonly plain?: readonly TextRange[]
}

/** What came of giving one case to an implementation. */
export type Reply =
  | ({ readonly kind: 'returned'; readonly value: PyValue } & Remarks)
  /** It refuses the input, or raised what the reference would call an error: an answer like any other. */
  | ({ readonly kind: 'raised'; readonly error: ReferenceError } & Remarks)
  /** It broke: no answer. */
  | { readonly kind: 'errored'; readonly reason: string }
  /** It does not offer what the case asks for. */
  | { readonly kind: 'skipped'; readonly reason: string }

/** What has to be known of an answer besides itself. */
export interface Remarks {
  /** For people, such as what could not be verified. */
  readonly notes?: readonly string[]
  /** Why a wrong answer would say nothing about the implementation: it is then no failure, but an error. */
  readonly doubt?: string
}

/** Something that answers cases: our own functions, a process, a server. */
export interface Implementation {
  /** Who it is and what it claims. Questions that it does not claim are not asked. */
  readonly about: Declaration
  /** Never throws because of the question; an exception means that the machinery is broken. */
  answer(question: Question): Reply | Promise<Reply>
  /** What there is to say about all its answers, one line each, when all have come. */
  remarks?(): readonly string[]
  /** Why it cannot be asked any more, once that is so; null until then. */
  gone?(): string | null
  /** Ends processes and connections. After it nothing is asked. */
  close?(): Promise<void>
}
