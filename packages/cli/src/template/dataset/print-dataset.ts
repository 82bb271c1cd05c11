import { plural } from '@callspec/eval/plural'
import type { Output } from '../../output.ts'
import { inert } from '../../terminal.ts'
import { DATASET_RULES } from './finding.ts'
import type { DatasetFinding, DatasetRule, Unit } from './finding.ts'

/** What came of a data set. */
export interface DatasetResult {
  readonly source: string
  readonly data: string
  readonly seen: ReadonlyMap<Unit, number>
  readonly counts: ReadonlyMap<DatasetRule, number>
  /** The first few of each rule. */
  readonly examples: ReadonlyMap<DatasetRule, readonly DatasetFinding[]>
}

/** Prints a rate for every rule with findings, and the first examples. */
export function printDataset({ source, data, seen, counts, examples }: DatasetResult, output: Output): void {
  const count = (unit: Unit): number => seen.get(unit) ?? 0
  output.line(
    inert(
      `${data} under ${source}: ${plural(count('conversations'), 'conversation')}, ${plural(count('all turns'), 'turn')} of the model`,
    ),
  )
  output.line(
    `looked at: the prompts of ${plural(count('turns'), 'turn')}, ${plural(count('calls'), 'call')}, ${plural(count('messages'), 'message')}`,
  )
  for (const rule of rulesWith(counts)) {
    const { of, about } = DATASET_RULES[rule]
    const found = counts.get(rule) ?? 0
    output.line()
    output.line(
      `${output.paint('red', '✗')} ${rule}  ${found} of ${plural(count(of), of === 'replies' ? 'reply' : of.slice(0, -1), of)} (${percent(found, count(of))}): ${about}`,
    )
    for (const { where, message, detail } of examples.get(rule) ?? [])
      output.line(inert(`  ${where}${message === null ? '' : ` messages[${message}]`}  ${detail}`))
  }
  if (rulesWith(counts).length === 0) output.line('nothing found')
}

function rulesWith(counts: DatasetResult['counts']): readonly DatasetRule[] {
  return [...counts.keys()].toSorted((left, right) => order(left) - order(right))
}

function order(rule: DatasetRule): number {
  return Object.keys(DATASET_RULES).indexOf(rule)
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`
}

/** The same for programs. */
export function datasetJson({ source, data, seen, counts, examples }: DatasetResult): object {
  return {
    template: source,
    data,
    looked_at: Object.fromEntries(seen),
    findings: rulesWith(counts).map((rule) => ({
      rule,
      count: counts.get(rule) ?? 0,
      of: seen.get(DATASET_RULES[rule].of) ?? 0,
      unit: DATASET_RULES[rule].of,
      examples: (examples.get(rule) ?? []).map(({ where, message, detail }) => ({ where, message, detail })),
    })),
  }
}
