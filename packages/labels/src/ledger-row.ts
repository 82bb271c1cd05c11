import type { EndLabel, TurnFlag, TurnLabel } from './labels.ts'

/** Who caused a fault; the truth that blame is held against. */
export type Culprit = 'model' | 'prompt' | 'parser' | 'server' | 'setup'

/** What an episode comes to if a turn is its last. */
export interface Outcome {
  readonly success: boolean
  /** Who has to change something; null for a success. */
  readonly blames: Culprit | null
  /** How many calls the host has made. */
  readonly calls: number
}

/** What a reply was meant to be: the truth that a measurement is held against. One row per completion. */
export interface LedgerRow {
  /** The id of the completion, which a client keeps. Equal requests have equal ids. */
  readonly id: string
  readonly model: string
  readonly protocol: string
  /** The version of the reference whose host is expected to read the reply; `end` depends on it. */
  readonly host: string
  readonly task: string
  readonly sample: number
  /** How many results the request held. */
  readonly step: number
  /** The fault or policy at work; null for a correct reply. */
  readonly fault: string | null
  /** The fault that was drawn, whether it changed anything or not. */
  readonly drawn: string | null
  /** What was drawn for the parameters of the fault, by stream. */
  readonly parameters: Readonly<Record<string, number>>
  readonly strict: TurnLabel
  readonly lenient: TurnLabel
  /** How the episode ends if this turn is its last; null when it must not be. */
  readonly end: EndLabel | null
  /** Who caused the fault of the turn; null where nothing is wrong with it. */
  readonly blames: Culprit | null
  /** What the episode comes to if this turn is its last; null when it must not be. */
  readonly outcome: Outcome | null
  /** Flags that the turn must have; others may come with them. */
  readonly flags: readonly TurnFlag[]
  /** Whether a good call is left when the text is cut where it goes wrong; null where nobody asks. */
  readonly salvageable: boolean | null
  /** The stop word that cut the text; null for none. */
  readonly cutAt: string | null
  /** What the transport did to the last reply, by name. */
  readonly transport: readonly string[]
  /** The virtual time of the reply. */
  readonly latencyMs: number
  /** How often the completion was asked for and answered. */
  readonly answered: number
  /** How often it was asked for and failed on the way. While it was never answered, the labels are those of the failure. */
  readonly failed: number
}
