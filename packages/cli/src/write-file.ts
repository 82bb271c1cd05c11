import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { messageOf, systemCode, UsageError } from './usage-error.ts'

/**
 * Writes a whole file or nothing: the data goes into a temporary file beside it, which then takes its name.
 *
 * Missing folders are made. A place that cannot be written to is a UsageError that names it.
 */
export async function writeFileAtomically(path: string, data: string | Uint8Array): Promise<void> {
  const folder = dirname(path)
  const temporary = join(folder, `.${basename(path)}.${process.pid}.tmp`)
  try {
    await mkdir(folder, { recursive: true })
    await writeFile(temporary, data, { flag: 'wx' })
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw new UsageError(`${path}: cannot be written (${systemCode(error) ?? messageOf(error)})`)
  }
}
