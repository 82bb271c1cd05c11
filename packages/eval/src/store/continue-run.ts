import { reopenRunFolder } from './run-folder.ts'
import type { RunFolder } from './run-folder.ts'
import type { JournalSystem } from './journal.ts'
import { lockFolder } from './lock.ts'
import { planDifferences } from './manifest.ts'
import { manifestIn, openRun } from './open-run.ts'
import type { OpenOptions, StoredRun } from './open-run.ts'
import { RunError } from '../trace/run-error.ts'
import type { RunManifest } from '../trace/run-manifest.ts'

/** A run folder that was read and can be written. Close both. */
export interface ContinuedRun {
  readonly folder: RunFolder
  readonly stored: StoredRun
}

/** How a run folder is opened. */
export interface ContinueOptions extends OpenOptions {
  /** What is to be played; absent: what the folder says. */
  readonly wanted?: RunManifest
  readonly system?: JournalSystem | undefined
}

/**
 * Opens a run folder to go on with it. Nobody else can write it until it is closed.
 *
 * @throws RunError when it is no run folder, is being written, or holds another plan than the wanted one
 */
export function continueRun(path: string, { wanted, system, ...opening }: ContinueOptions = {}): ContinuedRun {
  // A lock in a folder that is none would help nobody.
  manifestIn(path)
  const lock = lockFolder(path)
  try {
    const stored = openRun(path, opening)
    if (wanted !== undefined) checkPlan(stored, wanted)
    const folder = reopenRunFolder(stored, { lock, ...(system === undefined ? {} : { system }) })
    if (stored.isNewlyEdited) folder.writeManifest({})
    return { folder, stored }
  } catch (error) {
    lock.release()
    throw error
  }
}

function checkPlan({ folder, manifest }: StoredRun, wanted: RunManifest): void {
  const differences = planDifferences(manifest, wanted)
  if (differences.length === 0) return
  throw new RunError(`${folder} cannot go on, the plan is another one: ${differences.join('; ')}. Start a new run.`)
}
