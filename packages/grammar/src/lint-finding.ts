/** A trap in a grammar: an `error` cannot be read, a `warning` refuses or loses calls, a `note` bends what the model writes. */
export type GrammarLint = {
  readonly id: string
  readonly severity: 'error' | 'warning' | 'note'
  /** The path of the format, or the name of the rule. */
  readonly where: string
  readonly message: string
}

export function warning(id: string, where: string, message: string): GrammarLint {
  return { id, severity: 'warning', where, message }
}

export function note(id: string, where: string, message: string): GrammarLint {
  return { id, severity: 'note', where, message }
}
