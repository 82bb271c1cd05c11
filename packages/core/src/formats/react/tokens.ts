import type { FormatTokens } from '../../format.ts'

/** Before the thought that a model is asked for. */
export const THOUGHT = 'Thought: '
/** Each counts only at the start of a line; at the very start of the text it is not recognised (spec §12). */
export const ACTION = '\nAction:'
export const ACTION_INPUT = '\nAction Input:'
export const OBSERVATION = '\nObservation:'

/** What a prompt ends with while it waits for a thought. */
export const NEXT_THOUGHT: string = `\n${THOUGHT}`

/** In the order in which the reference cuts at them. */
export const STOP_WORDS: readonly string[] = ['Observation:', 'Observation:\n']

/** What is left of each stop word when its last token, `:` or `:\n`, is missing. */
export const PARTIAL_STOP_WORDS: ReadonlyMap<string, string> = new Map([
  ['Observation:', 'Observation'],
  ['Observation:\n', 'Observation'],
])

/** The tokens by their meaning. */
export const TOKENS: FormatTokens = {
  callStart: [ACTION],
  callInner: [ACTION_INPUT],
  callEnd: [],
  others: [OBSERVATION, NEXT_THOUGHT, '\nFinal Answer:'],
}
