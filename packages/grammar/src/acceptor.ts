import type { CompiledGrammar } from './compile.ts'
import { expectedNext } from './expected.ts'
import { beginRun, moveRun } from './stepper.ts'
import { encodeText, isContinuation } from './utf8.ts'

/** Why a text is refused: the offset of the refused byte, and what was allowed there. */
export type Refusal = { readonly at: number; readonly expected: readonly string[] }

/**
 * Reads a text piece by piece, as an engine's matcher does.
 *
 * - `feed`: the next bytes; returns null, or the refusal, which stays: later bytes are ignored.
 * - `mayEnd`: whether the text may end here.
 * - `expected`: what may follow, each as a literal text or a class of characters; `end` where the text may end.
 * - `offset`: bytes read so far. `hasTooManyReadings`: the grammar is too ambiguous, and nothing is known of this text.
 */
export type Acceptor = {
  readonly feed: (piece: string | Uint8Array) => Refusal | null
  readonly mayEnd: () => boolean
  readonly expected: () => readonly string[]
  readonly offset: () => number
  readonly hasTooManyReadings: () => boolean
}

/** Starts to read a text under a grammar. Time is linear in the text; nothing is read twice. */
export function startAcceptor(grammar: CompiledGrammar): Acceptor {
  const run = beginRun(grammar)
  let refusal: Refusal | null = null
  let offset = 0
  let character = 0
  const feed = (piece: string | Uint8Array): Refusal | null => {
    if (refusal) return refusal
    for (const byte of typeof piece === 'string' ? encodeText(piece) : piece) {
      const { readings, mayEnd } = run
      if (!isContinuation(byte)) character = offset
      if (!moveRun(run, byte)) {
        const at = grammar.refuses === 'characters' ? character : offset
        refusal = { at, expected: run.isExhausted ? [] : expectedNext(grammar, readings, mayEnd) }
        return refusal
      }
      offset += 1
    }
    return null
  }
  return {
    feed,
    mayEnd: () => !refusal && run.mayEnd,
    expected: () => refusal?.expected ?? expectedNext(grammar, run.readings, run.mayEnd),
    offset: () => offset,
    hasTooManyReadings: () => run.isExhausted,
  }
}
