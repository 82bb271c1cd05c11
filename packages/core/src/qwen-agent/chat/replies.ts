import type { Message } from '../../message.ts'
import type { Profile } from '../../profile.ts'

/** What one chunk of an OpenAI-style stream adds, or what a whole reply holds. Absent and null mean the same. */
export interface ReplyChunk {
  readonly content?: string | null
  readonly reasoning_content?: string | null
  readonly tool_calls?: readonly ToolCallDelta[] | null
}

export interface ToolCallDelta {
  readonly id?: string | null
  readonly function?: { readonly name?: string | null; readonly arguments?: string | null } | null
}

/**
 * The message lists that the OpenAI-style client of the reference yields for a streamed reply: one per chunk, each with
 * everything so far (spec §8.8).
 */
export function* openAiReplies(chunks: Iterable<ReplyChunk>, profile: Profile): Generator<readonly Message[]> {
  yield []
  throw new Error(`not yet ${profile.name} ${String(chunks)}`)
}

/** The message list that the client gives back without streaming. */
export function openAiReply(reply: ReplyChunk, profile: Profile): readonly Message[] {
  throw new Error(`not yet ${profile.name} ${String(reply.content)}`)
}
