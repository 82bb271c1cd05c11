import type { PyValue } from '@callspec/python'

/** A function as a prompt shows it; without `parameters` it takes none. */
export interface ShownFunction {
  readonly name: string
  readonly description: string
  readonly parameters?: PyValue
}

/** Functions under one name. */
export interface Namespace {
  readonly name: string
  readonly description: string
  readonly functions: readonly ShownFunction[]
}

/** A section of a system or developer message; those that are missing leave no trace. */
export type Section =
  | { readonly kind: 'text'; readonly text: string }
  /** `definesFunctions`: whether these are functions of the request, and not tools of the maker. */
  | { readonly kind: 'tools'; readonly namespaces: readonly Namespace[]; readonly definesFunctions: boolean }
  /** Where a conversation defines functions, a line more says where calls of them go. */
  | { readonly kind: 'channels'; readonly text: string }

/** A message as the format has it. */
export interface HarmonyMessage {
  /** `user`, `assistant`, `system`, `developer`, or the name of a tool. */
  readonly role: string
  readonly name?: string
  readonly recipient?: string
  readonly channel?: string
  /** Such as `<|constrain|>json`. */
  readonly type?: string
  /** Texts one after the other; sections are joined by blank lines. */
  readonly content: readonly (string | readonly Section[])[]
}
