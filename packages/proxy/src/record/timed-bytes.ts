/** A piece of a reply, and when it came, in microseconds since the request began. */
export interface TimedBytes {
  readonly at: number
  readonly bytes: Uint8Array
}
