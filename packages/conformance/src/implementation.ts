import type { PyDict, PyValue } from '@callspec/python'
import type { ReferenceError } from '@callspec/core'

import type { Declaration } from './protocol/declaration.ts'

/** A case without its answer: what an implementation is asked. */
export interface Question {
  readonly id: string
  readonly op: string
  /** The prompt format that it is about, such as `nous`. Absent where an operation has none. */
  readonly format?: string
  readonly profile: string
  readonly input: PyDict
}

/** What came of giving one case to an implementation. */
export type Reply =
  | { readonly kind: 'returned'; readonly value: PyValue }
  /** It refuses the input, or raised what the reference would call an error: an answer like any other. */
  | { readonly kind: 'raised'; readonly error: ReferenceError }
  /** It broke: no answer. */
  | { readonly kind: 'errored'; readonly reason: string }
  /** It does not offer what the case asks for. */
  | { readonly kind: 'skipped'; readonly reason: string }

/** Something that answers cases: our own functions, a process, a server. */
export interface Implementation {
  /** Who it is and what it claims. Questions that it does not claim are not asked. */
  readonly about: Declaration
  /** Never throws because of the question; an exception means that the machinery is broken. */
  answer(question: Question): Reply | Promise<Reply>
  /** Ends processes and connections. After it nothing is asked. */
  close?(): Promise<void>
}
