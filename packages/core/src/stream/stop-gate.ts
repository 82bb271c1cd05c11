import { pyFind } from '@callspec/python'
import { cutAtStopWord, cutPartialStopWord } from '../stop-words.ts'

/** Lets a reply through up to its first stop word, as it arrives (spec §8.7). */
export interface StopGate {
  /** Whether nothing is ever cut or held. */
  readonly isOpen: boolean
  /** Takes the next piece, and gives the text that is part of the reply whatever follows. */
  readonly admit: (text: string) => string
  /** What the reply ends with, if it ends here. */
  readonly look: () => GateView
}

/** The end of a reply that is cut at stop words. */
export interface GateView {
  /** What is kept of the text that has not been let through. */
  readonly rest: string
  /** Where the text was cut, and what follows there; null where no stop word stands. */
  readonly cut: Removed | null
  /** Where a stop word without its last token was removed from the end of the rest; null where none stands. */
  readonly partial: Removed | null
  /** Whether all later text is cut off. */
  readonly isClosed: boolean
}

/** A piece of text that is not part of the reply. */
export interface Removed {
  readonly start: number
  readonly end: number
  /** Its first characters: as many as issues quote, or all. */
  readonly head: string
}

/** The words that cut, in the order in which they are tried, and what is left of them without their last token. */
export interface GateWords {
  readonly words: readonly string[]
  readonly partials: readonly string[]
  /** How many characters of a removed piece are kept. */
  readonly headLength: number
  /** Is told how many characters were looked at. */
  readonly examined: (characters: number) => void
}

/**
 * A gate for these words.
 *
 * A text is held back from the first place on where a word may stand, or a partial word that may be removed: what comes
 * before can be part of neither, so cutting the held text gives what cutting the whole text would. Where a whole word
 * stands, a few characters more decide: a word that comes earlier in the list may reach into it and shorten the text so
 * that it is seen no longer. Each word of the list can move that decision by its own length, so after as many characters
 * as all words have together nothing changes any more.
 */
export function stopGate({ words, partials, headLength, examined }: GateWords): StopGate {
  const reach = words.reduce((sum, word) => sum + word.length + 1, 1)
  let held = ''
  let released = 0
  let total = 0
  let closed: GateView | null = null

  const view = (): GateView => {
    examined(held.length * words.length)
    const cut = cutAtStopWord(held, words).text
    const kept = cutPartialStopWord(cut, partials)
    const removed = (from: number, to: number): Removed | null =>
      from === to
        ? null
        : { start: released + from, end: released + to, head: held.slice(from, to).slice(0, headLength) }
    return {
      rest: kept,
      cut: removed(cut.length, held.length),
      partial: removed(kept.length, cut.length),
      isClosed: false,
    }
  }

  const close = (): string => {
    const last = view()
    released += last.rest.length
    held = ''
    closed = { ...last, rest: '', isClosed: true }
    return last.rest
  }

  return {
    isOpen: false,
    admit: (text) => {
      total += text.length
      if (closed !== null) {
        closed = longer(closed, text, { total, headLength })
        return ''
      }
      held += text
      examined(2 * held.length * words.length)
      const found = firstEnd(held, words)
      if (found !== null && held.length >= found + reach) return close()
      const start = holdStart(held, { words, partials })
      const free = held.slice(0, start)
      held = held.slice(start)
      released += start
      return free
    },
    look: () => closed ?? view(),
  }
}

/** A gate for replies that are not cut. */
export function openGate(): StopGate {
  const view: GateView = { rest: '', cut: null, partial: null, isClosed: false }
  return { isOpen: true, admit: (text) => text, look: () => view }
}

/** Where the first whole word ends; null where none stands, or only one that the next unit may take away. */
function firstEnd(text: string, words: readonly string[]): number | null {
  let first: number | null = null
  for (const word of words) {
    const end = pyFind(text, word) + word.length
    if (end >= word.length && end < text.length && (first === null || end < first)) first = end
  }
  return first
}

/** From where on text may still be cut off. */
function holdStart(text: string, { words, partials }: Pick<GateWords, 'words' | 'partials'>): number {
  let start = text.length
  const holdCut = (at: number): void => {
    start = Math.min(start, at)
    // A cut may lay a partial word bare.
    for (const partial of partials) if (text.endsWith(partial, at)) start = Math.min(start, at - partial.length)
  }
  for (const word of words) {
    const at = pyFind(text, word)
    if (at >= 0) holdCut(at)
    for (const end of openEnds(text, word)) holdCut(end)
  }
  for (const partial of partials) for (const end of openEnds(text, partial)) start = Math.min(start, end)
  // Half of a pair is told from a whole one by what stands before it.
  return start > 0 && (text.charCodeAt(start - 1) & 0xfc00) === 0xd800 ? start - 1 : start
}

/** Where an end of the text begins that is a beginning of the word, or the whole of it. */
function openEnds(text: string, word: string): readonly number[] {
  const ends: number[] = []
  const first = word.charAt(0)
  if (first === '') return ends
  for (
    let at = text.indexOf(first, Math.max(0, text.length - word.length));
    at >= 0;
    at = text.indexOf(first, at + 1)
  ) {
    if (word.startsWith(text.slice(at))) ends.push(at)
  }
  return ends
}

function longer(view: GateView, text: string, { total, headLength }: LongerText): GateView {
  const { cut } = view
  if (cut === null) return view
  return { ...view, cut: { ...cut, end: total, head: (cut.head + text).slice(0, headLength) } }
}

interface LongerText {
  readonly total: number
  readonly headLength: number
}
