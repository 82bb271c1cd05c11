import { FORMATS } from '@callspec/core'

/** The protocols with words of their own: the names of `protocol.ts`, written down once more because the two sides share nothing. */
export const SPOKEN_PROTOCOLS = ['fncall-qwen', 'fncall-nous', 'react', 'role-react', 'native'] as const

/** One of `SPOKEN_PROTOCOLS`. */
export type SpokenProtocol = (typeof SPOKEN_PROTOCOLS)[number]

const SPOKEN_FORMATS: ReadonlySet<string> = new Set(['qwen', 'nous', 'react'])

/** The formats that are spoken as they are written by core: all with a prompt that nobody above speaks already. */
export const SIM_FORMATS: typeof FORMATS = FORMATS.filter(
  ({ id, prompt }) => prompt !== null && !SPOKEN_FORMATS.has(id),
)

/** The protocols that simulated models speak. */
export const SIM_PROTOCOLS: readonly SimProtocol[] = [...SPOKEN_PROTOCOLS, ...SIM_FORMATS.map(({ id }) => id)]

/** One of `SIM_PROTOCOLS`. */
export type SimProtocol = string

/** Whether a protocol is made of a format. */
export function isSpokenFormat(protocol: SimProtocol): boolean {
  return SIM_FORMATS.some(({ id }) => id === protocol)
}
