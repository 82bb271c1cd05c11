import type { FormatException } from '@callspec/core'
import type { LawId } from './law-id.ts'

/** A deliberate breach of a law: behaviour of a reference that is kept although the law says otherwise. */
export interface Exception extends FormatException {
  readonly law: LawId
}
