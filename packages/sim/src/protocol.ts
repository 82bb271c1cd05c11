import { FORMATS } from '@callspec/core'
import type { Format } from '@callspec/core'

/** The protocols with words of their own: the names of `protocol.ts`, written down once more because the two sides share nothing. */
export const SPOKEN_PROTOCOLS = ['fncall-qwen', 'fncall-nous', 'react', 'role-react', 'native'] as const

/** One of `SPOKEN_PROTOCOLS`. */
export type SpokenProtocol = (typeof SPOKEN_PROTOCOLS)[number]

const SPOKEN_FORMATS: ReadonlySet<string> = new Set(['qwen', 'nous', 'react'])

let known: readonly Format[] = FORMATS.filter(({ id, prompt }) => prompt !== null && !SPOKEN_FORMATS.has(id))

/**
 * The formats that are spoken as core writes them: all with a prompt that nobody above speaks already, and those that somebody
 * brought along. Another list whenever one was added.
 */
export function simFormats(): readonly Format[] {
  return known
}

/** Teaches every simulated model of this process a format, in place of the one that had its id. */
export function addSimFormat(format: Format): void {
  if (!known.includes(format)) known = [...known.filter(({ id }) => id !== format.id), format]
}

/** The protocols that simulated models speak. */
export function simProtocols(): readonly SimProtocol[] {
  return [...SPOKEN_PROTOCOLS, ...known.map(({ id }) => id)]
}

/** One of `simProtocols()`. */
export type SimProtocol = string

/** Whether a protocol is made of a format. */
export function isSpokenFormat(protocol: SimProtocol): boolean {
  return known.some(({ id }) => id === protocol)
}
