import { EXAMPLE_FORMAT } from '../formats.ts'
import type { Command } from '../command.ts'
import { EVAL_OPTIONS } from '../eval/options.ts'
import { runEvaluation } from '../eval/run.ts'
import { readSurroundings } from '../eval/surroundings.ts'

export const command: Command = {
  name: 'eval',
  usage: ['eval [CONFIG] [--model NAME ...] [--base-url URL] [--format NAME ...] [options]'],
  about:
    'Lets a model solve the 42 built-in tasks with 21 tools in each format and compares: how many calls could be ' +
    'parsed, how many episodes came to an end by themselves, how many tasks were solved. Without options it runs two ' +
    'simulated models, one perfect and one with known faults, over real HTTP on 127.0.0.1: no key, no network.',
  maxPositionals: 1,
  options: EVAL_OPTIONS,
  examples: [
    'callspec eval',
    `callspec eval --filter "^P" --format ${EXAMPLE_FORMAT} --model sim/faulty`,
    'callspec eval --model qwen3-8b --base-url http://127.0.0.1:8000/v1 -o r.xml',
    'callspec eval --dry-run',
    'callspec eval --resume',
  ],
  notes: [
    'Every option is also a variable: CALLSPEC_MAX_CONCURRENCY=8, CALLSPEC_MODEL=a,b. An option on the command line wins ' +
      'over its variable, that over the configuration. OPENAI_API_KEY holds the key; local servers need none. ' +
      'CALLSPEC_HEADER holds headers, one a line.',
    'The run folder holds run.json, suite.json, turns.jsonl (every completion, written before it counts), episodes.jsonl, ' +
      'summary.json, report.md and report.html. GITHUB_STEP_SUMMARY gets report.md too. run.json, the lines of turns.jsonl, ' +
      'episodes.jsonl and summary.json have check sums: what was changed by hand is refused, unless --accept-edited marks the run as edited.',
    'Exit codes: 0 the run is complete and every gate is met; 1 a gate is not met, or a simulated model was measured ' +
      'otherwise than it was made (CALLSPEC_FAILED_EXIT_CODE is another number for it); 2 misuse, no server, a refused ' +
      'key; 3 no verdict: a budget or the time was used up, too many episodes failed on the way to the server, or after some replies it ' +
      'refused every request (an expired key, no credit) or went away: they are kept, and the command that goes on is printed; 130 after Ctrl-C, ' +
      'with everything so far in turns.jsonl.',
  ],
  run: (invocation) => runEvaluation(invocation, () => readSurroundings(invocation, EVAL_OPTIONS)),
}
