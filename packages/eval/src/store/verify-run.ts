import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createLineCheck } from './check-lines.ts'
import { createEdits } from './edits.ts'
import { fileLines } from './file-lines.ts'
import { isTorn } from './journal-index.ts'
import { checkLength, readManifestIn, RUN_FILES } from './open-run.ts'
import type { OpenOptions } from './open-run.ts'
import { firstSeal } from './sealed-line.ts'

/** What the check sums of a run folder say. */
export interface Verified {
  /** What was changed by hand, and accepted. */
  readonly edited: readonly string[]
  /** Whether it carries none, as runs from before there were any. */
  readonly isUnsealed: boolean
}

/**
 * Holds the files of a run folder against their check sums without reading what they say; for those who go by its summary.
 * A folder that lacks them is none of its business.
 *
 * @throws RunError naming file and line for a change that nobody has accepted
 */
export function verifyRun(folder: string, { acceptEdited = false }: OpenOptions = {}): Verified | null {
  const path = join(folder, RUN_FILES.journal)
  if (!existsSync(join(folder, RUN_FILES.manifest)) || !existsSync(path)) return null
  const { manifest, isAsWritten } = readManifestIn(folder)
  const edits = createEdits(folder, { marked: manifest.edited ?? [], acceptsAll: acceptEdited })
  if (!isAsWritten) edits.found(`${RUN_FILES.manifest} is not as it was written`)
  if (manifest.sums === undefined) return { edited: edits.accepted(), isUnsealed: true }
  const lines = createLineCheck(RUN_FILES.journal, firstSeal(manifest.config), edits)
  // The last line may be under way, or torn; in the middle, the number of the next one tells that one is missing.
  for (const line of fileLines(path)) if (!isTorn(line)) lines.open(line.text, line.number)
  checkLength(manifest, lines.seal().line, edits)
  return { edited: edits.accepted(), isUnsealed: false }
}
