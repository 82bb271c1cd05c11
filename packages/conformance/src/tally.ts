import { METAGPT_PROFILE_NAMES } from '@callspec/metagpt'
import { PROFILE_NAMES } from '@callspec/core/qwen-agent'

import { isCoarse } from './protocol/coarse-operation.ts'
import type { CaseResult, VerdictKind } from './run-suite.ts'

/** How many cases got which verdict. */
export type Counts = Readonly<Record<VerdictKind, number>>

/** Counts per operation and profile, filled while the results come in. Memory grows with operations, not with cases. */
export interface Tally {
  add(result: CaseResult): void
  total(): Counts
  /** Operations in alphabetical order; those that several formats share with the format in front. */
  operations(): readonly string[]
  /** Known profiles newest first, then the others. */
  profiles(): readonly string[]
  /** null where there was no case. */
  at(place: { readonly op: string; readonly profile: string }): Counts | null
}

/** A tally without any case. */
export function createTally(): Tally {
  const cells = new Map<string, Map<string, Record<VerdictKind, number>>>()
  const sum = noCounts()
  return {
    add({ case: { op: name, format, profile }, verdict }) {
      const op = isCoarse(name) && format !== undefined ? `${format} ${name}` : name
      const row = cells.get(op) ?? new Map<string, Record<VerdictKind, number>>()
      const cell = row.get(profile) ?? noCounts()
      cells.set(op, row.set(profile, cell))
      cell[verdict.kind] += 1
      sum[verdict.kind] += 1
    },
    total: () => ({ ...sum }),
    operations: () => [...cells.keys()].sort(),
    profiles: () => inOrder(new Set([...cells.values()].flatMap((row) => [...row.keys()]))),
    at: ({ op, profile }) => cells.get(op)?.get(profile) ?? null,
  }
}

/** `passed, failed, errored, skipped` in one line, as the last line of a run says it. */
export function totalLine({ passed, failed, errored, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${errored} errored, ${skipped} skipped`
}

const KNOWN_PROFILES: readonly string[] = [...PROFILE_NAMES, ...METAGPT_PROFILE_NAMES.map((name) => `metagpt@${name}`)]

function noCounts(): Record<VerdictKind, number> {
  return { passed: 0, failed: 0, errored: 0, skipped: 0 }
}

function inOrder(profiles: ReadonlySet<string>): readonly string[] {
  const known = KNOWN_PROFILES.filter((name) => profiles.has(name))
  return [...known, ...[...profiles].filter((name) => !KNOWN_PROFILES.includes(name)).sort()]
}
