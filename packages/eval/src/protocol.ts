import { FORMATS } from '@callspec/core'

/** The ways of asking for calls that have a host loop of their own. */
export const HOSTED_PROTOCOLS = ['fncall-qwen', 'fncall-nous', 'react', 'native', 'role-react'] as const

/** One of `HOSTED_PROTOCOLS`. */
export type HostedProtocol = (typeof HOSTED_PROTOCOLS)[number]

/** The formats whose replies a host of Qwen-Agent reads: their protocols are among `HOSTED_PROTOCOLS`. */
const HOSTED_FORMATS: ReadonlySet<string> = new Set(['qwen', 'nous', 'react'])

/** The formats that are asked for by their own prompts, with one host loop for all of them. */
export const PROMPTED_FORMATS: typeof FORMATS = FORMATS.filter(
  ({ id, prompt }) => prompt !== null && !HOSTED_FORMATS.has(id),
)

/** The ways of asking for calls that are compared: who says what a call looks like, and which host loop reads it. */
export const PROTOCOLS: readonly Protocol[] = [...HOSTED_PROTOCOLS, ...PROMPTED_FORMATS.map(({ id }) => id)]

/** Those that are compared unless others are asked for: the formats of Qwen-Agent, and what the server makes of tools. */
export const DEFAULT_PROTOCOLS = ['fncall-qwen', 'fncall-nous', 'react', 'native'] as const

/** One of `PROTOCOLS`. */
export type Protocol = string
