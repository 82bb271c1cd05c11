import { access, readFile, stat } from 'node:fs/promises'
import { systemCode, UsageError } from './usage-error.ts'

/** Whether there is something of that name. */
export async function exists(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch (error) {
    // What is there and cannot be looked at is told when it is read.
    return systemCode(error) !== 'ENOENT'
  }
}

/** The text of a regular file; null for anything else, such as a pipe, which would be waited for without end. */
export async function textOfFile(path: string): Promise<string | null> {
  try {
    return (await stat(path)).isFile() ? await readFile(path, 'utf8') : null
  } catch {
    return null
  }
}

/**
 * Refuses a pipe, a socket or a device that is found in a folder, also through a symbolic link: reading it may never end. A file that
 * the user names may be a pipe.
 *
 * @throws UsageError for such a file
 */
export async function refusePipe(path: string): Promise<void> {
  const found = await stat(path).catch(() => null)
  if (found === null || found.isFile() || found.isDirectory()) return
  throw new UsageError(`${path}: is not a regular file and was not read. Remove it.`)
}
