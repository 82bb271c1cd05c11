import { plural } from '@callspec/eval/plural'
import type { Output } from '../../output.ts'
import { inert } from '../../terminal.ts'
import type { DiffResult } from './compare-templates.ts'
import { differenceJson, printDifferences } from './print-differences.ts'
import type { Side } from './side.ts'

/** Prints both sides, what parts them, and a line that sums it up. */
export function printDiff({ sides, probes, differences, leading }: DiffResult, output: Output): void {
  const [left, right] = sides
  output.line(inert(`- ${sideText(left)}`))
  output.line(inert(`+ ${sideText(right)}`))
  if (leading !== null) output.line(inert(`not compared: ${leading}, with which one side alone begins every prompt`))
  printDifferences(differences, output)
  output.line()
  output.line(summary(sides, probes, differences.length))
}

function sideText({ name, sha256, by }: Side): string {
  return `${name}  ${sha256 === null ? 'text not shown' : `sha256 ${sha256.slice(0, 12)}`}  ${by}`
}

function summary([left, right]: readonly [Side, Side], probes: number, different: number): string {
  const shown = left.sha256 !== null && right.sha256 !== null
  const source = left.sha256 === right.sha256 ? 'The templates are the same text' : 'The templates are different texts'
  const behaviour =
    different === 0
      ? `no difference in ${plural(probes, 'conversation')}`
      : `${different} of ${plural(probes, 'conversation')} differ`
  return shown ? `${source}; ${behaviour}.` : `${behaviour[0]?.toUpperCase()}${behaviour.slice(1)}.`
}

/** The same for programs. */
export function diffJson({ sides, probes, differences, leading }: DiffResult): object {
  return {
    sides: sides.map(({ name, sha256, by }) => ({ name, sha256, by })),
    conversations: probes,
    not_compared: leading,
    differences: differences.map(differenceJson),
  }
}
