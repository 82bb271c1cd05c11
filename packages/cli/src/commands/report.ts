import type { Command } from '../command.ts'
import { REPORT_OPTIONS, runReport } from '../eval/report.ts'

export const command: Command = {
  name: 'report',
  usage: ['report RUN ... [options]'],
  about:
    'Writes report.html into the folder of the (first) run: one page with comparison, labels, tasks and every kind of episode as a ' +
    'conversation; several runs of one suite stand side by side. Also prints the run again, or writes it in other forms. RUN is a ' +
    'folder, its name in reports/, or latest. Figures are those of the folder; callspec rescore makes them anew.',
  maxPositionals: Infinity,
  options: REPORT_OPTIONS,
  examples: [
    'callspec report latest',
    'callspec report latest --lang zh',
    'callspec report latest -o junit.xml -o episodes.csv --no-table',
  ],
  notes: ['Exit codes: 0 every gate is met; 1 one is not; 2 misuse, or a folder that cannot be read; 3 no verdict.'],
  run: runReport,
}
