import { readFileSync } from 'node:fs'
import { BUILT_IN_SUITE } from '../suite/read-suite.ts'

/** A call of a reference plan. */
export interface PlannedCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** How a task is solved. Only simulated models read this: a runner or scorer that did would mark its own work. */
export interface Reference {
  readonly task: string
  readonly lang: 'en' | 'zh'
  readonly query: string
  readonly tools: readonly string[]
  /** Outer list: turns; inner: calls of the same turn. */
  readonly plan: readonly (readonly PlannedCall[])[]
  /** The recorded result of every planned call, flat. */
  readonly observations: readonly string[]
  readonly final: string
}

interface Row {
  readonly id: string
  readonly lang: 'en' | 'zh'
  readonly query: string
  readonly tools: readonly string[]
  readonly reference: Pick<Reference, 'plan' | 'observations' | 'final'>
}

/** The reference plans of the built-in suite, in its order. */
export function loadReferences(): readonly Reference[] {
  const file = JSON.parse(readFileSync(BUILT_IN_SUITE, 'utf8')) as { readonly tasks: readonly Row[] }
  return file.tasks.map((row) => ({
    task: row.id,
    lang: row.lang,
    query: row.query,
    tools: row.tools,
    ...row.reference,
  }))
}
