import type { AskedText, Records } from './records-table.d.ts'

/** A strict case, and how the page asks it; null where it cannot. */
export interface AskedCase {
  readonly id: string
  readonly op: string
  readonly format: string
  readonly topic: string
  readonly question: AskedText | null
}

/** Adds every verdict about the cases that a folder of scoreboards tells apart. */
export declare function addAsked(
  records: Records,
  given: { readonly folder: string; readonly cases: readonly AskedCase[] },
): Promise<void>
