import type { Command } from '../command.ts'
import { RESCORE_OPTIONS, runRescore } from '../eval/rescore.ts'

export const command: Command = {
  name: 'rescore',
  usage: ['rescore RUN [--suite FILE] [options]'],
  about:
    'Scores a recorded run with the scorer as it is now: no model is asked. Writes summary and reports of the folder anew and ' +
    'says how many labels are others than before. RUN is a folder, its name in reports/, or latest.',
  maxPositionals: 1,
  options: RESCORE_OPTIONS,
  examples: ['callspec rescore latest', 'callspec rescore latest --suite my.eval.ts --json'],
  notes: [
    'Exit codes: 0 done and every gate is met; 1 a gate is not met; 2 misuse, or a folder that cannot be read; 3 no ' +
      'verdict: too many episodes failed on the way to the server.',
  ],
  run: runRescore,
}
