import type { Command } from '../command.ts'
import { runWorkerCommand, WORKER_OPTIONS } from '../queue/worker.ts'

export const command: Command = {
  name: 'worker',
  usage: ['worker --queue URL [-j N] [--base-url URL] [options]'],
  about:
    'Plays episodes of the evaluation that "callspec eval --queue" put into a queue, until all of them are played. Any number ' +
    'of workers may run, on any machines; they share no disk. One that is killed loses no reply that was stored: others go on.',
  options: WORKER_OPTIONS,
  examples: [
    'callspec worker --queue redis://127.0.0.1/0 -j 64 --base-url http://127.0.0.1:8000/v1',
    'callspec worker --queue rediss://queue.internal/0 --keep --metrics-port 9464',
  ],
  notes: [
    'It needs the package @callspec/queue, and Redis 6.2 or newer. Suite and plan come from the queue; keys come from here: ' +
      'OPENAI_API_KEY, or --api-key-env and --header.',
    'Exit codes: 0 nothing is left to play; 2 misuse, no Redis, another version of callspec, another suite; 3 its server is ' +
      'not there or refuses it; 130 after Ctrl-C, with what was begun given back.',
  ],
  run: runWorkerCommand,
}
