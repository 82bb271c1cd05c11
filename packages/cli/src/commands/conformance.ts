import { plural } from '@callspec/eval/plural'
import { EXAMPLE_FORMAT } from '../formats.ts'
import type { Command, Invocation } from '../command.ts'
import { chooseImplementation, IMPLEMENTATION } from '../conformance/choose-implementation.ts'
import { CUT } from '../conformance/cuts.ts'
import { printGaps } from '../conformance/gaps.ts'
import { JSON_OPTION, wantsJson } from '../conformance/json-option.ts'
import { lint } from '../conformance/lint.ts'
import { runMutants } from '../conformance/mutants/run.ts'
import { record } from '../conformance/record.ts'
import { listCases, showCases } from '../conformance/look.ts'
import { MATRIX_FILES } from '../conformance/matrix-options.ts'
import { printMatrix } from '../conformance/matrix.ts'
import { printRecordedMatrix } from '../conformance/recorded-matrix.ts'
import { runConformance } from '../conformance/run.ts'
import { SCOREBOARD } from '../conformance/scoreboard.ts'
import { SELECTION } from '../conformance/select.ts'
import { showVersion } from '../conformance/show-version.ts'
import { triage } from '../conformance/triage.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { inert } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'

export const command: Command = {
  name: 'conformance',
  usage: [
    'conformance run [PATH ...] [--impl COMMAND | --one-shot COMMAND | --http URL] [--format NAMES] [--op NAMES] [options]',
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
    'a table of operations by versions, and the totals as the last line.',
  subcommands: {
    run: 'Run cases and compare the answers.',
    list: 'Print operation, version and id of the cases.',
    show: 'Print input and expected answer of a case.',
    smoke: 'Ask a program trivial questions: does it speak the protocol?',
    record: 'Write the answers of an implementation as golden files of fixtures.',
    triage: 'Run cases, and keep in FILE which of them are known to fail: adds what is new, takes out what is gone.',
    gaps: 'Print how many cases every format has about every topic, and why some places have none.',
    lint: 'Look for mistakes and unexplained gaps in a set of cases; of a part that is named, only for what concerns it.',
    version: 'Print the version of the cases, and how many there are.',
    mutants: 'Count how many parsers with one mistake each the strict cases catch, and the laws.',
    matrix: 'Print what --scoreboard has kept: implementations by formats and operations.',
  },
  maxPositionals: Infinity,
  options: {
    ...IMPLEMENTATION,
    ...SELECTION,
    known: {
      help: 'Known failures, as triage keeps them: ids of cases, below a # line that gives the reason. What is new, known and gone is told; only what is new fails the run.',
      value: 'FILE',
    },
    'strict-space': {
      help: 'Fail strict cases that are right but for white space at the ends of prose; without it they pass, and are counted apart.',
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
    seed: { help: 'What these texts are drawn from. Default: 0.', value: 'N' },
    junit: { help: 'Write the results to FILE as JUnit XML.', value: 'FILE' },
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
    `callspec conformance run --op "${EXAMPLE_FORMAT}.*" --json results.jsonl`,
    `callspec conformance triage known.txt --impl 'python3 my_parser.py' --format ${EXAMPLE_FORMAT}`,
    'callspec conformance matrix --html matrix.html --results results.jsonl',
  ],
  notes: [
    'Exit codes: 0 nothing failed and something passed; 1 something failed or errored that --known does not list; 2 ' +
      'misuse, bad input, or no case to run; 3 broken machinery, such as a program that fails the smoke test. A case ' +
      'whose operation, format or version is not claimed is skipped, with the reason.',
  ],
  run,
}

async function run(invocation: Invocation): Promise<ExitCode> {
  // A file that nobody writes is told before anything is asked.
  wantsJson(invocation)
  switch (invocation.subcommand) {
    case 'list':
      return listCases(invocation)
    case 'show':
      return showCases(invocation)
    case 'smoke':
      return smoke(invocation)
    case 'record':
      return record(invocation)
    case 'triage':
      return triage(invocation)
    case 'gaps':
      return printGaps(invocation)
    case 'lint':
      return lint(invocation)
    case 'version':
      return showVersion(invocation)
    case 'matrix':
      return invocation.options.flag('recorded') ? printRecordedMatrix(invocation) : printMatrix(invocation)
    case 'mutants':
      return runMutants(invocation)
    default:
      return runConformance(invocation)
  }
}

async function smoke(invocation: Invocation): Promise<ExitCode> {
  const { output } = invocation
  const chosen = await chooseImplementation(invocation)
  const { implementation, driver } = chosen
  try {
    if (driver === null) throw new UsageError('Which program? Give --impl COMMAND, --one-shot COMMAND or --http URL.')
    const asked = await chosen.smoke()
    const { name, version, language, supports } = implementation.about
    if (wantsJson(invocation)) {
      output.line(JSON.stringify({ name, version, language, supports, questions: asked.length }))
      return EXIT.ok
    }
    output.line(inert(`${name} ${version}${language === undefined ? '' : ` (${language})`}`))
    for (const { operations, formats = ['any format'], profiles = ['strict'] } of supports) {
      output.line(inert(`claims ${operations.join(', ')} · ${formats.join(', ')} · ${profiles.join(', ')}`))
    }
    output.line(`answered ${plural(asked.length, 'trivial question')} as the protocol says`)
    return EXIT.ok
  } finally {
    await implementation.close?.()
  }
}
