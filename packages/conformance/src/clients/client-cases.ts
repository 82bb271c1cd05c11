import type { Api, ApiUsage } from '@callspec/apis'
import { APIS } from '@callspec/apis'
import { CHAT_CHANGES } from './chat-changes.ts'
import type { ClientStream, SaidReply, StreamEvent } from './client-stream.ts'
import { randomOf, streamOf } from './client-stream.ts'
import { MESSAGES_CHANGES } from './messages-changes.ts'
import { RESPONSES_CHANGES } from './responses-changes.ts'
import { SAID_REPLIES } from './said-replies.ts'
import type { StreamChange } from './stream-change.ts'
import { writeChat } from './write-chat.ts'
import { writeMessages } from './write-messages.ts'
import { writeResponses } from './write-responses.ts'

/** One stream that a client is to read. */
export interface ClientCase {
  /** `API/REPLY/CHANGE`. */
  readonly id: string
  readonly api: Api
  readonly change: StreamChange
  readonly stream: ClientStream
  /** The reply that it carries. */
  readonly said: Omit<SaidReply, 'usage'> & { readonly usage: ApiUsage | null }
  /** What the numbers of its change and its pieces are drawn from. */
  readonly seed: string
}

/** The changes of an API. */
export const CHANGES: Readonly<Record<Api, readonly StreamChange[]>> = {
  chat: CHAT_CHANGES,
  messages: MESSAGES_CHANGES,
  responses: RESPONSES_CHANGES,
}

const WRITERS: Readonly<Record<Api, (reply: SaidReply, size: number) => readonly StreamEvent[]>> = {
  chat: writeChat,
  messages: writeMessages,
  responses: writeResponses,
}

/** All streams of an API: each reply under each change that can be made of it. The same seed gives the same bytes. */
export function clientCases(api: Api, seed: number): readonly ClientCase[] {
  return Object.entries(SAID_REPLIES).flatMap(([name, reply]) =>
    CHANGES[api].flatMap((change) => clientCase({ api, change, name, reply, seed: String(seed) }) ?? []),
  )
}

/** What a stream is made of. */
export interface CaseRequest {
  readonly api: Api
  readonly change: StreamChange
  /** The name of the reply. */
  readonly name: string
  readonly reply: SaidReply
  readonly seed: string
}

/** One stream; null where the change cannot be made of the reply. */
export function clientCase({ api, change, name, reply, seed }: CaseRequest): ClientCase | null {
  const id = `${api}/${name}/${change.id}`
  const random = randomOf(`${seed} ${id}`)
  const events = WRITERS[api](reply, change.size ?? 2 + random.below(6))
  const changed = change.apply({ api, reply, events }, random)
  if (changed === null) return null
  const { said, ...stream } = changed
  return {
    id,
    api,
    change,
    stream: { ...streamOf(events), ...stream },
    said: { ...reply, ...said },
    seed: `${seed} ${id}`,
  }
}

/** Whether a text is the name of an API. */
export function isApi(text: string): text is Api {
  return (APIS as readonly string[]).includes(text)
}
