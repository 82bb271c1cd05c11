import type { CaseResult } from '@callspec/conformance'
import { fitColumns } from '../columns.ts'
import type { Output } from '../output.ts'
import { quotedLine } from '../output.ts'

/** Fewer failures are read one by one. */
const MANY = 10
const MOST_KINDS = 6
const EXAMPLE_LENGTH = 100

/** Failures that differ in the same way, and the first of them. */
interface FailureKind {
  count: number
  readonly example: string
}

/** What failed in a run, by the way in which it differs. */
export interface FailureKinds {
  add(result: CaseResult): void
  /** A line for each of the most frequent ways, with a case of it; none for few failures. */
  lines(width: Pick<Output, 'wrapAt'>): readonly string[]
}

export function countFailureKinds(): FailureKinds {
  const kinds = new Map<string, FailureKind>()
  let total = 0
  return {
    add: (result) => {
      const kind = kindOf(result)
      if (kind === null) return
      total += 1
      const known = kinds.get(kind)
      if (known === undefined) kinds.set(kind, { count: 1, example: result.case.id })
      else known.count += 1
    },
    lines: ({ wrapAt }) => {
      if (total < MANY) return []
      const sorted = [...kinds].toSorted(([, one], [, other]) => other.count - one.count)
      const shown = sorted.slice(0, MOST_KINDS)
      const width = String(shown[0]?.[1].count ?? 0).length
      const rest = sorted.slice(MOST_KINDS)
      const others = rest.reduce((sum, [, { count }]) => sum + count, 0)
      return [
        'failures by what differs, with the first case of each:',
        ...shown.map(([kind, { count, example }]) =>
          fitColumns(`  ${String(count).padStart(width)} ${kind}, ${quotedLine(example, EXAMPLE_LENGTH)}`, wrapAt),
        ),
        ...(others === 0 ? [] : [`  ${String(others).padStart(width)} otherwise`]),
      ]
    },
  }
}

/** `items[].arguments: other type`, for every argument of every call; null for a case that did not fail. */
function kindOf({ verdict }: CaseResult): string | null {
  if (verdict.kind === 'errored') return 'no answer'
  if (verdict.kind !== 'failed') return null
  const { path, what } = verdict.difference
  const [place = ''] = path.replace(/\[\d+\]/g, () => '[]').split(/(?<=\.arguments)\b/, 1)
  const [text = ''] = what.split(' from character ', 1)
  return quotedLine(`${place === '' ? 'the whole answer' : place}: ${text}`, EXAMPLE_LENGTH)
}
