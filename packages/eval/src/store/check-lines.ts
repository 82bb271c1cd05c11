import type { Edits } from './edits.ts'
import { readSeal } from './sealed-line.ts'
import type { Seal } from './sealed-line.ts'

/** Holds the lines of a journal against their check sums, one after the other. */
export interface LineCheck {
  /** The JSON text of a line, without number and sum. @throws RunError for a change that nobody has accepted */
  open(text: string, number: number): string
  /** What the next line goes on from. */
  seal(): Seal
}

/**
 * Finds lines that were changed, taken out, put in or moved. Behind one that was changed, its sum as it stands there counts, so
 * that every change is found once and where it is.
 *
 * @param begin see `firstSeal`
 */
export function createLineCheck(name: string, begin: Seal, edits: Edits): LineCheck {
  let last = begin
  // Behind a gap nobody knows what the sum was.
  let isKnown = true
  let unsealed = 0
  const missing = (from: number, to: number): void =>
    edits.found(from === to ? `${name} lacks line ${from}` : `${name} lacks lines ${from} to ${to}`)
  return {
    open: (text, number) => {
      const read = readSeal(text)
      if (read === null) {
        edits.found(`${name} line ${number} carries no check sum`)
        // It may have been put in, or stand where another one stood.
        unsealed += 1
        isKnown = false
        return text
      }
      const { json, seal, fits } = read
      if (seal.line < last.line + 1) {
        edits.found(`${name} line ${number} stands there a second time, or not in its place`)
        return json
      }
      if (seal.line > last.line + 1) {
        if (seal.line > last.line + 1 + unsealed) missing(last.line + 1 + unsealed, seal.line - 1)
        isKnown = false
      }
      if (isKnown && !fits(last)) edits.found(`${name} line ${number} is not as it was written`)
      last = seal
      isKnown = true
      unsealed = 0
      return json
    },
    seal: () => last,
  }
}

/** The check of a journal from before there were sums: everything is as it is. */
export function createNoCheck(): LineCheck {
  return { open: (text) => text, seal: () => ({ line: 0, sum: 0 }) }
}
