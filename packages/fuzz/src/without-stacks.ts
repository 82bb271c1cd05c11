/**
 * Runs `work` while errors are made without stacks, and puts everything back. A parser that raises on broken JSON makes an
 * error for every other text of a search, and V8 takes longer to write down the stack than the parser to read the text.
 *
 * Does nothing where the engine has no such switch, or where `Error` is frozen.
 */
export function withoutStacks<T>(work: () => T): T {
  const limit: unknown = Reflect.get(Error, SWITCH)
  if (typeof limit !== 'number' || !Reflect.set(Error, SWITCH, 0)) return work()
  try {
    return work()
  } finally {
    Reflect.set(Error, SWITCH, limit)
  }
}

const SWITCH = 'stackTraceLimit'
