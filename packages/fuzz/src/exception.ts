import type { LawId } from './law-id.ts'

/** A deliberate breach of a law: behaviour of a reference that is kept although the law says otherwise. */
export interface Exception {
  readonly law: LawId
  /** The kind of breach (`Violation.breach`). */
  readonly breach: string
  /** Texts in which it may happen; everywhere else it is a violation. */
  readonly texts: RegExp
  /** Why it is kept, in one sentence. */
  readonly because: string
  /** Name of the case that shows it. */
  readonly case: string
}
