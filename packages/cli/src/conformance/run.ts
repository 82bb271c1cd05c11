import { resolve } from 'node:path'
import {
  createScore,
  createTally,
  differenceLine,
  distinctCases,
  NONE_KNOWN,
  readKnownFailures,
  resultLine,
  runSuite,
} from '@callspec/conformance'
import type { CaseResult, KnownFailures, ResultOrigin, Score, Tally } from '@callspec/conformance'
import type { Invocation } from '../command.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { openLineWriter, type LineWriter } from '../line-writer.ts'
import type { Output } from '../output.ts'
import { inert, quoted } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { chooseImplementation } from './choose-implementation.ts'
import type { Chosen } from './choose-implementation.ts'
import { JUNIT_END, junitCase, junitStart } from './junit.ts'
import { originOf, originText } from './origin.ts'
import { failureText, lastLine, SHOWN_FAILURES, tallyTable } from './report.ts'
import { keepScore, scoreboardFolder } from './scoreboard.ts'
import { readSelection } from './select.ts'
import type { Selection } from './select.ts'
import { shellWord } from './shell-word.ts'

/** Runs the selected cases and prints what came of them. */
export async function runConformance(invocation: Invocation): Promise<ExitCode> {
  const { options, positionals, output } = invocation
  const json = fileOption(options.text('json'), 'json')
  const junit = fileOption(options.text('junit'), 'junit')
  const selection = await readSelection(options, positionals)
  for (const [name, path] of [
    ['json', json],
    ['junit', junit],
  ] as const)
    refuseToOverwrite(name, path, selection)
  const board = scoreboardFolder(options, selection)
  const skip = fileOption(options.text('skip'), 'skip')
  const known = skip === null ? NONE_KNOWN : await readKnownFailures(skip)
  const writers = await openWriters({ json, junit })
  try {
    const chosen = await chooseImplementation(invocation)
    try {
      await chosen.smoke()
      const origin = originOf(selection, chosen)
      await writers.begin(origin)
      const replay = [
        'callspec conformance run',
        ...chosen.words,
        ...[...options.list('cases'), ...positionals].flatMap((path) => ['--cases', shellWord(path)]),
      ]
      const report = await runAll({
        ...{ selection, chosen, known, writers, output, replay: replay.join(' ') },
        strictSpace: options.flag('strict-space'),
      })
      await writers.commit()
      if (board !== null && wasAsked(report)) {
        output.note(`kept in ${inert(await keepScore(board, { chosen, score: report.score }))}`)
      }
      return print(report, { output, chosen, origin, known, skip })
    } finally {
      await chosen.implementation.close?.()
    }
  } finally {
    await writers.discard()
  }
}

interface Report {
  readonly tally: Tally
  readonly score: Score
  readonly failures: readonly string[]
  /** Reason -> how often. */
  readonly skips: ReadonlyMap<string, number>
  /** Ids of known failures that passed. */
  readonly fixed: readonly string[]
  /** Right but for white space at the ends of prose: how many, and the first of them. */
  readonly spaces: { readonly count: number; readonly first: readonly string[] }
  /** What could not be used. */
  readonly leftOut: LeftOut
}

/** The first errors, and how many there were. */
interface LeftOut {
  readonly first: Error[]
  count: number
}

const SHOWN_LEFT_OUT = 10

interface Work {
  readonly selection: Selection
  readonly chosen: Chosen
  readonly known: KnownFailures
  readonly writers: Writers
  readonly output: Output
  /** Whether white space at the ends of prose counts as well. */
  readonly strictSpace: boolean
  /** A command line that runs the same, without the ids. */
  readonly replay: string
}

async function runAll({ selection, chosen, known, writers, output, replay, strictSpace }: Work): Promise<Report> {
  const tally = createTally()
  const score = createScore(chosen.implementation.about)
  const failures: string[] = []
  const skips = new Map<string, number>()
  const fixed: string[] = []
  const spaces = { count: 0, first: [] as string[] }
  const leftOut: LeftOut = { first: [], count: 0 }
  const leaveOut = (error: Error): void => {
    leftOut.count += 1
    if (leftOut.first.length < SHOWN_LEFT_OUT) leftOut.first.push(error)
  }
  let done = 0
  const { implementation, jobs } = chosen
  const cases = distinctCases(selection.cases(output, leaveOut), leaveOut)
  for await (const result of runSuite(cases, implementation, { jobs, knownFailure: known.reason, strictSpace })) {
    tally.add(result)
    score.add(result)
    const { verdict } = result
    if (isFailure(result) && failures.length < SHOWN_FAILURES) {
      failures.push(failureText(result, `${replay} --id ${inert(shellWord(result.case.id))}`, output.columns))
    }
    if (verdict.kind === 'skipped') skips.set(verdict.reason, (skips.get(verdict.reason) ?? 0) + 1)
    if (result.fixed !== undefined) fixed.push(result.case.id)
    if (verdict.kind === 'passed' && verdict.space !== undefined) {
      spaces.count += 1
      if (spaces.first.length < SHOWN_SPACES) spaces.first.push(`${result.case.id}: ${differenceLine(verdict.space)}`)
    }
    await writers.write(result)
    done += 1
    if (done % (chosen.driver === null ? 5000 : 100) === 0) output.progress(`${done} cases`)
  }
  output.progressDone()
  if (done === 0) throw leftOut.first[0] ?? selection.nothing()
  return { tally, score, failures, skips, fixed, spaces, leftOut }
}

function wasAsked({ tally }: Report): boolean {
  const { passed, failed, errored } = tally.total()
  return passed + failed + errored > 0
}

function isUnclaimed({ verdict }: CaseResult): boolean {
  return verdict.kind === 'skipped' && verdict.isUnclaimed === true
}

function isFailure({ verdict }: CaseResult): boolean {
  return verdict.kind === 'failed' || verdict.kind === 'errored'
}

interface Surroundings {
  readonly output: Output
  readonly chosen: Chosen
  readonly origin: ResultOrigin
  readonly known: KnownFailures
  readonly skip: string | null
}

function print({ tally, failures, skips, fixed, spaces, leftOut }: Report, surroundings: Surroundings): ExitCode {
  const { output, chosen, origin, known, skip } = surroundings
  const total = tally.total()
  for (const failure of failures) output.line(`${failure}\n`)
  const hidden = total.failed + total.errored - failures.length
  if (hidden > 0) output.line(`… and ${hidden} more; --json FILE has them all.\n`)
  output.line(`${tallyTable(tally, { hidesSkipped: chosen.driver !== null })}\n`)
  const about = originText(origin, chosen)
  if (about !== null) output.line(about)
  for (const remark of chosen.implementation.remarks?.() ?? []) output.line(quoted(remark, 300))
  printSkips(skips, output)
  printSpaces(spaces, output)
  for (const id of fixed) output.line(`passes although ${inert(skip ?? '')} lists it: ${inert(id)}`)
  for (const id of known.unused())
    output.warn(`${inert(skip ?? '')} lists "${inert(id)}", which is none of the cases run.`)
  output.line(lastLine(tally))
  const gone = chosen.implementation.gone?.() ?? null
  if (gone !== null) {
    output.note(`callspec: ${inert(chosen.implementation.about.name)} is gone: ${quoted(gone, 300)}`)
    return EXIT.broken
  }
  if (leftOut.count > 0) {
    for (const { message } of leftOut.first) output.note(`callspec: ${message} Left out.`)
    const more = leftOut.count - leftOut.first.length
    if (more > 0) output.note(`callspec: … and ${more} more`)
    return EXIT.usage
  }
  if (total.failed + total.errored + fixed.length > 0) return EXIT.disagreement
  if (total.passed > 0) return EXIT.ok
  output.note('callspec: no case was run: all were skipped, for the reasons above.')
  return EXIT.usage
}

const SHOWN_SPACES = 3

/** These are right, and counted as passed: what is different is shown all the same. */
function printSpaces({ count, first }: Report['spaces'], output: Output): void {
  if (count === 0) return
  output.line(
    `${count} of those that passed: right but for white space at the ends of prose (--strict-space fails them)`,
  )
  for (const text of first) output.line(`  ${quoted(text, 200)}`)
}

const SHOWN_REASONS = 8
const UNCLAIMED =
  /^(.* does not claim) (?:the operation "(?<operations>.*)"|the profile "(?<profiles>.*?)" for .*|".*" for the format "(?<formats>.*)")/s

/** The most frequent reasons; what a program does not claim in one line. */
function printSkips(skips: ReadonlyMap<string, number>, output: Output): void {
  const merged = [...skips].filter(([reason]) => !UNCLAIMED.test(reason))
  const unclaimed = [...skips].filter(([reason]) => UNCLAIMED.test(reason))
  const [first] = unclaimed
  if (first !== undefined) {
    const times = unclaimed.reduce((sum, [, each]) => sum + each, 0)
    merged.push([unclaimed.length === 1 ? first[0] : unclaimedText(unclaimed.map(([reason]) => reason)), times])
  }
  const sorted = merged.sort(([, left], [, right]) => right - left)
  for (const [reason, times] of sorted.slice(0, SHOWN_REASONS))
    output.line(`skipped ${times} ×: ${quoted(reason, 200)}`)
  const rest = sorted.slice(SHOWN_REASONS)
  if (rest.length === 0) return
  const times = rest.reduce((sum, [, each]) => sum + each, 0)
  output.line(`skipped ${times} ×: ${rest.length} other reasons; --json FILE has them all`)
}

/** `my_parser does not claim 2 operations: loop, render; the format qwen`. */
function unclaimedText(reasons: readonly string[]): string {
  const found = reasons.map((reason) => UNCLAIMED.exec(reason))
  const who = found[0]?.[1] ?? ''
  const kinds = (['operations', 'formats', 'profiles'] as const).flatMap((kind) => {
    const names = [...new Set(found.flatMap((each) => each?.groups?.[kind] ?? []))].sort()
    if (names.length === 0) return []
    return [
      names.length === 1
        ? `the ${kind.slice(0, -1)} ${names.join('')}`
        : `${names.length} ${kind}: ${names.join(', ')}`,
    ]
  })
  return `${who} ${kinds.join('; ')}`
}

/** The result files, written case by case. */
interface Writers {
  /** Before the first result. */
  begin(origin: ResultOrigin): Promise<void>
  write(result: CaseResult): Promise<void>
  commit(): Promise<void>
  discard(): Promise<void>
}

async function openWriters(paths: { readonly json: string | null; readonly junit: string | null }): Promise<Writers> {
  const open: LineWriter[] = []
  const openOne = async (path: string | null): Promise<LineWriter | null> => {
    const writer = path === null ? null : await openLineWriter(path)
    if (writer !== null) open.push(writer)
    return writer
  }
  const discard = async (): Promise<void> => {
    for (const writer of open) await writer.discard()
  }
  try {
    const [json, junit] = [await openOne(paths.json), await openOne(paths.junit)]
    let source: ResultOrigin | undefined
    return {
      begin: async (origin) => {
        source = origin
        await junit?.write(junitStart(origin))
      },
      write: async (result) => {
        await json?.write(resultLine(result, source))
        // What nobody claims is no test of theirs.
        if (!isUnclaimed(result)) await junit?.write(junitCase(result))
      },
      commit: async () => {
        await junit?.write(JUNIT_END)
        for (const writer of open) await writer.commit()
      },
      discard,
    }
  } catch (error) {
    await discard()
    throw error
  }
}

function fileOption(path: string | null, name: string): string | null {
  if (path === '') throw new UsageError(`--${name} was given an empty text. Leave it out or name something.`)
  return path
}

function refuseToOverwrite(name: string, path: string | null, { files }: Selection): void {
  const same = path === null ? undefined : files.find((file) => resolve(file.path) === resolve(path))
  if (same === undefined) return
  throw new UsageError(`--${name} ${path ?? ''} would overwrite a case file. Name another file.`)
}
