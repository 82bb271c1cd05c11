import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SUMMARY_SCHEMA } from '@callspec/eval'
import type { EvalSummary } from '@callspec/eval'
import { systemCode, UsageError } from '../usage-error.ts'
import { REPORT_FILES } from './reporters/report-text.ts'
import type { FinishedRun } from './reporters/report-text.ts'

/**
 * Reads what a run folder says that its run came to.
 *
 * @throws UsageError for a folder whose run has not ended, and for one of a version that this program does not know
 */
export async function readRun(folder: string): Promise<FinishedRun> {
  const path = join(folder, REPORT_FILES.json)
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT')
      throw new UsageError(`${path} cannot be read (${systemCode(error) ?? 'unreadable'})`)
    throw new UsageError(
      `${folder} has no summary.json: the run has not ended. Go on with callspec eval --resume ${folder}.`,
    )
  })
  return { folder, summary: asSummary(parsed(text, path), path), leftOut: [] }
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`${path} is no JSON. callspec rescore writes it anew.`)
  }
}

function asSummary(value: unknown, path: string): EvalSummary {
  const record = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
  const version = record['schema'] ?? record['version']
  if (record['schema'] === SUMMARY_SCHEMA) return value as EvalSummary
  const said = version === undefined ? 'names no version' : `is of version ${JSON.stringify(version)}`
  throw new UsageError(
    `${path} ${said}; this program reads version ${SUMMARY_SCHEMA}. callspec rescore writes it anew.`,
  )
}
