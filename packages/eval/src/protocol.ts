/** The ways of asking for calls that are compared: who says what a call looks like, and which host loop reads it. */
export const PROTOCOLS = ['fncall-qwen', 'fncall-nous', 'react'] as const

/** One of `PROTOCOLS`. */
export type Protocol = (typeof PROTOCOLS)[number]
