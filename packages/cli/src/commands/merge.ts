import type { Command } from '../command.ts'
import { MERGE_OPTIONS, runMerge } from '../eval/merge.ts'

export const command: Command = {
  name: 'merge',
  usage: ['merge RUN RUN ... --into DIR [options]'],
  about:
    'Puts parts of one plan, played with --shard, together in one run folder, and scores it. The order does not matter, and a ' +
    'part may be merged again, by itself or within the result.',
  maxPositionals: Infinity,
  options: MERGE_OPTIONS,
  examples: [
    'callspec merge reports/*-1of2 reports/*-2of2 --into reports/whole',
    'callspec merge part1 part2 part3 --into whole --min parse_rate=0.95 --json',
  ],
  notes: [
    'Exit codes: 0 the plan is whole and every gate is met; 1 a gate is not met; 2 misuse, or folders that are no parts of ' +
      'one plan; 3 no verdict: parts are missing, or too many episodes failed on the way to the server.',
  ],
  run: runMerge,
}
