import { knownFailuresText, runSuite } from '@callspec/conformance'
import type { CaseResult } from '@callspec/conformance'
import type { Invocation } from '../command.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { UsageError } from '../usage-error.ts'
import { writeFileAtomically } from '../write-file.ts'
import { chooseImplementation } from './choose-implementation.ts'
import { readSelection } from './select.ts'

/** Writes what fails today as a list of known failures. */
export async function initSkip(invocation: Invocation): Promise<ExitCode> {
  const { options, positionals, output } = invocation
  const target = options.text('output')
  if (target === '') throw new UsageError('--output was given an empty text. Leave it out or name something.')
  const selection = await readSelection(options, positionals)
  const chosen = await chooseImplementation(invocation)
  const { implementation, jobs } = chosen
  try {
    await chosen.smoke()
    const groups = new Map<string, string[]>()
    let done = 0
    for await (const result of runSuite(selection.cases(output), implementation, { jobs })) {
      done += 1
      const group = groupOf(result)
      if (group !== null) groups.set(group, [...(groups.get(group) ?? []), result.case.id])
    }
    if (done === 0) throw selection.nothing()
    const { name, version } = implementation.about
    const about = `Known failures of ${name} ${version}. Give each group its reason, best with the URL of an issue.`
    const text = knownFailuresText(about.replace(/\s+/g, ' '), groups)
    if (target === null) output.write(text)
    else await writeFileAtomically(target, text)
    return EXIT.ok
  } finally {
    await implementation.close?.()
  }
}

function groupOf({ case: item, verdict }: CaseResult): string | null {
  if (verdict.kind === 'failed') return `${item.op}: another answer, not looked into yet`
  return verdict.kind === 'errored' ? `${item.op}: no answer, not looked into yet` : null
}
