import type { ChatMLOptions } from '@callspec/qwen-agent'
import type { PromptPart, ReferenceError } from '@callspec/core'
import type { PyValue } from '@callspec/python'

/** One message of a prompt: role and content, and whatever else the format left in it. */
export interface PromptMessage {
  readonly role: string
  /** Text, or a list of items when the model takes images or audio. */
  readonly content: PyValue
  /** The whole message in the order of the wire. */
  readonly dump: ReadonlyMap<string, PyValue>
}

/** What rendering a request gave. */
export type Rendering =
  | {
      readonly kind: 'messages'
      readonly messages: readonly PromptMessage[]
      /** How the reference writes them as ChatML; null for a format of the user. */
      readonly chatml: ChatMLOptions | null
      /** Tools that go to the service beside the messages (raw API); null when there are none. */
      readonly tools: PyValue
    }
  /** A template that gives one text knows no roles. */
  | { readonly kind: 'text'; readonly text: string }
  /** A format with a prompt of its own gives it in parts. */
  | { readonly kind: 'parts'; readonly parts: readonly PromptPart[] }
  | Rejection

/** A raise of the reference in this profile, reproduced. */
export interface Rejection {
  readonly kind: 'rejected'
  readonly error: ReferenceError
}
