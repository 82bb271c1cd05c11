import type { PyValue } from '@callspec/core'

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
  | { readonly kind: 'messages'; readonly messages: readonly PromptMessage[] }
  /** A template that gives one text knows no roles. */
  | { readonly kind: 'text'; readonly text: string }
  /** A raise of the reference in this profile, reproduced. */
  | { readonly kind: 'rejected'; readonly error: { readonly type: string; readonly message: string } }
