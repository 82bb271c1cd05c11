import type { Exit, GrammarState } from './grammar.ts'

/** Around a thought, and what begins a call in the text. */
export interface ThoughtMarkers {
  readonly open: string
  readonly close: string
  /** The markers that end a text, and where they lead. */
  readonly calls: { readonly [marker: string]: Exit }
}

/**
 * Text with thoughts in it: a reply begins in `text`, or in `opened` where the prompt has opened a thought. Nothing in a
 * thought is a call: drafts are inert.
 */
export function thoughtStates({ open, close, calls }: ThoughtMarkers): { readonly [name: string]: GrammarState } {
  return {
    // > Hm.</think>
    //   ^              some models open the thought once more
    opened: { is: 'nothing', until: { [open]: 'thought', [close]: 'text' }, otherwise: 'thought' },
    // > <think>Hm.</think>
    //          ^
    thought: { is: 'reasoning', isTrimmed: true, until: { [close]: 'text' } },
    // > Hm.</think>\n\n</think>Noon.
    //              ^                   a closing tag that closes nothing is nothing that anybody said
    text: { is: 'text', isTrimmed: true, until: { ...calls, [open]: 'thought', [close]: 'text' } },
  }
}
