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

/** A class such as `[^，]` in a pattern for XGrammar. */
export function* lintPattern(pattern: string, where: string): Generator<GrammarLint> {
  const negated = pattern.split('[^').slice(1)
  if (!negated.some((rest) => /[\u0080-\uffff]/.test(rest.split(']', 1)[0] ?? ''))) return
  yield warning(
    'negated-beyond-ascii',
    where,
    'XGrammar before 0.2.8 takes any character beyond ASCII for [^…]; write the ranges that are allowed.',
  )
}
