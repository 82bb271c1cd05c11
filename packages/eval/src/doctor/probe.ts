import type { Completion } from '../trace/completion.ts'
import type { Failure } from '../trace/failure.ts'

/** What came of one probe. `late`: there was no time left for it, or it was not made. */
export type Probe =
  | { readonly kind: 'reply'; readonly reply: Completion }
  | { readonly kind: 'failure'; readonly failure: Failure }
  | { readonly kind: 'late' }

/** The same question, answered whole and as a stream: a server may read its own stream otherwise. */
export interface Modes {
  readonly whole: Probe
  readonly streamed: Probe
}
