import { dirname } from 'node:path'
import { createTriage, readKnownFailures } from '@callspec/conformance'
import type { NewFailure, RunReport } from '@callspec/conformance'
import type { Invocation, ExitCode } from '../command.ts'
import { EXIT } from '../command.ts'
import { readSource, exists } from '../input-file.ts'
import { inert, quotedLine } from '../output.ts'
import { UsageError } from '../usage-error.ts'
import { writeFileAtomically } from '../write-file.ts'
import { chooseImplementation } from './choose-implementation.ts'
import { wantsJson } from './options.ts'
import { kindsText, replayOf, replayWords, runCases } from './run-cases.ts'
import type { KnownList } from './run-cases.ts'
import { readSelection } from './select.ts'

/** Runs the cases, and updates a list of known failures by the results. */
export async function triage(invocation: Invocation): Promise<ExitCode> {
  const { options, positionals, output } = invocation
  const [list = '', ...paths] = positionals
  if (list === '') throw new UsageError('callspec conformance triage needs the FILE that keeps the known failures.')
  const old = (await exists(list)) ? (await readSource(list)).text : null
  // A run may take long: a file that cannot be written is reported before it.
  if (old === null && !(await exists(dirname(list))))
    throw new UsageError(`${list}: cannot be written (the folder does not exist)`)
  const known = await readKnownFailures(old === null ? null : list)
  const selection = await readSelection(options, paths)
  if (selection.files.some(({ path }) => path === list))
    throw new UsageError(`${list} is a case file. Name another file.`)
  const chosen = await chooseImplementation(invocation)
  try {
    await chosen.smoke()
    const words = replayWords(chosen, [...options.list('cases'), ...paths])
    const found = createTriage((reason) => quotedLine(reason, 300))
    const { report } = await runCases({
      ...{ selection, chosen, known, invocation },
      onResult: (result) => {
        const isKept = found.add(result, replayOf(words, result.case))
        if (!isKept) output.warn(`"${quotedLine(result.case.id)}" cannot be listed: the id is not one line.`)
      },
    })
    const gone = chosen.implementation.gone?.() ?? null
    if (gone !== null) {
      output.note(`callspec: the implementation is unavailable: ${quotedLine(gone, 300)} ${inert(list)} is unchanged.`)
      return EXIT.broken
    }
    const { name, version } = chosen.implementation.about
    const about = quotedLine(
      `Known failures of ${name} ${version}. The first word of a reason says what they are.`,
      300,
    )
    await writeFileAtomically(list, found.text(old, { about, gone: report.fixed }))
    printTriage(report, found.fresh, { invocation, output, known, list })
    return EXIT.ok
  } finally {
    await chosen.implementation.close?.()
  }
}

function printTriage(
  { known: failing, fixed }: RunReport,
  fresh: readonly NewFailure[],
  { invocation, output, known, list }: KnownList & { readonly invocation: Invocation },
): void {
  if (wantsJson(invocation)) {
    const added = fresh.map(({ id, reason }) => ({ id, reason }))
    output.line(JSON.stringify({ list, new: added, known: failing, gone: fixed, unasked: known.unused() }, null, 2))
    return
  }
  const added = fresh.length
  output.line(`new ${added}${added === 0 ? '' : `: added to ${inert(list)} as unverified`}`)
  output.line(`known ${kindsText(failing, known)}`)
  output.line(`gone ${fixed.length}${fixed.length === 0 ? '' : `: taken out of ${inert(list)}`}`)
  for (const id of fixed) output.line(`  ${inert(id)}`)
  const unasked = known.unused().length
  if (unasked > 0) output.line(`left as they are ${unasked}: not among the cases run`)
}
