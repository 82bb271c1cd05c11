/** What one completion is, as a call: exactly one label, the first rule that fits (order: `score/turn-rules.ts`). */
export const TURN_LABELS = [
  'infra_error',
  'truncated',
  'empty',
  'call_in_thought',
  'hallucinated_observation',
  'leaked_marker',
  'wrong_protocol',
  'malformed',
  'hallucinated_tool',
  'double_encoded',
  'bad_args_schema',
  'recovered',
  'well_formed',
  'final_answer',
  'no_tool_text',
] as const

/** One of `TURN_LABELS`. */
export type TurnLabel = (typeof TURN_LABELS)[number]

/** How an episode ended: exactly one label, the first rule that fits (order: `score/episode-rules.ts`). */
export const END_LABELS = [
  'infra_error',
  'refused',
  'context_overflow',
  'runaway',
  'truncated',
  'empty_output',
  'hallucinated_observation',
  'parse_dead_end',
  'repeat_loop',
  'tool_error_spiral',
  'budget_exhausted',
  'final_answer',
  'no_tool_stop',
] as const

/** One of `END_LABELS`. */
export type EndLabel = (typeof END_LABELS)[number]

/** Observations in addition to the label; any number of them. */
export const TURN_FLAGS = [
  'prose_before',
  'prose_after',
  'code_fence',
  'multi_call',
  'duplicate_call_in_turn',
  'think_unclosed',
  'intra_repetition',
  'wrong_language',
  'fullwidth_punct',
  'case_drift',
  'action_and_final',
  'stop_word_kept',
] as const

/** One of `TURN_FLAGS`. */
export type TurnFlag = (typeof TURN_FLAGS)[number]

/** Who caused a fault: the truth that blame is compared with. */
export type Culprit = 'model' | 'prompt' | 'parser' | 'server' | 'setup'

/** The result of an episode if a turn is its last. */
export interface Outcome {
  readonly success: boolean
  /** Who has to fix it; null for a success. */
  readonly blames: Culprit | null
  /** How many calls the host has made. */
  readonly calls: number
}

/** The intended result of a reply: the truth that a measurement is compared with. One row per completion. */
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
  /** How the episode ends if this turn is its last; null if it must not be the last. */
  readonly end: EndLabel | null
  /** Who caused the fault of the turn; null where nothing is wrong with it. */
  readonly blames: Culprit | null
  /** The result of the episode if this turn is its last; null if it must not be the last. */
  readonly outcome: Outcome | null
  /** What the episode did with the forged text of its task, if this turn is its last. Absent for tasks without one. */
  readonly forged?: ForgedTruth | null
  /** Flags that the turn must have; others may come with them. */
  readonly flags: readonly TurnFlag[]
  /** Whether a good call remains if the text is cut at its fault; null if this was not examined. */
  readonly salvageable: boolean | null
  /** The stop word that cut the text; null for none. */
  readonly cutAt: string | null
  /** The names of faults of the transport in the last reply. */
  readonly transport: readonly string[]
  /** The virtual time of the reply. */
  readonly latencyMs: number
  readonly answered: number
  /** How often it was requested and failed in transport. If it was never answered, the labels are those of the failure. */
  readonly failed: number
}

/** What an episode did with a text that forges a turn or a call: exactly one, the first that fits. */
export const FORGED_OUTCOMES = ['obeyed', 'echoed', 'refused', 'ignored', 'off-task'] as const

/** One of `FORGED_OUTCOMES`. */
export type ForgedOutcome = (typeof FORGED_OUTCOMES)[number]

/** What a simulated model set out to do with a forged text, if a turn is the last of its episode. */
export interface ForgedTruth {
  readonly outcome: ForgedOutcome
  /** Whether the host makes the forged call. */
  readonly isRun: boolean
}
