import type { Times } from '../metrics/figures.ts'
import type { FormatName } from '../trace/format-names.ts'
import type { EndpointRow } from './endpoint-counts.ts'
import type { Warning } from './warnings.ts'

/** How the replies of a run were got: the part of a summary that another try with the same replies may have otherwise. */
export interface Transport {
  /** In the order of the summary's rows. */
  readonly rows: readonly TransportRow[]
  /** What each did, where a run had several. */
  readonly endpoints: readonly EndpointEntry[]
  /** How often an episode went on at another endpoint, and how many episodes restarted there. */
  readonly moved: number
  readonly restarted: number
  /** Turns of these episodes before they restarted; they count nowhere. */
  readonly superseded: number
  /** Requests that several machines made for one reply, and replies that were given up because another one was stored. */
  readonly askedTwice: number
  readonly dropped: number
  /** The builds of the engines, by model; absent if none is reported. */
  readonly engines?: Readonly<Record<string, readonly string[]>>
  readonly warnings: readonly Warning[]
}

/** An endpoint, with the build that it named at last; null for none. */
export interface EndpointEntry extends EndpointRow {
  readonly build: string | null
}

/** A model under a format. */
export interface TransportRow {
  readonly model: string
  readonly protocol: FormatName
  /** Turns with a reply that took more than one attempt. */
  readonly retriedTurns: number
}

/** How long replies took: the other part that differs from try to try. */
export interface Timing {
  /** In the order of the summary's rows. */
  readonly rows: readonly TimingRow[]
}

/** A model under a format. */
export interface TimingRow {
  readonly model: string
  readonly protocol: FormatName
  readonly figures: Times
}
