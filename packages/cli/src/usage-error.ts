/**
 * The caller's mistake. Ends the command with exit code 2 and the message as one line `callspec: …` on stderr.
 *
 * The message says what is wrong, where (file, line, field), and what to do.
 */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/** What `error` says to a person who did not expect it: its message, or its text when it is no Error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The `code` of a Node.js system error such as `ENOENT`, or null. */
export function systemCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  return typeof error.code === 'string' ? error.code : null
}
