import type { Invocation, Options, OptionTable } from '../command.ts'
import type { ExitCode } from '../exit-codes.ts'
import { UsageError } from '../usage-error.ts'
import { EVAL_OPTIONS } from './options.ts'
import { runEvaluation } from './run.ts'

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

/** The options of `callspec replay`: those of `callspec eval`, but for those about asking. */
export const REPLAY_OPTIONS: OptionTable = Object.fromEntries(
  Object.entries(EVAL_OPTIONS).filter(([name]) => !LEFT_OUT.includes(name)),
)

/** `callspec replay`: `callspec eval --replay TAPE --strict`. */
export async function runReplay(invocation: Invocation): Promise<ExitCode> {
  const [tape] = invocation.positionals
  if (tape === undefined)
    throw new UsageError('callspec replay needs a tape: what callspec eval --record FILE has written.')
  return runEvaluation({ ...invocation, positionals: [], options: strictly(invocation.options, tape) })
}

/** The options with the tape among them. Those that were left out read as not given. */
function strictly(options: Options, tape: string): Options {
  const isKnown = (name: string): boolean => !LEFT_OUT.includes(name)
  const choice = (name: string): boolean | null => {
    if (name === 'strict') return true
    return isKnown(name) ? options.choice(name) : null
  }
  return {
    choice,
    flag: (name) => choice(name) === true,
    text: (name) => (name === 'replay' ? tape : isKnown(name) ? options.text(name) : null),
    list: (name) => (isKnown(name) ? options.list(name) : []),
    integer: (name, limits) => (isKnown(name) ? options.integer(name, limits) : null),
    number: (name, limits) => (isKnown(name) ? options.number(name, limits) : null),
  }
}
