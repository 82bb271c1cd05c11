import type { PyDict, PyValue } from '@callspec/python'

/** Who speaks. Case-sensitive; anything else is a validation error (spec §1.1). */
export type Role = 'system' | 'user' | 'assistant' | 'function'

/** Exactly one of the five is present; its name is the type of the item (spec §1.3). */
export interface ContentItem {
  readonly text?: string
  readonly image?: string
  readonly file?: string
  /** A path or URL, or a map with `data` and `format`. */
  readonly audio?: string | PyDict
  /** A path or URL, or a list of frames. */
  readonly video?: string | readonly PyValue[]
}

/** A call as it travels: `arguments` is text, exactly as the format gave it (spec §1.2). */
export interface FunctionCall {
  readonly name: string
  readonly arguments: string
}

/** What a message says: one text ("text form"), or a list of items ("multimodal form"). */
export type Content = string | readonly ContentItem[]

/**
 * A message as the reference sees it; names are the wire's. `null` and absent mean the same and are left out of a dump
 * (spec §1.4), except `reasoning_content` in profiles where null becomes an empty text.
 */
export interface Message {
  readonly role: Role
  readonly content: Content
  readonly reasoning_content?: Content | null
  readonly name?: string | null
  readonly function_call?: FunctionCall | null
  readonly extra?: PyDict | null
}

/** A message whose content is a list of items ("multimodal form", spec §1.5). */
export interface ItemMessage extends Message {
  readonly content: readonly ContentItem[]
}

/** A message whose content is one text ("text form", spec §1.5). */
export interface TextMessage extends Message {
  readonly content: string
}

/**
 * A tool as the reference gets it: an ordered map with `name` or `name_for_model`, `description`, `parameters`, and
 * optionally `name_for_human` and `args_format` (spec §5). Read with `loads`, so that numbers and key order survive.
 */
export type ToolDefinition = PyDict
