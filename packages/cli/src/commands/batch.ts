import type { Command } from '../command.ts'
import { BATCH_OPTIONS, runBatch } from '../eval/batch.ts'

export const command: Command = {
  name: 'batch',
  usage: ['batch export [RUN] [options] -o REQUESTS.jsonl', 'batch import RUN REPLIES.jsonl [options]'],
  about:
    "Lets a batch service do the asking: export writes the requests of a run in the format of OpenAI's batches, which vllm " +
    'run-batch and others take too; import takes the file of replies into the run. Tasks of one turn are then done; for ' +
    'others export again with the run, until no request is left.',
  subcommands: {
    export: 'Begin a run, or go on with RUN, and write the requests that are due.',
    import: 'Take replies into a run, and score it.',
  },
  maxPositionals: 2,
  options: BATCH_OPTIONS,
  examples: [
    'callspec batch export --model qwen3-8b --repeat 1 -o requests.jsonl',
    'callspec batch import latest replies.jsonl --min parse_rate=0.9',
    'callspec batch export latest -o requests.jsonl',
  ],
  notes: [
    'Exit codes: 0 done and every gate is met; 1 a gate is not met; 2 misuse, or a file that cannot be read; 3 no verdict: ' +
      'episodes are not at their end, or too many failed.',
  ],
  run: runBatch,
}
