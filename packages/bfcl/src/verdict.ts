import type { PyLiteral } from '@callspec/python'

/** What the matcher says of an output: right, or wrong with BFCL's name of the first thing that is wrong. */
export type BfclVerdict = { readonly valid: true } | { readonly valid: false; readonly error: string }

/** The verdict of a right output. */
export const VALID: BfclVerdict = { valid: true }

/** The verdict of a wrong one; `error` is BFCL's `error_type`. */
export function wrong(error: string): BfclVerdict {
  return { valid: false, error }
}

/** A call as BFCL's decoders give it: one name, and what they take for its arguments, which should be a dict. */
export interface DecodedCall {
  readonly name: PyLiteral
  readonly args: PyLiteral
}

/** The languages of BFCL's categories: values of the last two arrive as source text. */
export type BfclLanguage = 'python' | 'java' | 'javascript'
