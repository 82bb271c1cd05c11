import type { PyLiteral, PyValue } from '@callspec/python'
import { attempt, Raise } from '@callspec/python'
import type { DecodedOutput } from '../check-output.ts'
import type { BfclLanguage } from '../verdict.ts'

/** What a handler of BFCL makes of an output before anything is compared. May throw a `Raise`, which means: not decodable. */
export type Decode = (output: PyValue, language: BfclLanguage) => PyLiteral

/** Runs a handler. Never throws. */
export function decoded(decode: Decode, output: PyValue, language: BfclLanguage): DecodedOutput {
  const done = attempt(() => decode(output, language))
  return done.kind === 'returned' ? { kind: 'decoded', value: done.value } : { kind: 'failed' }
}

/** The error of a handler that finds something else than it takes for granted. Its text is compared by nobody. */
export function undecodable(what: string): Raise {
  return new Raise('Exception', what)
}

/** The output as a text. @throws Raise where it is none: every handler of texts fails then */
export function textOf(output: PyValue): string {
  if (typeof output !== 'string') throw undecodable('the output is no text')
  return output
}
