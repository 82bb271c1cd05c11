/** A mutant that does what the code does, and why. */
export interface Argued {
  /** Of `NamedMutant`. */
  readonly id: string
  readonly why: string
}

/** Mutants that no test can tell from the code. Where the place is changed, its entry goes. */
export const ARGUED: readonly Argued[] = [
  {
    id: 'packages/eval/src/statistics/mcnemar.ts: i > 0 -> (i) >= (0)',
    why: 'The step for 0 multiplies the term by 0 and adds that.',
  },
]
