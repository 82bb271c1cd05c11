import { access, readFile, stat } from 'node:fs/promises'
import { systemCode } from './usage-error.ts'

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
