import { InputError } from '@callspec/core'

import type { Case } from './case.ts'
import { readText } from './read-text.ts'

/** Cases that are known to fail, with the reason why. */
export interface KnownFailures {
  /** The reason, or null for a case that is not listed. */
  reason(item: Pick<Case, 'id'>): string | null
  /** Listed ids that no case had, once all cases have been asked for. */
  unused(): readonly string[]
}

/** No case is known to fail. */
export const NONE_KNOWN: KnownFailures = { reason: () => null, unused: () => [] }

/**
 * Reads a list of known failures: one case id per line, under comment lines (`# …`) that give the reason, best with the
 * URL of an issue. A reason holds for the ids below it, until the next comment or empty line.
 *
 * @throws InputError naming file and line: an id without reason, an id listed twice
 */
export async function readKnownFailures(path: string): Promise<KnownFailures> {
  const reasons = new Map<string, string>()
  const used = new Set<string>()
  let reason: string[] = []
  let isReasonOpen = false
  for (const [at, line] of (await readText(path)).split(/\r?\n/).entries()) {
    const text = line.trim()
    if (text === '') reason = []
    else if (text.startsWith('#')) reason = [...(isReasonOpen ? reason : []), text.replace(/^#+\s*/, '')]
    else addTo(reasons, { id: text, reason, where: `${path}:${at + 1}` })
    isReasonOpen = text.startsWith('#')
  }
  return {
    reason: ({ id }) => {
      const listed = reasons.get(id) ?? null
      // Memory grows with the list, not with the cases.
      if (listed !== null) used.add(id)
      return listed
    },
    unused: () => [...reasons.keys()].filter((id) => !used.has(id)),
  }
}

/** The text of a list of known failures, in the form in which it is read. */
export function knownFailuresText(about: string, groups: ReadonlyMap<string, readonly string[]>): string {
  const parts = [...groups].map(([reason, ids]) => `# ${reason}\n${ids.join('\n')}\n`)
  return [`# ${about}\n`, ...parts].join('\n')
}

function addTo(
  reasons: Map<string, string>,
  { id, reason, where }: { id: string; reason: readonly string[]; where: string },
): void {
  if (reason.length === 0) {
    throw new InputError(where, `lists "${id}" without a reason. Write one above it, as a line that begins with #.`)
  }
  if (reasons.has(id)) throw new InputError(where, `lists "${id}" a second time.`)
  reasons.set(id, reason.join(' '))
}
