/** The special tokens in which the models of the family differ. */
export interface GemmaMarks {
  /** Around a call. */
  readonly open: string
  readonly close: string
  /** On both sides of every string. */
  readonly quote: string
  /** Around a thought with its name; null where there are none. */
  readonly thought: { readonly open: string; readonly close: string } | null
  /** What ends a turn. */
  readonly end: string
  /** What begins a result, and hands over to the tools. */
  readonly handOver: string
}

/** Gemma 4. */
export const GEMMA_4: GemmaMarks = {
  open: '<|tool_call>',
  close: '<tool_call|>',
  quote: '<|"|>',
  thought: { open: '<|channel>', close: '<channel|>' },
  end: '<turn|>',
  handOver: '<|tool_response>',
}

/** FunctionGemma. */
export const FUNCTION_GEMMA: GemmaMarks = {
  open: '<start_function_call>',
  close: '<end_function_call>',
  quote: '<escape>',
  thought: null,
  end: '<end_of_turn>',
  handOver: '<start_function_response>',
}
