import type { EpisodeOutcome } from '../paired/outcome.ts'

/** The episodes of one model under one format. */
export interface OutcomeRow {
  readonly model: string
  readonly protocol: string
  readonly outcomes: readonly EpisodeOutcome[]
}

/** Rows of two runs that are compared, and those without a partner. */
export interface MatchedRows {
  readonly matched: readonly { readonly before: OutcomeRow; readonly after: OutcomeRow }[]
  readonly onlyBefore: readonly OutcomeRow[]
  readonly onlyAfter: readonly OutcomeRow[]
}

/** Outcomes by model and format, in the order in which these first appear. */
export function rowsOf(outcomes: readonly EpisodeOutcome[]): readonly OutcomeRow[] {
  const rows = new Map<string, OutcomeRow & { readonly outcomes: EpisodeOutcome[] }>()
  for (const outcome of outcomes) {
    const { model, protocol } = outcome
    const key = JSON.stringify([model, protocol])
    const row = rows.get(key) ?? { model, protocol, outcomes: [] }
    row.outcomes.push(outcome)
    rows.set(key, row)
  }
  return [...rows.values()]
}

/**
 * Matches rows of the same model and format. Of what is left, one model on each side may have another name (a new
 * version), and then formats are matched; a single row on each side is always matched.
 */
export function matchRows(before: readonly OutcomeRow[], after: readonly OutcomeRow[]): MatchedRows {
  const steps: readonly ((one: OutcomeRow, other: OutcomeRow, left: Left) => boolean)[] = [
    (one, other) => one.model === other.model && one.protocol === other.protocol,
    (one, other, { before: rest, after: others }) =>
      oneModel(rest) && oneModel(others) && one.protocol === other.protocol,
    (_, __, { before: rest, after: others }) => rest.length === 1 && others.length === 1,
  ]
  const matched: { readonly before: OutcomeRow; readonly after: OutcomeRow }[] = []
  let left: Left = { before, after }
  for (const fits of steps) {
    const current = left
    const pairs = current.before.flatMap((one) => {
      const other = current.after.find((candidate) => fits(one, candidate, current))
      return other === undefined ? [] : [{ before: one, after: other }]
    })
    matched.push(...pairs)
    left = {
      before: current.before.filter((row) => !pairs.some((pair) => pair.before === row)),
      after: current.after.filter((row) => !pairs.some((pair) => pair.after === row)),
    }
  }
  return { matched, onlyBefore: left.before, onlyAfter: left.after }
}

interface Left {
  readonly before: readonly OutcomeRow[]
  readonly after: readonly OutcomeRow[]
}

function oneModel(rows: readonly OutcomeRow[]): boolean {
  return new Set(rows.map(({ model }) => model)).size === 1
}
