import type { Command } from '../command.ts'
import { COMPARE_OPTIONS, runCompare } from '../eval/compare.ts'

export const command: Command = {
  name: 'compare',
  usage: ['compare BEFORE AFTER [options]'],
  about:
    'Holds two runs against each other, pair by pair: the same task with the same seed, under the same protocol. A side is a ' +
    'run folder, its name in reports/, latest, or the file of a blessed baseline.',
  maxPositionals: 2,
  options: COMPARE_OPTIONS,
  examples: [
    'callspec compare golden/baseline.json latest --fail-on-regression',
    'callspec compare reports/2026-01-30T09-00-00-1a2b3c4d latest --json',
  ],
  notes: [
    'A star marks a difference that is shown: the exact sign-flip test of the differences per task, after Holm over all ' +
      'comparisons of the table. The interval is the same test inverted, at the level that Holm leaves for it.',
    'Exit codes: 0 compared; with --fail-on-regression 1 a rate is shown to be worse by more than --max-regression, 3 the ' +
      'runs share too little to say, or would not have shown a drop of --require-detectable; 2 misuse, or runs of different tasks.',
  ],
  run: runCompare,
}
