import { dirname, join, relative, resolve, sep } from 'node:path'
import { caseProfile, matches, planRecording } from '@callspec/conformance'
import type { Case, RecordingPlan } from '@callspec/conformance'
import { plural } from '@callspec/eval/text'
import type { Invocation, ExitCode, Options } from '../command.ts'
import { EXIT } from '../command.ts'
import { makeFolders, writeChosenFile } from '../write-file.ts'
import { inert } from '../output.ts'
import { UsageError } from '../usage-error.ts'
import { workProgress } from '../work-progress.ts'
import { chooseImplementation } from './choose-implementation.ts'
import type { Chosen } from './choose-implementation.ts'
import { readSelection } from './select.ts'
import { wantsJson } from './options.ts'

/**
 * Asks an implementation and writes its answers as golden files of the fixtures. Nothing is written before every file
 * has its answers, and nothing at all when one of them broke.
 */
export async function record(invocation: Invocation): Promise<ExitCode> {
  const { options, positionals, output } = invocation
  const target = options.text('output')
  if (target === '') throw new UsageError('--output was given an empty text. Leave it out or name something.')
  if (options.list('cases').length + positionals.length === 0) {
    throw new UsageError('record needs --cases: which fixtures are to get answers? The built-in ones have theirs.')
  }
  const { files } = await readSelection(options, positionals)
  const chosen = await chooseImplementation(invocation)
  if (chosen.driver === null)
    throw new UsageError('Whose answers? Give --impl COMMAND, --one-shot COMMAND or --http URL.')
  try {
    await chosen.smoke()
    const plans: FilePlan[] = []
    const progress = workProgress({ output, noun: 'file', of: files.length })
    for (const { path } of files) {
      const plan = await planOf(path, { invocation, chosen, target })
      if (plan !== null) plans.push(plan)
      progress.step(plans.length)
    }
    output.progressDone()
    return await carryOut(plans, invocation)
  } finally {
    await chosen.implementation.close?.()
  }
}

interface FilePlan extends RecordingPlan {
  readonly path: string
}

async function planOf(
  path: string,
  { invocation, chosen, target }: { invocation: Invocation; chosen: Chosen; target: string | null },
): Promise<FilePlan | null> {
  const { options, output } = invocation
  const { implementation, jobs } = chosen
  const plan = await planRecording(path, { implementation, jobs, isSelected: (item) => isSelected(item, options) })
  if (plan !== null) return { ...plan, path: goldenPath(path, target) }
  output.warn(`${path}: not a fixture, left out. Only fixtures have golden files.`)
  return null
}

function isSelected({ op, format = '', profile, id }: Case, options: Options): boolean {
  return Object.entries({ op, format, profile, id }).every(([name, value]) => {
    const patterns = options.list(name).map((each) => (name === 'profile' ? caseProfile(each) : each))
    return patterns.length === 0 || matches(patterns, value)
  })
}

async function carryOut(plans: readonly FilePlan[], invocation: Invocation): Promise<ExitCode> {
  const { output } = invocation
  const isJson = wantsJson(invocation)
  const broken = plans.flatMap((plan) => plan.broken)
  if (broken.length > 0) {
    if (isJson) output.line(JSON.stringify({ recorded: [], files: [], broken }, null, 2))
    else {
      for (const each of broken) output.line(`no answer  ${inert(each)}`)
      output.line(`nothing was written: ${plural(broken.length, 'case')} without an answer`)
    }
    return EXIT.disagreement
  }
  const recorded: string[] = []
  const files: string[] = []
  for (const { path, text, changed, missing } of plans) {
    for (const id of missing) output.warn(`${inert(id)} has no answer: the implementation does not claim it.`)
    if (text === null) continue
    await makeFolders(dirname(path))
    await writeChosenFile(path, text)
    if (!isJson) for (const id of changed) output.line(`recorded  ${inert(id)}`)
    recorded.push(...changed)
    files.push(path)
  }
  if (isJson) output.line(JSON.stringify({ recorded, files, broken }, null, 2))
  else
    output.line(
      `${plural(recorded.length, 'answer')} recorded in ${plural(files.length, 'file')}; all others are as they were`,
    )
  return EXIT.ok
}

/** The same place in `golden`, or below the folder that is named, as seen from the folder `fixtures`. */
function goldenPath(path: string, target: string | null): string {
  const steps = resolve(path).split(sep)
  const at = steps.lastIndexOf('fixtures')
  if (at === -1) throw new UsageError(`${path}: is a fixture outside a folder "fixtures", so it has no golden file.`)
  if (target !== null) return join(target, ...steps.slice(at + 1))
  return relative('.', steps.with(at, 'golden').join(sep))
}
