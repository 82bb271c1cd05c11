import type { Format } from '@callspec/core'
import type { FormatName, Suite } from '@callspec/eval'
import { formatsWith, injectionReferences, withForgedTexts } from '@callspec/eval'
import type { Reference } from '@callspec/sim'
import { readReferences } from '@callspec/sim'
import type { LoadedSuite } from './suite-file.ts'

/** The formats of a run, the user's own among them. */
export interface RunFormats {
  readonly formats: readonly FormatName[]
  readonly ownFormats: readonly Format[]
}

/** A suite with forged texts for the formats of a run, and how simulated models solve it; any other suite unchanged. */
export function withForged(loaded: LoadedSuite, { formats, ownFormats }: RunFormats): LoadedSuite {
  if (!hasForgedTexts(loaded.suite)) return loaded
  const suite = withForgedTexts(loaded.suite, { formats, table: formatsWith(ownFormats) })
  return { suite, references: forgedReferences(suite) }
}

export function hasForgedTexts({ tasks }: Suite): boolean {
  return tasks.some(({ injection }) => injection !== undefined)
}

/** How simulated models solve a suite with forged texts. */
export function forgedReferences(suite: Suite): readonly Reference[] {
  const plans = injectionReferences(suite)
  return readReferences({
    tools: Object.fromEntries([...suite.tools].map(([name, { en }]) => [name, en])),
    tasks: suite.tasks.map((task) => ({ ...task, reference: plans.get(task.id) })),
  })
}
