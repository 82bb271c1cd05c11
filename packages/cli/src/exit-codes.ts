/**
 * What the program says to a script that called it. The same numbers in every command; the README lists them.
 */
export const EXIT = {
  /** Everything asked for was done and agrees. */
  ok: 0,
  /** It ran, and something disagrees: a failed case, a drifted prompt, a crash that the profile reproduces. */
  disagreement: 1,
  /** The caller's mistake: an unknown option, a malformed file, no case selected, no server on the port. */
  usage: 2,
  /** Our mistake, or a machine that does not work: an unexpected exception, too many infrastructure errors. */
  broken: 3,
  /** Ctrl-C. What was done until then is kept. */
  interrupted: 130,
} as const

/** One of `EXIT`, or what CALLSPEC_FAILED_EXIT_CODE puts in the place of 1. */
export type ExitCode = number
