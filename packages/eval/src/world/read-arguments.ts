import { toPlain, attempt, loadsLenient } from '@callspec/python'
import { isTooDeep } from '../text/too-deep.ts'

/** What a tool of the reference makes of the text of its arguments: fence off, JSON, then JSON5 (spec §11.3). */
export type ReadArguments =
  { readonly kind: 'read'; readonly value: unknown } | { readonly kind: 'unreadable'; readonly message: string }

/** Reads the arguments of a call as a tool does. Plain JSON data comes out; never throws on model text. */
export function readArguments(text: string): ReadArguments {
  const outcome = attempt(() => loadsLenient(text, 'lenient'))
  if (outcome.kind === 'raised' || isTooDeep(outcome.value)) return { kind: 'unreadable', message: UNREADABLE }
  return { kind: 'read', value: toPlain(outcome.value) }
}

const UNREADABLE = 'Parameters must be formatted as a valid JSON!'
