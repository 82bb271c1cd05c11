import type { ReferenceError } from '@callspec/python'
import type { ReplyItem } from './item.ts'

/** What a reply says. */
export interface Reply {
  /** Its pieces, in order. */
  readonly items: readonly ReplyItem[]
  /** What the version of the reference raises on it; null where it reads it. A last issue then says where. */
  readonly error: ReferenceError | null
}
