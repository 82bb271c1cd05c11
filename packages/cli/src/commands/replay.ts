import { EXAMPLE_FORMAT } from '../formats.ts'
import type { Command, Invocation, OptionTable } from '../command.ts'
import type { ExitCode } from '../exit-codes.ts'
import { UsageError } from '../usage-error.ts'
import { EVAL_OPTIONS } from '../eval/options.ts'
import { runEvaluation } from '../eval/run.ts'
import { readSurroundings } from '../eval/surroundings.ts'

/** What makes no sense where nobody is asked. */
const LEFT_OUT: readonly string[] = [
  'record',
  'replay',
  'strict',
  'cache',
  'resume',
  'retry-errors',
  'delay',
  'dry-run',
]

/** Those of `callspec eval`, but for those about asking. */
const OPTIONS: OptionTable = Object.fromEntries(
  Object.entries(EVAL_OPTIONS).filter(([name]) => !LEFT_OUT.includes(name)),
)

export const command: Command = {
  name: 'replay',
  usage: ['replay TAPE [--model NAME ...] [--format NAME ...] [options]'],
  about:
    'Plays a run with the replies and tool results of a tape, and asks nobody: what is missing on the tape is an error. Give the ' +
    'options with which the tape was recorded by callspec eval --record.',
  maxPositionals: 1,
  options: OPTIONS,
  examples: [
    `callspec replay golden/tape.jsonl -m qwen3-8b -f ${EXAMPLE_FORMAT}`,
    'callspec replay tape.jsonl -c callspec.config.ts --min task_success=0.8',
  ],
  notes: ['Exit codes are those of callspec eval; 2 where the tape does not hold what is asked.'],
  run,
}

async function run(invocation: Invocation): Promise<ExitCode> {
  const [tape] = invocation.positionals
  if (tape === undefined)
    throw new UsageError('callspec replay needs a tape: what callspec eval --record FILE has written.')
  const strictly = { replay: tape, strict: true }
  return runEvaluation({ ...invocation, positionals: [] }, async () => {
    const read = await readSurroundings(invocation, OPTIONS, 'when-named')
    return { ...read, options: { ...read.options, ...strictly }, given: { ...read.given, ...strictly } }
  })
}
