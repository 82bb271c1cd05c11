import type { EndLine } from '../record/record-line.ts'
import type { Ending } from '../track.ts'

/** A piece of a reply, and when it came, in microseconds since the request began. */
export interface RecordedChunk {
  readonly at: number
  readonly bytes: Buffer
}

/** One request and its reply, as they were recorded. */
export interface RecordedExchange {
  /** File and number, for people. */
  readonly name: string
  /** Null where it is not known: logs of others hold replies alone. */
  readonly method: string | null
  readonly path: string | null
  /** The body; null where it was left out. */
  readonly request: Buffer | null
  readonly status: number | null
  readonly headers: Readonly<Record<string, string>>
  readonly chunks: readonly RecordedChunk[]
  /** Null where the recording ends before the exchange does. */
  readonly how: Ending | null
  readonly lacks: EndLine['lacks'] | null
  readonly isRedacted: boolean
}
