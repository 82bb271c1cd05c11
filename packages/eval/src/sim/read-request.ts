import { PROTOCOLS } from '../protocol.ts'
import type { Protocol } from '../protocol.ts'
import type { Reference } from './reference.ts'
import { SPEAKERS, WHOLE } from './speakers.ts'
import type { Part } from './speakers.ts'

/** A message as it comes over the wire. */
export interface WireMessage {
  readonly role: string
  readonly content: string
}

/** Where in which task a conversation stands. Found in the messages alone: the server remembers nothing. */
export interface Situation {
  readonly protocol: Protocol
  readonly reference: Reference
  /** What the host answered to the calls so far, in order. */
  readonly results: readonly string[]
  /** What the reply is asked for. */
  readonly part: Part
}

/** Null when the messages hold no known prompt or no known task. */
export function readSituation(messages: readonly WireMessage[], references: readonly Reference[]): Situation | null {
  const protocol = PROTOCOLS.find((each) => SPEAKERS[each].isAsked(messages))
  if (protocol === undefined) return null
  const { conversation: read, afterQuestion, results, part } = SPEAKERS[protocol]
  const conversation = read(messages)
  const reference = references.find((candidate) => asks(conversation, candidate.query, afterQuestion))
  if (reference === undefined) return null
  return {
    protocol,
    reference,
    results: results(conversation.slice(reference.query.length)),
    part: part?.(messages) ?? WHOLE,
  }
}

function asks(conversation: string, query: string, afterQuestion: string): boolean {
  if (!conversation.startsWith(query)) return false
  const next = conversation.slice(query.length)
  return next === '' || next.startsWith(afterQuestion)
}
