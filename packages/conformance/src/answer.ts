import type { PyDict, PyValue } from '@callspec/python'
import type { ReferenceError } from '@callspec/core'

/** What the reference did with a case: it answered, or it raised. The values are kept as they were written. */
export type ExpectedAnswer =
  { readonly kind: 'returned'; readonly value: PyValue } | { readonly kind: 'raised'; readonly error: PyDict }

/** What an implementation did with a case. */
export type ActualAnswer =
  { readonly kind: 'returned'; readonly value: PyValue } | { readonly kind: 'raised'; readonly error: ReferenceError }

/** An expected and an actual answer, reduced to what is compared. */
export type Pair = readonly [ExpectedAnswer, ActualAnswer]
