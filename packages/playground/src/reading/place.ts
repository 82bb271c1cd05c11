/** A stretch of a reply, in UTF-16 units. */
export interface Place {
  readonly start: number
  /** One past the last unit. */
  readonly end: number
}
