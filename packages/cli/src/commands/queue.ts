import type { Command } from '../command.ts'
import { CONTROL_OPTIONS, runQueueCommand } from '../queue/control.ts'

export const command: Command = {
  name: 'queue',
  usage: ['queue status|pause|resume|cancel --queue URL [--queue-prefix NAME] [--json]'],
  about: 'Says what the queue of an evaluation is doing, and stops it or lets it go on.',
  subcommands: {
    status: 'How far the run is, and who works.',
    pause: 'Workers take no further episodes; those under way come to their end.',
    resume: 'They take episodes again.',
    cancel: 'Ends the run. What was collected stays in its folder.',
  },
  options: CONTROL_OPTIONS,
  examples: [
    'callspec queue status --queue redis://127.0.0.1/0',
    'callspec queue cancel --queue redis://127.0.0.1/0 --queue-prefix nightly',
  ],
  notes: ['Exit codes: 0; 2 misuse, no Redis, or no run.'],
  run: runQueueCommand,
}
