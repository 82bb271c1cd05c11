import type { Format } from '@callspec/core'
import { plural } from '@callspec/eval/plural'
import { differenceJson, namesText, printDifferences } from '../diff/print-differences.ts'
import type { Side } from '../diff/side.ts'
import type { Output } from '../../output.ts'
import { inert, quoted } from '../../terminal.ts'
import type { CallCheck, CallDeviation } from './check-calls.ts'
import type { PromptCheck } from './check-prompts.ts'

/** What came of holding a template against a format. */
export interface CheckResult {
  readonly side: Side
  readonly format: Format
  /** Null for a format whose prompts are not known. */
  readonly prompts: PromptCheck | null
  readonly calls: CallCheck
}

/** Prints every deviation, then a line for prompts and one for calls. */
export function printCheck({ side, format, prompts, calls }: CheckResult, output: Output): void {
  output.line(inert(`- ${format.id}: ${format.about.source}`))
  output.line(inert(`+ ${side.name}  ${side.by}`))
  if (prompts !== null) printDifferences(prompts.differences, output)
  for (const group of groupsOf(calls.deviations)) printDeviation(group, output)
  output.line()
  output.line(prompts === null ? `The prompts of ${format.id} are not known.` : promptsText(prompts, format))
  const altered = new Set(calls.deviations.map(({ probe }) => probe)).size
  output.line(
    calls.read === 0
      ? 'The template writes no message with calls.'
      : `${plural(calls.read, 'message')} with calls written; those of ${plural(altered, 'conversation')} read otherwise.`,
  )
}

function promptsText({ compared, differences }: PromptCheck, { id }: Format): string {
  return differences.length === 0
    ? `All ${plural(compared, 'conversation')} shown as ${id} shows them.`
    : `${differences.length} of ${plural(compared, 'conversation')} shown otherwise than ${id} shows them.`
}

type Group = readonly [CallDeviation, ...CallDeviation[]]

function groupsOf(deviations: readonly CallDeviation[]): readonly Group[] {
  const groups = new Map<string, [CallDeviation, ...CallDeviation[]]>()
  for (const deviation of deviations) {
    const key = JSON.stringify([deviation.id, deviation.detail])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [deviation])
    else group.push(deviation)
  }
  return [...groups.values()]
}

function printDeviation([first, ...others]: Group, output: Output): void {
  output.line()
  output.line(`${output.paint('red', '✗')} ${first.probe}: ${first.id}`)
  output.line(`  ${inert(first.detail)}`)
  output.line(`  written: ${quoted(first.reply, 200)}`)
  const names = [...new Set(others.map(({ probe }) => probe))]
  if (names.length > 0) output.line(`  the same in ${namesText(names)}`)
}

/** The same for programs. */
export function checkJson({ side, format, prompts, calls }: CheckResult): object {
  return {
    template: { name: side.name, sha256: side.sha256, by: side.by },
    format: format.id,
    prompts:
      prompts === null
        ? null
        : { conversations: prompts.compared, differences: prompts.differences.map(differenceJson) },
    calls: {
      messages: calls.read,
      deviations: calls.deviations.map(({ id, probe, detail, reply }) => ({ id, conversation: probe, detail, reply })),
    },
  }
}
