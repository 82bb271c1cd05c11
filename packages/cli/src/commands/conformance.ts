import { EXAMPLE_FORMAT } from '../formats.ts'
import type { Command, Invocation, ExitCode } from '../command.ts'
import {
  CLIENT,
  CUT,
  IMPLEMENTATION,
  JSON_OPTION,
  MATRIX_FILES,
  SCOREBOARD,
  SELECTION,
  wantsJson,
} from '../conformance/options.ts'

const ASKED: readonly string[] = [IMPLEMENTATION, SELECTION].flatMap((table) => Object.keys(table))
const SELECTED: readonly string[] = [...Object.keys(SELECTION), 'json']

const SUBCOMMAND_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  run: [
    ...ASKED,
    ...Object.keys(CLIENT),
    'seed',
    ...['known', 'against', 'strict-space'],
    ...Object.keys(CUT),
    ...['json', 'junit', 'verbose'],
    ...Object.keys(SCOREBOARD),
  ],
  triage: [...ASKED, 'strict-space', ...Object.keys(CUT)],
  record: [...ASKED, 'output'],
  smoke: [...Object.keys(IMPLEMENTATION), 'format', 'op', 'profile'],
  list: SELECTED,
  show: SELECTED,
  version: SELECTED,
  gaps: [...SELECTED, 'taxonomy'],
  lint: ['cases', 'taxonomy', 'json'],
  mutants: ['cases', 'format', 'id', 'runs', 'seed', 'json'],
  matrix: ['format', ...Object.keys(MATRIX_FILES), 'json'],
}

export const conformanceCommand: Command = {
  name: 'conformance',
  usage: [
    'conformance run [PATH ...] [--impl COMMAND | --one-shot COMMAND | --http URL] [--format NAMES] [--op NAMES] [options]',
    'conformance run --client COMMAND [--api APIS] [--id ID] [PATH ...]',
    'conformance list | record | gaps | lint | version [PATH ...] [options]',
    'conformance show ID ... | smoke [options]',
    'conformance triage FILE [PATH ...] [--impl COMMAND | --one-shot COMMAND | --http URL] [options]',
    'conformance matrix [DIR | FILE ...] [--html FILE]',
    'conformance matrix --recorded [FORMAT ...]',
    'conformance mutants [--format NAMES] [--id ID] [--runs N] [--seed N]',
  ],
  about:
    'Gives cases to an implementation - the built-in one, or any program that speaks the protocol of docs/protocol.md - ' +
    'and compares its answers with what the reference answered. Prints the first difference of every case that failed, ' +
    'a table of operations by versions (of several formats: of formats), and the totals as the last line.',
  subcommands: {
    run: 'Run cases and compare the answers.',
    list: 'Print operation, version and id of the cases.',
    show: 'Print input and expected answer of a case.',
    smoke: 'Ask a program trivial questions: does it speak the protocol?',
    record: 'Write the answers of an implementation as golden files of fixtures.',
    triage: 'Run cases, and keep in FILE which of them are known to fail: adds what is new, takes out what is gone.',
    gaps: 'Print how many cases every format has about every topic, and why some places have none.',
    lint: 'Look for mistakes and unexplained gaps in a set of cases; with PATH, only in these cases.',
    version: 'Print the version of the cases, and how many there are.',
    mutants: 'Count how many parsers with one mistake each the strict cases catch, and the laws.',
    matrix: 'Print what --scoreboard has kept: implementations by formats and operations.',
  },
  subcommandOptions: SUBCOMMAND_OPTIONS,
  maxPositionals: Infinity,
  options: {
    ...IMPLEMENTATION,
    ...CLIENT,
    ...SELECTION,
    known: {
      help: 'Known failures, as triage keeps them: ids of cases, below a # line that gives the reason. New, known and fixed failures are reported; only new ones fail the run.',
      value: 'FILE',
    },
    against: {
      help: 'Compare with the recorded answers of an engine, such as vllm@0.33.0, or vllm@0.33.0/hermes+qwen3 for one of its parsers: what it reads wrong, too, counts as known. See callspec compat.',
      value: 'ENGINE',
    },
    'strict-space': {
      help: 'Fail strict cases that are right but for white space at the ends of prose; without it they pass, and are counted separately.',
    },
    ...JSON_OPTION,
    taxonomy: {
      help: 'What lint and gaps ask of the cases. Default: the taxonomy of the built-in cases.',
      value: 'FILE',
    },
    ...CUT,
    ...SCOREBOARD,
    ...MATRIX_FILES,
    runs: { help: 'Texts per group of laws for mutants. Default: 300.', value: 'N' },
    seed: { help: 'What the texts of mutants, and the streams of --client, are drawn from. Default: 0.', value: 'N' },
    junit: { help: 'Write the results to FILE as JUnit XML.', value: 'FILE' },
    verbose: {
      help: 'Print up to 200 failures instead of 10; with several formats also operations by versions, and more reasons why cases were skipped.',
    },
    output: {
      short: 'o',
      help: 'The folder where record writes. Default: the golden files.',
      value: 'DIR',
    },
  },
  examples: [
    'callspec conformance run',
    'callspec conformance run --format ./my-format.mjs',
    `callspec conformance run --impl 'python3 my_parser.py' --format ${EXAMPLE_FORMAT}`,
    `callspec conformance run --one-shot './parse.sh' --format ${EXAMPLE_FORMAT} --op parse`,
    `callspec conformance run --http http://localhost/v1 --upstream-port 9999 --format ${EXAMPLE_FORMAT}`,
    `callspec conformance run --http http://localhost:8000/v1 --say auto --format ${EXAMPLE_FORMAT}`,
    `callspec conformance run --http http://localhost:8000/v1 --say auto --api chat,messages,responses --format ${EXAMPLE_FORMAT}`,
    "callspec conformance run --client 'node my-client.mjs' --api chat",
    `callspec conformance run --op "${EXAMPLE_FORMAT}.*" --json results.jsonl`,
    `callspec conformance triage known.txt --impl 'python3 my_parser.py' --format ${EXAMPLE_FORMAT}`,
    'callspec conformance matrix --html matrix.html --results results.jsonl',
  ],
  notes: [
    'Exit codes: 0 nothing failed and something passed; 1 something failed or errored that --known does not list; 2 ' +
      'misuse, bad input, or no case to run; 3 broken machinery, such as a program that fails the smoke test. A case ' +
      'whose operation, format or version is not claimed is skipped, with the reason.',
  ],
  run: runConformanceSubcommand,
}

/** Each subcommand is loaded when it is called. */
async function runConformanceSubcommand(invocation: Invocation): Promise<ExitCode> {
  // Reports an output that no subcommand writes before anything runs.
  wantsJson(invocation)
  switch (invocation.subcommand) {
    case 'list':
      return (await import('../conformance/look.ts')).listCases(invocation)
    case 'show':
      return (await import('../conformance/look.ts')).showCases(invocation)
    case 'smoke':
      return (await import('../conformance/look.ts')).smoke(invocation)
    case 'record':
      return (await import('../conformance/record.ts')).record(invocation)
    case 'triage':
      return (await import('../conformance/triage.ts')).triage(invocation)
    case 'gaps':
      return (await import('../conformance/case-set.ts')).printGaps(invocation)
    case 'lint':
      return (await import('../conformance/case-set.ts')).lint(invocation)
    case 'version':
      return (await import('../conformance/case-set.ts')).showVersion(invocation)
    case 'matrix':
      return invocation.options.flag('recorded')
        ? (await import('../conformance/matrix.ts')).printRecordedMatrix(invocation)
        : (await import('../conformance/matrix.ts')).printMatrix(invocation)
    case 'mutants':
      return (await import('../conformance/mutants.ts')).runMutants(invocation)
    default:
      if (invocation.options.text('client') !== null)
        return (await import('../conformance/run-client.ts')).runClientConformance(invocation)
      if (invocation.options.list('api').length > 0)
        return (await import('../conformance/run-apis.ts')).runOverApis(invocation)
      return (await import('../conformance/run.ts')).runConformance(invocation)
  }
}
