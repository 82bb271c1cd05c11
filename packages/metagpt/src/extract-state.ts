import { strip } from '@callspec/python'

/** What an answer to the state prompt says. */
export interface ExtractedState {
  /**
   * What the reference may read out of the answer: each digit that is not directly behind an ASCII `-`, in the order of
   * its first occurrence; `-1` alone when there is none. The reference takes any one of them (the first of an unordered
   * set), so with more than one its choice differs from process to process.
   */
  readonly candidates: readonly string[]
  /** The first of them, which is always a choice that the reference could make. */
  readonly extracted: string
}

/**
 * Reads an answer to the state prompt (MetaGPT spec §3.1). Total and linear.
 *
 * Only single ASCII digits exist: `11` is 1, `-12` is 2, `-1` and `done` are -1, `10` is 0 or 1.
 */
export function extractState(answer: string): ExtractedState {
  const found = new Set<string>()
  addStates(found, strip(answer), '')
  return extractedState(found)
}

/** Adds the states that a text names; `before` is the character in front of it. */
export function addStates(found: Set<string>, text: string, before: string): void {
  let last = before
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (char >= '0' && char <= '9' && last !== '-') found.add(char)
    last = char
  }
}

/** What an answer says that names these states, in this order. */
export function extractedState(found: ReadonlySet<string>): ExtractedState {
  const candidates = found.size === 0 ? ['-1'] : [...found]
  return { candidates, extracted: candidates[0] ?? '-1' }
}

/** The state that an extracted answer means for a role with `stateCount` states: -1 for whatever is not one of them. */
export function validState(extracted: string, stateCount: number): number {
  const isNumber = extracted === '-1' || /^[0-9]+$/.test(extracted)
  const state = isNumber ? Number(extracted) : -1
  return state < stateCount ? state : -1
}

/** All states that the reference may enter after an answer. */
export function admissibleStates(answer: string, stateCount: number): readonly number[] {
  return [...new Set(extractState(answer).candidates.map((candidate) => validState(candidate, stateCount)))]
}
