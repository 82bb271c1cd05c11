/** The ways of asking for calls that are compared: who says what a call looks like, and which host loop reads it. */
export const PROTOCOLS = ['fncall-qwen', 'fncall-nous', 'react', 'native', 'role-react'] as const

/** Those that are compared unless others are asked for: the formats of Qwen-Agent, and what the server makes of tools. */
export const DEFAULT_PROTOCOLS = ['fncall-qwen', 'fncall-nous', 'react', 'native'] as const

/** One of `PROTOCOLS`. */
export type Protocol = (typeof PROTOCOLS)[number]
