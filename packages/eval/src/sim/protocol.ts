/** The protocols that simulated models speak: the names of `protocol.ts`, written down once more because the two sides share nothing. */
export const SIM_PROTOCOLS = ['fncall-qwen', 'fncall-nous', 'react', 'role-react', 'native'] as const

/** One of `SIM_PROTOCOLS`. */
export type SimProtocol = (typeof SIM_PROTOCOLS)[number]
