import type { TurnLabel } from '@callspec/labels'

/** Whether a reply is a good call, an answer, or a text in which nothing was meant to be a call. */
export function isUsable({ strict, lenient }: { readonly strict: TurnLabel; readonly lenient: TurnLabel }): boolean {
  if (strict === 'no_tool_text') return lenient === 'no_tool_text' || lenient === 'final_answer'
  return strict === 'well_formed' || strict === 'final_answer'
}
