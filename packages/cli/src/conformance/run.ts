import { join, resolve } from 'node:path'
import {
  caseSetVersion,
  readKnownFailures,
  reasonOf,
  readScoreboard,
  scoreboardFileName,
  scoreboardText,
  withRun,
} from '@callspec/conformance'
import type { CaseResult, KnownFailures, ResultOrigin, RunReport } from '@callspec/conformance'
import { plural } from '@callspec/eval/text'
import type { CiFinding } from '../ci-findings.ts'
import { reportToCi } from '../ci-findings.ts'
import type { Invocation, ExitCode, Options } from '../command.ts'
import { EXIT } from '../command.ts'
import { exists } from '../input-file.ts'
import type { Output } from '../output.ts'
import { inert, quotedLine, shellWord } from '../output.ts'
import { UsageError } from '../usage-error.ts'
import { makeFolders, writeFileAtomically } from '../write-file.ts'
import type { AgainstEngine } from './against.ts'
import { chooseImplementation, originOf, originText } from './choose-implementation.ts'
import type { Chosen } from './choose-implementation.ts'
import { formatOverview, gradeLines, lastLine, tallyTable } from './count-tables.ts'
import { countFailureKinds } from './failure-kinds.ts'
import type { FailureKinds } from './failure-kinds.ts'
import { failureText } from './failure-text.ts'
import { openResultFiles } from './result-files.ts'
import { kindsText, replayOf, replayWords, runCases } from './run-cases.ts'
import type { KnownList, RunOutcome } from './run-cases.ts'
import { readSelection } from './select.ts'
import type { Selection } from './select.ts'
import { wantsJson } from './options.ts'

const SHOWN_FAILURES = 200
/** Unless --verbose asks for more. */
const FEW_FAILURES = 10

/** Runs the selected cases and prints the results. */
export async function runConformance(invocation: Invocation): Promise<ExitCode> {
  const { options, positionals, output } = invocation
  const isJson = wantsJson(invocation)
  const json = isJson ? null : fileOption(options, 'json')
  const junit = fileOption(options, 'junit')
  const selection = await readSelection(options, positionals)
  refuseToOverwrite('json', json, selection)
  refuseToOverwrite('junit', junit, selection)
  const board = scoreboardFolder(options, selection)
  const list = fileOption(options, 'known')
  const against = await againstOption(options, list)
  const known = against?.known ?? (await readKnownFailures(list))
  const writers = await openResultFiles({ json: isJson ? output : json, junit })
  try {
    const chosen = await chooseImplementation(invocation)
    try {
      await chosen.smoke()
      const origin = originOf(selection, chosen)
      await writers.begin(origin)
      const words = replayWords(chosen, [...options.list('cases'), ...positionals])
      const failures = collectFailures(words, output)
      const outcome = await runCases({
        ...{ selection, chosen, known, invocation },
        onResult: async (result) => {
          failures.add(result)
          await writers.write(result)
        },
      })
      await writers.commit()
      if (board !== null && wasAnswered(outcome.report)) {
        output.note(`kept in ${inert(await keepScore(board, chosen, outcome.report))}`)
      }
      if (isJson) output.note(lastLine(outcome.report.tally))
      // With --json - the results are printed already; only notes follow.
      const shown = isJson ? { ...output, line: () => undefined } : output
      const isVerbose = options.flag('verbose')
      const code = printResults(outcome, { output: shown, chosen, origin, known, list, against, failures, isVerbose })
      const total = lastLine(outcome.report.tally)
      const about = { rules: {}, title: 'callspec conformance run', total, sarif: null }
      await reportToCi({ findings: failures.findings, ...about }, invocation)
      return code
    } finally {
      await chosen.implementation.close?.()
    }
  } finally {
    await writers.discard()
  }
}

/** The failures of a run: the texts of the first ones, and what all have in common. */
interface Failures {
  readonly texts: readonly string[]
  readonly findings: readonly CiFinding[]
  readonly kinds: FailureKinds
  add(result: CaseResult): void
}

/** @param words the command line that runs the same implementation */
function collectFailures(words: string, output: Output): Failures {
  const texts: string[] = []
  const findings: CiFinding[] = []
  const kinds = countFailureKinds()
  const add = (result: CaseResult): void => {
    kinds.add(result)
    const isFailure = result.verdict.kind === 'failed' || result.verdict.kind === 'errored'
    if (!isFailure || texts.length >= SHOWN_FAILURES) return
    texts.push(failureText(result, replayOf(words, result.case), output))
    findings.push(findingOf(result))
  }
  return { texts, findings, kinds, add }
}

function wasAnswered({ tally }: RunReport): boolean {
  const { passed, failed, errored } = tally.total()
  return passed + failed + errored > 0
}

interface RunContext {
  readonly output: Output
  readonly chosen: Chosen
  readonly origin: ResultOrigin
  readonly known: KnownFailures
  readonly list: string | null
  readonly against: AgainstEngine | null
  readonly failures: Failures
  readonly isVerbose: boolean
}

function printResults({ report, leftOut }: RunOutcome, context: RunContext): ExitCode {
  const { output, chosen, origin, known, list, against, failures, isVerbose } = context
  const total = report.tally.total()
  const shape = { hidesSkipped: chosen.driver !== null, columns: output.columns }
  const overview = isVerbose ? null : formatOverview(report.tally, shape)
  const { texts, kinds } = failures
  const shown = isVerbose ? texts : texts.slice(0, FEW_FAILURES)
  for (const failure of shown) output.line(`${failure}\n`)
  const hidden = total.failed + total.errored - shown.length
  const more = shown.length < texts.length ? `--verbose prints ${texts.length}, --json FILE` : '--json FILE'
  if (hidden > 0) output.line(`… and ${hidden} more; ${more} has them all.\n`)
  output.line(`${overview ?? tallyTable(report.tally, shape)}\n`)
  const about = originText(origin, chosen)
  if (about !== null) output.line(about)
  for (const remark of chosen.implementation.remarks?.() ?? []) output.line(quotedLine(remark, 300))
  printSkips(report, { output, shown: overview === null ? SHOWN_REASONS : FEW_REASONS })
  printSpaces(report, { output, hasExamples: overview === null })
  for (const line of kinds.lines(output)) output.line(line)
  for (const line of gradeLines(report.tally.grades())) output.line(line)
  if (list !== null) printKnown(report, { output, known, list })
  if (against !== null) printAgainst(report, against, output)
  if (overview !== null) output.line(DETAILS)
  output.line(lastLine(report.tally))
  const gone = chosen.implementation.gone?.() ?? null
  if (gone !== null) {
    output.note(`callspec: ${inert(chosen.implementation.about.name)} is unavailable: ${quotedLine(gone, 300)}`)
    return EXIT.broken
  }
  if (leftOut.count > 0) {
    for (const { message } of leftOut.first) output.note(`callspec: ${message} Left out.`)
    const more = leftOut.count - leftOut.first.length
    if (more > 0) output.note(`callspec: … and ${more} more`)
    return EXIT.usage
  }
  if (total.failed + total.errored > 0) return EXIT.disagreement
  if (total.passed + report.known.length > 0) return EXIT.ok
  output.note('callspec: no case was run: all were skipped, for the reasons above.')
  return EXIT.usage
}

const DETAILS = 'operations by versions: --format NAME, or --verbose'

const SHOWN_REASONS = 8
const FEW_REASONS = 3

/** The most frequent reasons why cases were skipped. */
function printSkips(report: RunReport, { output, shown }: { readonly output: Output; readonly shown: number }): void {
  const skips = report.skips()
  for (const { cases, reason } of skips.slice(0, shown))
    output.line(`${plural(cases, 'case')} skipped: ${quotedLine(reason, 200)}`)
  const rest = skips.slice(shown)
  if (rest.length === 0) return
  const cases = rest.reduce((sum, each) => sum + each.cases, 0)
  output.line(`${plural(cases, 'case')} skipped: ${rest.length} other reasons; --json FILE has them all`)
}

/** Cases that passed, but for white space that only --strict-space compares. */
function printSpaces(
  { spaces: { count, first } }: RunReport,
  { output, hasExamples }: { readonly output: Output; readonly hasExamples: boolean },
): void {
  if (count === 0) return
  output.line(
    `${count} of those that passed: right but for white space at the ends of prose (--strict-space fails them)`,
  )
  if (hasExamples) for (const text of first) output.line(`  ${quotedLine(text, 200)}`)
}

const SHOWN_IDS = 20

/** What is new, what was known and what passes now, in three lines; then the ids that pass. */
function printKnown({ tally, known: failing, fixed }: RunReport, { output, known, list }: KnownList): void {
  const { failed, errored } = tally.total()
  const remedy = `callspec conformance triage ${inert(shellWord(list))}`
  const passing =
    fixed.length === 0 ? '' : `: they pass, though ${inert(list)} lists them; \`${remedy}\` takes them out`
  output.line(`new ${failed + errored}`)
  output.line(`known ${kindsText(failing, known)}`)
  output.line(`gone ${fixed.length}${passing}`)
  for (const id of fixed.slice(0, SHOWN_IDS)) output.line(`  ${inert(id)}`)
  if (fixed.length > SHOWN_IDS) output.line(`  … and ${fixed.length - SHOWN_IDS} more`)
  const [first, ...more] = known.unused()
  if (first === undefined) return
  if (more.length === 0) output.warn(`${inert(list)} lists "${inert(first)}", but no such case was run.`)
  else output.warn(`${inert(list)} lists ${more.length + 1} ids of cases that were not run, such as "${inert(first)}".`)
}

/** What is new, the same, and no longer wrong, compared with the recorded answers of an engine. */
function printAgainst({ tally, known: failing, fixed }: RunReport, { name }: AgainstEngine, output: Output): void {
  const { failed, errored } = tally.total()
  output.line(inert(`against ${name}: ${failed + errored} new, ${failing.length} the same, ${fixed.length} gone`))
  for (const id of fixed.slice(0, SHOWN_IDS)) output.line(`  gone: ${inert(id)}`)
  if (fixed.length > SHOWN_IDS) output.line(`  … and ${fixed.length - SHOWN_IDS} more`)
}

async function againstOption(options: Options, list: string | null): Promise<AgainstEngine | null> {
  const given = options.text('against')
  if (given === null) return null
  if (list !== null) throw new UsageError('--against and --known are two lists of known failures. Give one.')
  return (await import('./against.ts')).readAgainst(given)
}

/** Cases come with callspec: no file of the user is meant. */
function findingOf({ case: { id }, verdict }: CaseResult): CiFinding {
  const message = `${id}: ${reasonOf(verdict) ?? verdict.kind}`
  return { rule: `conformance-${verdict.kind}`, level: 'error', message, file: null }
}

function fileOption(options: Options, name: string): string | null {
  const path = options.text(name)
  if (path === '') throw new UsageError(`--${name} was given an empty text. Leave it out or name something.`)
  return path
}

function refuseToOverwrite(name: string, path: string | null, { files }: Selection): void {
  const same = path === null ? undefined : files.find((file) => resolve(file.path) === resolve(path))
  if (same === undefined) return
  throw new UsageError(`--${name} ${path ?? ''} would overwrite a case file. Name another file.`)
}

/**
 * The folder of the scoreboard, null when none is kept.
 *
 * @throws UsageError where the result would not be one of the built-in cases
 */
function scoreboardFolder(options: Options, { isBuiltIn }: Selection): string | null {
  const folder = options.text('scoreboard')
  if (folder === null) return null
  if (folder === '') throw new UsageError('--scoreboard was given an empty text. Leave it out or name a folder.')
  const stray = ['id', 'cut'].find((name) => options.list(name).length > 0)
  const other = isBuiltIn ? (stray === undefined ? null : `--${stray}`) : '--cases'
  if (other === null) return folder
  throw new UsageError(`--scoreboard keeps results of whole sets of built-in cases. Leave out ${other}.`)
}

/** Puts the result of a run into the file of its implementation. @returns the path */
async function keepScore(folder: string, chosen: Chosen, { score }: RunReport): Promise<string> {
  const { about } = chosen.implementation
  const path = join(folder, scoreboardFileName(about.name))
  await makeFolders(folder)
  const old = (await exists(path)) ? await readScoreboard(path) : null
  if (old !== null && old.implementation !== about.name) {
    throw new UsageError(`${path}: is of "${old.implementation}", not of "${about.name}". Keep them in two folders.`)
  }
  const run = { about, casesVersion: caseSetVersion(), cells: score.cells() }
  await writeFileAtomically(path, scoreboardText(withRun(old, run)))
  return path
}
