import { readSummary } from '@callspec/eval'
import type { FinishedRun } from './reporters/report-text.ts'

/**
 * Reads what a run folder says that its run came to.
 *
 * @throws RunError for a folder whose run has not ended, and for one of a version that this program does not know
 */
export function readRun(folder: string): FinishedRun {
  return { folder, summary: readSummary(folder), leftOut: [] }
}
