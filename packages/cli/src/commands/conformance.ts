import { resolve } from 'node:path'
import {
  builtInCases,
  builtInImplementation,
  createTally,
  findCaseFiles,
  readCases,
  resultLine,
  runSuite,
} from '@callspec/conformance'
import type { Case, CaseFile, CaseResult, Tally } from '@callspec/conformance'
import type { Command, Invocation } from '../command.ts'
import { failureText, lastLine, SHOWN_FAILURES, tallyTable } from '../conformance-report.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { openLineWriter, type LineWriter } from '../line-writer.ts'
import { didYouMean } from '../nearest.ts'
import type { Output } from '../output.ts'
import { quoted } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'

export const command: Command = {
  name: 'conformance',
  usage: ['conformance run [--cases FILE|FOLDER|GLOB ...] [--op OP] [--json FILE]'],
  about:
    'Gives recorded cases to the built-in implementation and compares its answers, strictly, with what the reference ' +
    'answered: every text, every key, the order of lists, int against float. Prints the first difference of every ' +
    'case that failed, a table of operations by profiles, and the totals as the last line.',
  subcommands: { run: 'Run cases and compare the answers.' },
  maxPositionals: Infinity,
  options: {
    cases: {
      help: 'Case files (JSON Lines with "op", "input", and "expected" or "error"; or fixtures with golden twins), folders of them, or globs. Default: the built-in cases.',
      value: 'PATH',
      repeat: true,
    },
    op: { help: 'Only cases of this operation; * stands for any text.', value: 'OP', repeat: true },
    json: {
      help: 'Write one result per line to FILE: id, op, profile, verdict, actual or error, reason.',
      value: 'FILE',
    },
  },
  examples: [
    'callspec conformance run',
    'callspec conformance run --op "nous.*" --json results.jsonl',
    'callspec conformance run --cases my-cases/ more/*.jsonl',
  ],
  notes: [
    'Exit codes: 0 nothing failed and something passed; 1 something failed or errored; 2 misuse, bad input, or no ' +
      'case to run; 3 broken machinery. A case whose operation or profile is not implemented is skipped, with the reason.',
  ],
  run,
}

async function run({ options, positionals, output }: Invocation): Promise<ExitCode> {
  const paths = [...options.list('cases'), ...positionals]
  for (const [name, values] of Object.entries({ cases: paths, op: options.list('op'), json: [options.text('json')] })) {
    if (values.includes('')) throw new UsageError(`--${name} was given an empty text. Leave it out or name something.`)
  }
  const files = await findCaseFiles(paths.length > 0 ? paths : [await builtInCases()])
  const json = options.text('json')
  if (json !== null) refuseToOverwrite(json, files)
  const writer = json === null ? null : await openLineWriter(json)
  try {
    const report = await runAll({ files, operations: options.list('op'), writer, output })
    await writer?.commit()
    return print(report, output)
  } finally {
    await writer?.discard()
  }
}

interface Report {
  readonly tally: Tally
  readonly failures: readonly string[]
  /** Reason -> how often. */
  readonly skips: ReadonlyMap<string, number>
}

async function runAll(work: {
  readonly files: readonly CaseFile[]
  readonly operations: readonly string[]
  readonly writer: LineWriter | null
  readonly output: Output
}): Promise<Report> {
  const tally = createTally()
  const failures: string[] = []
  const skips = new Map<string, number>()
  const passedOver = new Set<string>()
  const cases = selected(readCases(work.files, work.output.warn), work.operations, passedOver)
  let done = 0
  for await (const result of runSuite(cases, builtInImplementation())) {
    tally.add(result)
    if (isFailure(result) && failures.length < SHOWN_FAILURES) failures.push(failureText(result))
    const { verdict } = result
    if (verdict.kind === 'skipped') skips.set(verdict.reason, (skips.get(verdict.reason) ?? 0) + 1)
    await work.writer?.write(resultLine(result))
    done += 1
    if (done % 5000 === 0) work.output.progress(`${done} cases`)
  }
  work.output.progressDone()
  if (done === 0) throw nothingSelected(work.operations, passedOver)
  return { tally, failures, skips }
}

async function* selected(
  cases: AsyncIterable<Case>,
  operations: readonly string[],
  passedOver: Set<string>,
): AsyncGenerator<Case> {
  const patterns = operations.map((text) => new RegExp(`^${text.split('*').map(literal).join('.*')}$`, 'su'))
  for await (const item of cases) {
    if (patterns.length === 0 || patterns.some((pattern) => pattern.test(item.op))) yield item
    else passedOver.add(item.op)
  }
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, (character) => `\\${character}`)
}

function nothingSelected(operations: readonly string[], passedOver: ReadonlySet<string>): UsageError {
  if (operations.length === 0) return new UsageError('no case was found in the files given with --cases')
  const hint = didYouMean(operations[0] ?? '', passedOver)
  return new UsageError(`no case was selected: none has the operation ${operations.join(' or ')}.${hint}`)
}

function isFailure({ verdict }: CaseResult): boolean {
  return verdict.kind === 'failed' || verdict.kind === 'errored'
}

function print({ tally, failures, skips }: Report, output: Output): ExitCode {
  const total = tally.total()
  for (const failure of failures) output.line(`${failure}\n`)
  const hidden = total.failed + total.errored - failures.length
  if (hidden > 0) output.line(`… and ${hidden} more; --json FILE has them all.\n`)
  output.line(`${tallyTable(tally)}\n`)
  for (const [reason, times] of skips) output.line(`skipped ${times} ×: ${quoted(reason, 200)}`)
  output.line(lastLine(tally))
  if (total.failed + total.errored > 0) return EXIT.disagreement
  if (total.passed > 0) return EXIT.ok
  output.note('callspec: no case was run: all were skipped, for the reasons above.')
  return EXIT.usage
}

function refuseToOverwrite(json: string, files: readonly CaseFile[]): void {
  const same = files.find(({ path }) => resolve(path) === resolve(json))
  if (same !== undefined) throw new UsageError(`--json ${json} would overwrite a case file. Name another file.`)
}
