import { plural } from '@callspec/eval/text'
import type { DiffResult, Side, Difference, Shown } from '@callspec/template/check'
import { compareTemplates, createSide } from '@callspec/template/check'
import type { Invocation, ExitCode } from '../command.ts'
import { EXIT } from '../command.ts'
import type { Output } from '../output.ts'
import { inert, quotedLine } from '../output.ts'
import { UsageError } from '../usage-error.ts'
import { workProgress } from '../work-progress.ts'
import { openCompiledSource, variableSettings } from './source.ts'
import { createHash } from 'node:crypto'
import type { Drift } from '../regression/compare.ts'
import { describeWhole, driftBetween } from '../regression/compare.ts'

export async function runDiff(invocation: Invocation): Promise<ExitCode> {
  const { positionals, options, output } = invocation
  const [left, right, more] = positionals
  if (left === undefined || right === undefined)
    throw new UsageError('callspec template diff needs two SOURCES: the old template, then the new one.')
  if (more !== undefined) throw new UsageError(`unexpected argument "${more}". template diff compares two SOURCES.`)
  const sides = await openSides([left, right], invocation)
  const progress = workProgress({ output, noun: 'conversation' })
  const result = await compareTemplates(sides, (done, of) => progress.step(done, done / of))
  output.progressDone()
  if (options.flag('json')) output.write(`${JSON.stringify(diffJson(result), null, 2)}\n`)
  else printDiff(result, output)
  return result.differences.length === 0 ? EXIT.ok : EXIT.disagreement
}

async function openSides(paths: readonly [string, string], invocation: Invocation): Promise<readonly [Side, Side]> {
  const settings = variableSettings(invocation.options)
  const left = await openCompiledSource(paths[0], invocation)
  const right = await openCompiledSource(paths[1], invocation)
  return [
    await createSide(left, { settings, tokens: right.kind === 'text' ? right.tokens : {} }),
    await createSide(right, { settings, tokens: left.kind === 'text' ? left.tokens : {} }),
  ]
}

function printDiff({ sides, probes, differences, leading }: DiffResult, output: Output): void {
  const [left, right] = sides
  output.line(inert(`- ${sideText(left)}`))
  output.line(inert(`+ ${sideText(right)}`))
  if (leading !== null) output.line(inert(`not compared: ${leading}, with which only one side begins every prompt`))
  printDifferences(differences, output)
  output.line()
  output.line(summary(sides, probes, differences.length))
}

function sideText({ name, template, by }: Side): string {
  return `${name}  ${template === null ? 'text not shown' : `sha256 ${sha256Of(template).slice(0, 12)}`}  ${by}`
}

function summary([left, right]: readonly [Side, Side], probes: number, different: number): string {
  const source =
    left.template === right.template ? 'The templates are the same text' : 'The templates are different texts'
  const behaviour =
    different === 0
      ? `no difference in ${plural(probes, 'conversation')}`
      : `${different} of ${plural(probes, 'conversation')} differ`
  const areShown = left.template !== null && right.template !== null
  return areShown ? `${source}; ${behaviour}.` : `${behaviour[0]?.toUpperCase()}${behaviour.slice(1)}.`
}

function diffJson({ sides, probes, differences, leading }: DiffResult): object {
  return {
    sides: sides.map(({ name, template, by }) => ({ name, sha256: sha256Of(template), by })),
    conversations: probes,
    not_compared: leading,
    differences: differences.map(differenceJson),
  }
}

const SHOWN_LINES = 2
const SHOWN_NAMES = 6

/** Prints differences; equal ones once, with the names of their conversations. */
export function printDifferences(differences: readonly Difference[], output: Output): void {
  const groups = new Map<string, { readonly first: DifferenceText; readonly others: string[] }>()
  for (const difference of differences) {
    const text = textOfDifference(difference)
    const { how, sides, drift } = text
    const key = JSON.stringify(drift === null ? [how, sides] : [how, drift.before[0], drift.now[0]])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { first: text, others: [] })
    else group.others.push(difference.probe)
  }
  for (const { first, others } of groups.values()) printGroup(first, others, output)
}

export function differenceJson(difference: Difference): object {
  const { probe, how, sides, drift } = textOfDifference(difference)
  return {
    conversation: probe,
    how,
    ...(sides === null ? {} : { before: sides[0], after: sides[1] }),
    ...(drift === null
      ? {}
      : { byte: drift.offset, line: drift.line, column: drift.column, before: drift.before, after: drift.now }),
  }
}

interface DifferenceText {
  readonly probe: string
  readonly how: Difference['how']
  /** One line for each side; null for two texts. */
  readonly sides: readonly [string, string] | null
  /** The first difference of two texts. */
  readonly drift: Drift | null
}

function textOfDifference(difference: Difference): DifferenceText {
  const { probe, how } = difference
  switch (difference.how) {
    case 'text': {
      const [before, after] = difference.texts
      return { probe, how, sides: null, drift: driftBetween(Buffer.from(before), Buffer.from(after)) }
    }
    case 'tokens': {
      const [before, after] = difference.counts.map(
        ({ tokens, isEstimate }) => `${isEstimate ? 'about ' : ''}${plural(tokens, 'token')}`,
      )
      return { probe, how, sides: [before ?? '', after ?? ''], drift: null }
    }
    default:
      return {
        probe,
        how,
        sides: [differenceText(difference.sides[0]), differenceText(difference.sides[1])],
        drift: null,
      }
  }
}

function differenceText(shown: Shown): string {
  switch (shown.kind) {
    case 'raised':
      return `raises ${shown.error.type}: ${quotedLine(shown.error.message, 120)}`
    case 'tokens':
      return plural(shown.tokens, 'token')
    default:
      return `renders ${quotedLine(shown.text, 60)}`
  }
}

function printGroup({ probe, sides, drift }: DifferenceText, others: readonly string[], output: Output): void {
  output.line()
  output.line(`${output.paint('red', '✗')} ${probe}`)
  if (sides !== null) {
    output.line(`  - ${inert(sides[0])}`)
    output.line(`  + ${inert(sides[1])}`)
  }
  if (drift !== null) for (const line of describeWhole(beginningOf(drift))) output.line(`  ${line}`)
  if (others.length > 0) output.line(`  the same in ${namesText(others)}`)
}

/** The text after the first difference is mostly moved, not changed. */
function beginningOf(drift: Drift): Drift {
  return { ...drift, before: drift.before.slice(0, SHOWN_LINES), now: drift.now.slice(0, SHOWN_LINES) }
}

/** Names of conversations, cut after the first few. */
export function namesText(names: readonly string[]): string {
  const more = names.length - SHOWN_NAMES
  return more > 0 ? `${names.slice(0, SHOWN_NAMES).join(', ')} and ${more} more` : names.join(', ')
}

/** SHA-256 of a template's text in UTF-8, in hexadecimal; null for a text that is not shown. */
export function sha256Of<Text extends string | null>(text: Text): Text extends string ? string : null
export function sha256Of(text: string | null): string | null {
  return text === null ? null : createHash('sha256').update(text).digest('hex')
}
