import type { RawHeaders } from './pass/headers.ts'

/**
 * How an exchange ended.
 *
 * - `complete`: the whole reply was passed on
 * - `client-gone`: the client hung up
 * - `upstream-gone`: the server broke off in the middle of its reply
 * - `no-upstream`: there was no reply: nobody listens, or the connection broke
 * - `timeout`: the server said nothing for as long as it was given
 */
export type Ending = 'complete' | 'client-gone' | 'upstream-gone' | 'no-upstream' | 'timeout'

/** What is known when a request begins. */
export interface RequestHead {
  readonly method: string
  /** With its query. */
  readonly url: string
  readonly headers: RawHeaders
}

/** Is told of one exchange as it happens. Never throws, and never makes anybody wait. */
export interface Track {
  requestBytes(bytes: Uint8Array): void
  requestEnd(): void
  head(status: number, headers: RawHeaders): void
  replyBytes(bytes: Uint8Array): void
  end(how: Ending): void
}

/** Begins the track of an exchange; null for one that is not recorded. */
export type BeginTrack = (request: RequestHead) => Track | null
