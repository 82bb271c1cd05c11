const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Resolves at the first signal that asks the program to end. */
export function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      for (const signal of SIGNALS) process.off(signal, done)
      resolve()
    }
    for (const signal of SIGNALS) process.on(signal, done)
  })
}
