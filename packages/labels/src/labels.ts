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

/** Observations beside the label; any number of them. */
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
