import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { createLineCheck } from './check-lines.ts'
import { createEdits } from './edits.ts'
import type { Edits } from './edits.ts'
import { cannotRead, fileLines, refusePipe } from './file-lines.ts'
import { isTorn } from './journal-index.ts'
import { checkLength, readManifestIn, RESULT_FILES, RUN_FILES } from './open-run.ts'
import type { OpenOptions } from './open-run.ts'
import { firstSeal } from './sealed-line.ts'
import type { ResultSums } from '../trace/run-manifest.ts'

/** What the check sums of a run folder say. */
export interface Verified {
  /** What was changed by hand, and accepted. */
  readonly edited: readonly string[]
  /** Whether some files carry none, as in runs from before there were any. */
  readonly isUnsealed: boolean
  /** Whether a process was killed while it wrote `episodes.jsonl` and `summary.json`: only `turns.jsonl` counts. */
  readonly isInterrupted: boolean
}

/**
 * Compares the files of a run folder with their check sums without reading what they say; for callers that go by its summary.
 * Files that are missing are left to the caller; null where the folder has no `run.json`.
 *
 * @throws RunError naming file and line for a change that was not accepted
 */
export function verifyRun(folder: string, { acceptEdited = false }: OpenOptions = {}): Verified | null {
  if (!existsSync(join(folder, RUN_FILES.manifest))) return null
  const { manifest, isAsWritten } = readManifestIn(folder)
  const { sums, results } = manifest
  const edits = createEdits(folder, { marked: manifest.edited ?? [], acceptsAll: acceptEdited })
  if (!isAsWritten) edits.found(`${RUN_FILES.manifest} is not as it was written`)
  const isInterrupted = results === null && existsSync(join(folder, RESULT_FILES.episodes))
  if (sums === undefined) return { edited: edits.accepted(), isUnsealed: true, isInterrupted }
  const path = join(folder, RUN_FILES.journal)
  if (existsSync(path)) {
    const lines = createLineCheck(RUN_FILES.journal, firstSeal(manifest.config), edits)
    // The last line may be in flight, or torn; in the middle, the number of the next one shows that one is missing.
    for (const line of fileLines(path)) if (!isTorn(line)) lines.open(line.text, line.number)
    checkLength(manifest, lines.seal().line, edits)
  }
  if (results !== undefined && results !== null) checkResults(folder, results, edits)
  return { edited: edits.accepted(), isUnsealed: results === undefined, isInterrupted }
}

function checkResults(folder: string, results: ResultSums, edits: Edits): void {
  for (const [name, file] of [
    ['episodes', RESULT_FILES.episodes],
    ['summary', RESULT_FILES.summary],
  ] as const) {
    const path = join(folder, file)
    if (existsSync(path) && fileSha256(path) !== results[name]) edits.found(`${file} is not as it was written`, RESCORE)
  }
}

const RESCORE = `Put back what was there, or write it again from ${RUN_FILES.journal}: callspec rescore RUN.`

const CHUNK = 1 << 16

/** Memory does not grow with the file. */
function fileSha256(path: string): string {
  refusePipe(path, 'Remove it')
  const [hash, bytes] = [createHash('sha256'), Buffer.allocUnsafe(CHUNK)]
  try {
    const file = openSync(path, 'r')
    try {
      for (let read = readSync(file, bytes); read > 0; read = readSync(file, bytes))
        hash.update(bytes.subarray(0, read))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    throw cannotRead(path, error)
  }
  return hash.digest('hex')
}
