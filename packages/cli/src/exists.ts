import { access } from 'node:fs/promises'
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
