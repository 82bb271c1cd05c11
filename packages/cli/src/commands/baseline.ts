import type { Command } from '../command.ts'
import { BASELINE_OPTIONS, runBaseline } from '../eval/baseline.ts'

export const command: Command = {
  name: 'baseline',
  usage: ['baseline bless RUN [--output FILE]', 'baseline show [FILE]'],
  about:
    'Keeps a run as what later ones are held against: a file of a few kilobytes to commit, with figures and outcomes, and ' +
    'without a word of any model. callspec eval --baseline FILE and callspec compare FILE RUN use it.',
  subcommands: {
    bless: 'Write the baseline of a run.',
    show: 'Print the figures of a baseline.',
  },
  maxPositionals: 1,
  options: BASELINE_OPTIONS,
  examples: ['callspec baseline bless latest', 'callspec baseline show golden/baseline.json'],
  notes: ['Exit codes: 0 done; 2 misuse, a run that has not ended, or a file that is no baseline.'],
  run: runBaseline,
}
