import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { messageOf, systemCode, UsageError } from './usage-error.ts'

/**
 * Makes a folder and those above it that are missing. One by one: the recursive `mkdir` of Node never comes back from some
 * file systems, /proc among them.
 *
 * @throws UsageError that names the first folder that cannot be made
 */
export async function makeFolders(path: string): Promise<void> {
  const missing: string[] = []
  let folder = resolve(path)
  while (!(await exists(folder)) && dirname(folder) !== folder) {
    missing.push(folder)
    folder = dirname(folder)
  }
  for (const each of missing.toReversed()) await makeFolder(each)
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path)
  } catch (error) {
    const code = systemCode(error)
    // Somebody else has made it in the meantime.
    if (code !== 'EEXIST') throw new UsageError(`${path}: the folder cannot be made (${code ?? messageOf(error)})`)
  }
}

/** A file that is in the way counts: what is made below it says so. */
async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
