import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { messageOf, systemCode, UsageError } from './usage-error.ts'

/**
 * Writes a whole file or nothing: the data goes into a temporary file beside it, which then takes its name. A symbolic
 * link stays one; a pipe or a device is written directly. Folders are not made: a misspelt one should not come into
 * being.
 *
 * @throws UsageError that names the path
 */
export async function writeFileAtomically(path: string, data: string | Uint8Array): Promise<void> {
  const known = await stat(path).catch(() => null)
  if (known?.isDirectory() === true) throw new UsageError(`${path}: is a folder. Name a file.`)
  if (known !== null && !known.isFile()) return cannotWrite(path, writeFile(path, data))
  const target = known === null ? path : await realpath(path)
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`)
  const replace = async (): Promise<void> => {
    try {
      await writeFile(temporary, data, { flag: 'wx' })
      await rename(temporary, target)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
  }
  return cannotWrite(path, replace())
}

async function cannotWrite(path: string, work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (error) {
    const code = systemCode(error)
    const what = code === 'ENOENT' ? 'the folder does not exist' : (code ?? messageOf(error))
    throw new UsageError(`${path}: cannot be written (${what})`)
  }
}
