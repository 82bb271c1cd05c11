/** What one reply was asked for, in a format that asks for a call in parts. */
export type TurnQuestion =
  /** The number of the next state, or -1. `states`: their names, in order. */
  | { readonly kind: 'state'; readonly states: readonly string[] }
  /** The arguments of one call. */
  | { readonly kind: 'arguments'; readonly tool: string }
  /** The words for the user. */
  | { readonly kind: 'answer' }
