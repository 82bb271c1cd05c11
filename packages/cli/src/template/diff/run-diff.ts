import type { Invocation } from '../../command.ts'
import { EXIT } from '../../exit-codes.ts'
import type { ExitCode } from '../../exit-codes.ts'
import { UsageError } from '../../usage-error.ts'
import { variableSettings } from '../render/variables.ts'
import { compareTemplates } from './compare-templates.ts'
import { diffJson, printDiff } from './print-diff.ts'
import { createSide, openSide } from './side.ts'
import type { Side } from './side.ts'

/** `callspec template diff`. */
export async function runDiff(invocation: Invocation): Promise<ExitCode> {
  const { positionals, options, output } = invocation
  const [left, right] = positionals
  if (left === undefined || right === undefined)
    throw new UsageError('callspec template diff needs two SOURCES: the old template, then the new one.')
  const sides = await openSides([left, right], invocation)
  const result = await compareTemplates(sides, (done) => output.progress(done))
  output.progressDone()
  if (options.flag('json')) output.write(`${JSON.stringify(diffJson(result), null, 2)}\n`)
  else printDiff(result, output)
  return result.differences.length === 0 ? EXIT.ok : EXIT.disagreement
}

async function openSides(paths: readonly [string, string], invocation: Invocation): Promise<readonly [Side, Side]> {
  const settings = variableSettings(invocation.options)
  const sources = [await openSide(paths[0], invocation), await openSide(paths[1], invocation)] as const
  const [ofLeft, ofRight] = sources.map((source) => (source.kind === 'text' ? source.tokens : {}))
  return [
    await createSide(sources[0], { settings, tokens: ofRight ?? {} }),
    await createSide(sources[1], { settings, tokens: ofLeft ?? {} }),
  ]
}
