import type { Protocol } from '../trace/protocol.ts'
import type { EpisodeOutcome } from './outcome.ts'
import { pairUp } from './pair.ts'
import { adjustAll, pairedTests } from './paired-tests.ts'
import type { PairedTest } from './paired-tests.ts'
import type { ProtocolComparison } from './protocol-comparison.ts'

/** The episodes of one model under one protocol; asked for when they are compared. */
export interface ProtocolOutcomes {
  readonly model: string
  readonly protocol: Protocol
  readonly outcomes: () => readonly EpisodeOutcome[]
  /** Whether all tries of every task replied alike, so that they count as one. */
  readonly isAlike?: boolean
}

/** Every two protocols of each model, in the order of the rows; p values are adjusted over all of them. */
export function compareProtocols(rows: readonly ProtocolOutcomes[]): readonly ProtocolComparison[] {
  const raw = rows.flatMap((left, at) =>
    rows
      .slice(at + 1)
      .filter(({ model }) => model === left.model)
      .map((right) => {
        const { pairs, broken, unpaired } = pairUp(left.outcomes(), right.outcomes())
        const names = { model: left.model, left: left.protocol, right: right.protocol }
        const isAlike = left.isAlike === true && right.isAlike === true
        return { names, broken, unpaired, isAlike, tests: pairedTests(pairs) }
      }),
  )
  const adjusted = adjustAll(raw.flatMap(({ tests }) => tests))
  let from = 0
  return raw.map(({ names, broken, unpaired, isAlike, tests }) => {
    const own = adjusted.slice(from, from + tests.length).map((test) => (isAlike ? asOneTry(test) : test))
    from += tests.length
    return { ...names, broken, unpaired, tests: own }
  })
}

function asOneTry(test: PairedTest): PairedTest {
  return { ...test, tries: [Math.min(1, test.tries[0]), Math.min(1, test.tries[1])] }
}
