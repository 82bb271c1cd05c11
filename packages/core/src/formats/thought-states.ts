import type { GrammarState, Transitions } from '../grammar/grammar.ts'

/** The markers around a thought, and those that begin a call in the text. */
export interface ThoughtMarkers {
  readonly open: string
  readonly close: string
  /** The markers that end a text, and where they lead. */
  readonly calls: Transitions
  /** Whether calls count that end a thought which is never closed. */
  readonly callsCount?: true
}

/**
 * Text with thoughts in it: a reply begins in `text`, or in `opened` where the prompt has opened a thought. Nothing in a
 * thought that is closed is a call: drafts are inert.
 */
export function thoughtStates({ open, close, calls, callsCount }: ThoughtMarkers): {
  readonly [name: string]: GrammarState
} {
  return {
    // > Hm.</think>
    //   ^              some models open the thought once more
    opened: { kind: 'nothing', transitions: { [open]: 'thought', [close]: 'text' }, fallback: 'thought' },
    // > <think>Hm.</think>
    //          ^
    // > <think>Hm. <tool_call>…</tool_call>
    //                                      ^   the thought is never closed
    thought: {
      kind: 'reasoning',
      isTrimmed: true,
      transitions: { [close]: 'text' },
      ...(callsCount === undefined ? {} : { callsCount }),
    },
    // > Hm.</think>\n\n</think>Noon.
    //              ^                   a closing tag that closes nothing is dropped
    text: { kind: 'text', isTrimmed: true, transitions: { ...calls, [open]: 'thought', [close]: 'text' } },
  }
}
