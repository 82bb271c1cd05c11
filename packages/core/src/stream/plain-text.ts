import type { Settled } from '../format.ts'
import { isSpace } from '@callspec/python'

/** What a reader knows of the text that comes next, as long as no character in it can begin anything. */
export interface PlainText {
  /** Whether a character stands there that may begin or end something. Then what is known holds no longer. */
  readonly isBrokenBy: (text: string) => boolean
  /**
   * What becomes of the text: all of it settles behind what has settled already; or all but the white space (Python's) at its
   * end; or nothing settles.
   */
  readonly settles: 'all' | 'all-but-space' | 'nothing'
  /** How much white space waits behind what has settled. It settles with what follows it. */
  readonly space: number
}

/** A run of plain text that nobody has looked into. */
export interface PlainRun {
  readonly known: PlainText
  /** What had settled before it. */
  readonly base: Settled
  length: number
  /** How much of it stands before the white space at its end. */
  solid: number
}

/** A run without a character. */
export function plainRun(known: PlainText, base: Settled): PlainRun {
  return { known, base, length: 0, solid: 0 }
}

/** Lets the run grow; false where the text is not plain and has to be read. */
export function takePlain(run: PlainRun, text: string): boolean {
  const { known, length } = run
  if (known.isBrokenBy(text)) return false
  run.length += text.length
  if (known.settles !== 'all-but-space') return true
  let end = text.length
  while (end > 0 && isSpace(text.charCodeAt(end - 1))) end--
  if (end > 0) run.solid = length + end
  return true
}

/** How much has settled behind the run. */
export function settledBehind({ known, base, length, solid }: PlainRun): Settled {
  const { settles, space } = known
  const more = settles === 'all' ? length : settles === 'nothing' || solid === 0 ? 0 : space + solid
  if (more === 0) return base
  const { messages, open } = base
  const characters = base.characters + more
  // Written out: a copy with `...` takes longer than all the rest of a push.
  return open === undefined ? { messages, characters } : { messages, characters, open }
}
