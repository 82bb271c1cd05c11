import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createFolder, openNewIn } from '../../src/record/create-writer.ts'
import { createRecorder } from '../../src/record/recorder.ts'
import type { Recorder, RecorderOptions } from '../../src/record/recorder.ts'

/** A recorder for one test, the new folder that it writes, and what it complains of. */
export async function testRecorder(options: Partial<RecorderOptions>): Promise<{
  readonly folder: string
  readonly recorder: Recorder
  readonly troubles: readonly string[]
}> {
  const folder = join(mkdtempSync(join(tmpdir(), 'callspec-record-')), 'traffic')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  await createFolder(folder)
  const troubles: string[] = []
  const onTrouble = (message: string): void => void troubles.push(message)
  return { folder, troubles, recorder: createRecorder({ openNew: openNewIn(folder), onTrouble, ...options }) }
}
