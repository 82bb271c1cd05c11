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
  {
    id: 'packages/eval/src/score/repetition.ts: BLOCK * TIMES -> (BLOCK) / (TIMES)',
    why: 'Only spares the search, which finds no four blocks in so few characters.',
  },
  {
    id: 'packages/eval/src/score/repetition.ts: BLOCK * TIMES -> (BLOCK) / (TIMES) (2)',
    why: 'Only spares the search, which finds no four blocks in so few tokens.',
  },
  {
    id: 'packages/eval/src/score/repetition.ts: 0x303f -> 12352',
    why: '0x3040 has been told for a wide character before.',
  },
  {
    id: 'packages/eval/src/score/answer/read-numbers.ts: 2 -> 3',
    why: 'The pattern takes two characters at most.',
  },
  {
    id: 'packages/eval/src/score/answer/between-numbers.ts: 10 -> 11',
    why: 'The longest word of the pattern, with a blank on both sides, has ten characters.',
  },
  {
    id: 'packages/eval/src/score/quotes.ts: sources.every((marks) => marks.length === 0) -> false',
    why: 'Only spares the loop, which finds nothing where nothing that was given has a mark.',
  },
  {
    id: 'packages/eval/src/score/answer/offered-number.ts: start > place -> (start) >= (place)',
    why: 'No number begins where a word of correction does.',
  },
  {
    id: 'packages/eval/src/score/verdict.ts: wanted !== undefined && call !== undefined -> (wanted !== undefined) || (call !== undefined)',
    why: 'Only places that both lists have are asked for.',
  },
  {
    id: 'packages/eval/src/statistics/shown-share.ts: FAR * level -> (FAR) / (level)',
    why: 'Only spares the exact test, which decides alike.',
  },
  {
    id: 'packages/eval/src/statistics/pass-k.ts: 0 -> 1 (4)',
    why: 'A first task that was tried at all takes this place, by being one or by its tries.',
  },
  {
    id: 'packages/eval/src/statistics/subset-sums.ts: 0 -> 1 (10)',
    why: 'Makes room for one more subset, with a share of 0.',
  },
  {
    id: 'packages/eval/src/statistics/subset-sums.ts: 0 -> 1 (11)',
    why: 'Makes room for more subsets, each with a share of 0.',
  },
  {
    id: 'packages/eval/src/statistics/subset-sums.ts: half === 0 -> false',
    why: 'Only spares steps that add 0.',
  },
  {
    id: 'packages/eval/src/statistics/subset-sums.ts: 1 -> 2',
    why: 'Moves the bound from which on an approximation is taken a little, and nothing promises where it stands.',
  },
  {
    id: 'packages/core/src/formats/react/detect-tool.ts: action >= input -> (action) > (input)',
    why: 'Two markers that differ never stand at one place.',
  },
  {
    id: 'packages/core/src/grammar/head.ts: text.length > LONG_HEAD -> false',
    why: 'Only bounds what is kept of heads that were read, for the next time.',
  },
  {
    id: 'packages/core/src/grammar/leave.ts: unreachable(state.is) -> ',
    why: 'Stands for what the types rule out.',
  },
  {
    id: 'packages/core/src/formats/nous/stream.ts: at - from -> (at) + (from)',
    why: 'Only counts characters that are looked at; the tests of that count are too dear to be run for each mutant.',
  },
  {
    id: 'packages/core/src/grammar/search.ts: at - from -> (at) + (from)',
    why: 'Only counts characters that are looked at; the tests of that count are too dear to be run for each mutant.',
  },
  {
    id: 'packages/core/src/grammar/search.ts: 1 -> 2',
    why: 'Only counts characters that are looked at; the tests of that count are too dear to be run for each mutant.',
  },
]
