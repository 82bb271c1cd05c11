import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** An empty folder that is gone after the test, with these files in it. */
export function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'callspec-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, data] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), data)
  }
  return folder
}

/** The names of everything in a folder, hidden files too. */
export function namesIn(folder: string): readonly string[] {
  return readdirSync(folder).toSorted()
}
