import type { ComparedVerdict, ConformanceReport } from './input.ts'

/** The cases of a conformance page as its script reads them: every text once, and its number wherever it stands. */
export interface CaseData {
  readonly columns: readonly { readonly name: string; readonly recorded: boolean }[]
  readonly texts: readonly string[]
  /** What cells with failing cases lead to. */
  readonly cells: readonly CellData[]
  readonly cases: readonly CaseEntry[]
}

/** The place of a cell. */
export interface CellData {
  readonly column: number
  readonly format: string | null
  readonly op: string
  readonly profile: string
  /** Null for all topics. */
  readonly topic: string | null
}

/** One case; texts by number, -1 for none. */
export interface CaseEntry {
  /** What stands in its link. */
  readonly key: string
  readonly id: string
  readonly format: string | null
  readonly op: string
  readonly profile: string
  readonly topic: string
  readonly input: number
  readonly origin: readonly number[]
  readonly expected: number
  /** Column, verdict, what was said, why. */
  readonly answers: readonly (readonly [number, ComparedVerdict, number, number])[]
}

/** The cases of a report, and the places that lead to them. */
export function caseData({ columns, cases }: ConformanceReport, cells: readonly CellData[]): CaseData {
  const texts: string[] = []
  const numbers = new Map<string, number>()
  const numberOf = (text: string | null): number => {
    if (text === null) return -1
    const known = numbers.get(text) ?? texts.push(text) - 1
    numbers.set(text, known)
    return known
  }
  return {
    columns: columns.map(({ name, recorded }) => ({ name, recorded: recorded !== null })),
    cells,
    cases: cases.map(({ input, origin, expected, answers, ...rest }) => ({
      ...rest,
      key: caseKey(rest.id, rest.profile),
      input: numberOf(input),
      origin: origin.map(numberOf),
      expected: numberOf(expected),
      answers: answers.map((each) => [each.column, each.verdict, numberOf(each.said), numberOf(each.reason)]),
    })),
    texts,
  }
}

/** What stands in the link of a case. Half a character has no form in an address. */
export function caseKey(id: string, profile: string): string {
  const whole = profile === 'strict' || id.endsWith(`@${profile}`) ? id : `${id} (${profile})`
  return whole.replace(/\p{Surrogate}/gu, '_')
}
