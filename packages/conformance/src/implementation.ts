import type { ReferenceError, PyValue } from '@callspec/core'

import type { Case } from './case.ts'

/** What came of giving one case to an implementation. */
export type Reply =
  | { readonly kind: 'returned'; readonly value: PyValue }
  /** It raised what the reference would call an error: an answer like any other. */
  | { readonly kind: 'raised'; readonly error: ReferenceError }
  /** It broke: no answer. */
  | { readonly kind: 'errored'; readonly reason: string }
  /** It does not offer what the case asks for. */
  | { readonly kind: 'skipped'; readonly reason: string }

/** Something that answers cases: our own functions, later a process or a server. */
export interface Implementation {
  readonly name: string
  /** Never throws because of the case; an exception means that the machinery is broken. */
  answer(item: Case): Reply | Promise<Reply>
}
