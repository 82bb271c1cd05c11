import { describeDrift } from '../../regression/compare.ts'
import type { Drift } from '../../regression/compare.ts'
import type { Output } from '../../output.ts'
import { inert } from '../../terminal.ts'
import type { Difference } from './compare-shown.ts'

const SHOWN_LINES = 2
const SHOWN_NAMES = 6

/** Prints where two sides part, once for all conversations that show the same. */
export function printDifferences(differences: readonly Difference[], output: Output): void {
  for (const group of groupsOf(differences)) printGroup(group, output)
}

/** A difference for programs. */
export function differenceJson({ probe, how, sides, drift }: Difference): object {
  return {
    conversation: probe,
    how,
    ...(sides === null ? {} : { before: sides[0], after: sides[1] }),
    ...(drift === null
      ? {}
      : { byte: drift.offset, line: drift.line, column: drift.column, before: drift.before, after: drift.now }),
  }
}

interface Group {
  readonly first: Difference
  readonly others: readonly string[]
}

/** One cause mostly shows in several conversations; it is shown once. */
function groupsOf(differences: readonly Difference[]): readonly Group[] {
  const groups = new Map<string, { first: Difference; others: string[] }>()
  for (const difference of differences) {
    const { how, sides, drift } = difference
    const key = JSON.stringify(drift === null ? [how, sides] : [how, drift.before[0], drift.now[0]])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { first: difference, others: [] })
    else group.others.push(difference.probe)
  }
  return [...groups.values()]
}

function printGroup({ first, others }: Group, output: Output): void {
  const { probe, sides, drift } = first
  output.line()
  output.line(`${output.paint('red', '✗')} ${probe}`)
  if (sides !== null) {
    output.line(`  - ${inert(sides[0])}`)
    output.line(`  + ${inert(sides[1])}`)
  }
  if (drift !== null) for (const line of describeDrift(beginningOf(drift))) output.line(`  ${line}`)
  if (others.length > 0) output.line(`  the same in ${namesText(others)}`)
}

/** What follows the first difference is mostly moved, not changed. */
function beginningOf(drift: Drift): Drift {
  return { ...drift, before: drift.before.slice(0, SHOWN_LINES), now: drift.now.slice(0, SHOWN_LINES) }
}

/** Names of conversations, cut after the first few. */
export function namesText(names: readonly string[]): string {
  const more = names.length - SHOWN_NAMES
  return more > 0 ? `${names.slice(0, SHOWN_NAMES).join(', ')} and ${more} more` : names.join(', ')
}
