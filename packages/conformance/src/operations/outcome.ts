import { Raise } from '@callspec/python'
import type { Outcome } from '@callspec/core'

/** The value of an outcome; a raise of the reference travels on as the error of the whole operation. */
export function returned<T>(outcome: Outcome<T>): T {
  if (outcome.kind === 'returned') return outcome.value
  const { type, message, code } = outcome.error
  throw new Raise(type, message, code ?? null)
}
