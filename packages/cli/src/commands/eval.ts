import { EXAMPLE_FORMAT } from '../formats.ts'
import type { Command } from '../command.ts'
import { EVAL_OPTIONS } from '../eval/options.ts'
import { runEvaluation } from '../eval/run.ts'
import { readEvalContext } from '../eval/context.ts'

export const evalCommand: Command = {
  name: 'eval',
  usage: ['eval [CONFIG] [--model NAME ...] [--base-url URL] [--format NAME ...] [options]'],
  about:
    'Lets a model solve the 42 built-in tasks with 21 tools in each format and compares: how many calls could be ' +
    'parsed, how many episodes ended by themselves, how many tasks were solved. Without options it runs two ' +
    'simulated models, one perfect and one with known faults, over real HTTP on 127.0.0.1: no key, no network.',
  maxPositionals: 1,
  options: EVAL_OPTIONS,
  examples: [
    'callspec eval',
    `callspec eval --filter "^P" --format ${EXAMPLE_FORMAT} --model sim/faulty`,
    'callspec eval --model qwen3-8b --base-url http://127.0.0.1:8000/v1 -o r.xml',
    'callspec eval --suite injection --model qwen3-8b --base-url http://127.0.0.1:8000/v1',
    'callspec eval --dry-run',
    'callspec eval --resume',
  ],
  notes: [
    'Every option is also a variable: CALLSPEC_MAX_CONCURRENCY=8, CALLSPEC_MODEL=a,b. The command line overrides the ' +
      'variables, and these the configuration. OPENAI_API_KEY is the key; local servers need none. ' +
      'CALLSPEC_HEADER contains headers, one a line.',
    'The run folder holds run.json, suite.json, turns.jsonl (every completion, written before it counts), episodes.jsonl, ' +
      'summary.json, report.md and report.html. GITHUB_STEP_SUMMARY gets report.md too. run.json, the lines of turns.jsonl, ' +
      'episodes.jsonl and summary.json have check sums: a file changed by hand is refused, unless --accept-edited marks the run as edited.',
    'Exit codes: 0 the run is complete and every gate is met; 1 a gate is not met, or a simulated model was not measured ' +
      'as it was made (CALLSPEC_FAILED_EXIT_CODE sets another number); 2 misuse, no server, a refused ' +
      'key; 3 no verdict: the budget or time was used up, too many requests failed, or the server refused every request ' +
      'after some replies (an expired key, no credit) or went away: replies are kept, and the command that continues is printed; ' +
      '130 after Ctrl-C, with every reply so far in turns.jsonl.',
  ],
  run: (invocation) => runEvaluation(invocation, () => readEvalContext(invocation, EVAL_OPTIONS)),
}
