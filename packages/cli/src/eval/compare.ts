import { compareRuns, exitOf, judgeRegression, readSide } from '@callspec/eval'
import type { RunComparison } from '@callspec/eval'
import type { Invocation, OptionTable } from '../command.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { UsageError } from '../usage-error.ts'
import { exitCodeOf, failedCode } from './exit-code.ts'
import { LIMITS } from './limits.ts'
import { EDITED, REGRESSION, SOURCES } from './options.ts'
import { printComparison } from './print-comparison.ts'
import { printGates } from './print-verdicts.ts'
import { regressionOptions } from './regression-options.ts'
import { REPORTS, runFolderOrFile } from './run-names.ts'
import { readSurroundings } from './surroundings.ts'

/** The options of `callspec compare`. */
export const COMPARE_OPTIONS: OptionTable = {
  'fail-on-regression': {
    help: 'Exit with 1 when a rate is shown to be worse, with 3 when the runs share too little to say.',
  },
  'max-regression': { value: 'X', help: 'How much worse a rate may be, such as 0.02. Default: 0.' },
  ...REGRESSION,
  force: { help: 'Compare runs of different tasks all the same.' },
  json: { help: 'Print the comparison as JSON.' },
  ...EDITED,
  ...REPORTS,
  ...SOURCES,
}

/** `callspec compare`. */
export async function runCompare(invocation: Invocation): Promise<ExitCode> {
  const { positionals, output } = invocation
  const { options, environment } = await readSurroundings(invocation, COMPARE_OPTIONS)
  failedCode(environment)
  const [one, other] = positionals
  if (one === undefined || other === undefined)
    throw new UsageError('callspec compare needs two runs: BEFORE and AFTER.')
  const reports = options.text('reports') ?? 'reports'
  const accepting = { acceptEdited: options.flag('accept-edited') }
  const before = readSide(await runFolderOrFile(one, reports), accepting)
  const after = readSide(await runFolderOrFile(other, reports), accepting)
  const tolerance = options.number('max-regression', LIMITS['max-regression']) ?? 0
  const regression = regressionOptions(options)
  const comparison = compareRuns(before, after, { tolerance })
  refuseOthers(comparison, options.flag('force'))
  const isGated = options.flag('fail-on-regression')
  const verdicts = isGated || options.flag('json') ? judgeRegression(comparison, tolerance, regression) : []
  const decision = exitOf(verdicts)
  if (options.flag('json')) output.line(JSON.stringify({ ...comparison, tolerance, verdicts, decision }, null, 2))
  else {
    printComparison(comparison, { before: before.path, after: after.path }, output)
    if (isGated) output.line()
    printGates(verdicts, output)
  }
  return isGated ? exitCodeOf(decision, environment) : EXIT.ok
}

function refuseOthers({ obstacles }: RunComparison, isForced: boolean): void {
  const refused = obstacles.find(({ kind }) => kind === 'refuse')
  if (refused === undefined || isForced) return
  throw new UsageError(`the two runs ask different things (${refused.text}). --force compares them all the same.`)
}
