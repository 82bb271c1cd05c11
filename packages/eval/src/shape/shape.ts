/**
 * What a value that somebody wrote may look like. Checks and the JSON Schema for editors are made from the same
 * description, so they cannot disagree.
 */
export type Shape =
  /** With `orMatching`, a regular expression, a text of that form will do as well as one of the choices. */
  | { readonly kind: 'text'; readonly choices?: readonly string[]; readonly orMatching?: string }
  | { readonly kind: 'number'; readonly min?: number; readonly max?: number; readonly whole?: boolean }
  | { readonly kind: 'flag' }
  /** Any value that JSON can hold. */
  | { readonly kind: 'json' }
  /** Exactly null. */
  | { readonly kind: 'null' }
  /** A function; only modules can hold one. */
  | { readonly kind: 'function' }
  | { readonly kind: 'list'; readonly of: Shape; readonly min?: number }
  /** An object with any names. */
  | { readonly kind: 'record'; readonly of: Shape }
  | { readonly kind: 'object'; readonly members: Readonly<Record<string, Member>> }
  /** One of these, told apart by their type in JSON. */
  | { readonly kind: 'either'; readonly of: readonly Shape[] }

/** A member of an object. */
export interface Member {
  readonly shape: Shape
  /** One sentence for people and for the editor. */
  readonly about?: string
  readonly required?: boolean
}

/** Any text. */
export const TEXT: Shape = { kind: 'text' }
/** Any text, or several. */
export const TEXTS: Shape = { kind: 'list', of: TEXT }
/** true or false. */
export const FLAG: Shape = { kind: 'flag' }
/** Any value that JSON can hold. */
export const JSON_VALUE: Shape = { kind: 'json' }
/** An object of JSON values. */
export const JSON_OBJECT: Shape = { kind: 'record', of: JSON_VALUE }

/** One of these texts. */
export function oneOf(choices: readonly string[]): Shape {
  return { kind: 'text', choices }
}

/** A whole number, by default of at least 0. */
export function whole(min = 0, max?: number): Shape {
  return { kind: 'number', whole: true, min, ...(max === undefined ? {} : { max }) }
}
