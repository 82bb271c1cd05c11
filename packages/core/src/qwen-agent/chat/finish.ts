import type { Message } from '../../message.ts'
import type { PreparedChat } from './prepare.ts'

/**
 * What the chat call emits for one reply of the client: the complete reply, or, when streaming, one cumulative list
 * (spec §8.5). Every list is processed from scratch.
 *
 * @returns null for a list that the profile does not emit: an empty one while streaming
 * @throws Raise whatever the reference raises while reading the reply
 */
export function finishReply(prepared: PreparedChat, reply: readonly Message[]): readonly Message[] | null {
  throw new Error(`not yet ${prepared.stream} ${reply.length}`)
}
