import { access, constants, mkdir, open, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { lengthOf } from './create-writer.ts'
import type { OpenNew } from './create-writer.ts'

const OWNER_ONLY_FOLDER = 0o700
const OWNER_ONLY_FILE = 0o600

/**
 * Makes the folder of a recording, for its owner alone. One that is there keeps its rights.
 *
 * @returns whether others can look into it
 * @throws the system's error for what is no folder, and for one that cannot be written
 */
export async function createFolder(folder: string): Promise<{ readonly isOpenToOthers: boolean }> {
  await mkdir(folder, { mode: OWNER_ONLY_FOLDER }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  })
  const found = await stat(folder)
  if (!found.isDirectory()) throw Object.assign(new Error(`${folder} is no folder`), { code: 'ENOTDIR' })
  const { mode } = found
  await access(folder, constants.W_OK)
  return { isOpenToOthers: process.platform !== 'win32' && (mode & 0o077) !== 0 }
}

/** Makes files of a recording in a folder, for its owner alone. None that is there is written into. */
export function openNewIn(folder: string): OpenNew {
  return async (name) => {
    // A umask only takes rights away, so nobody else can read it from its beginning on.
    const handle = await open(join(folder, name), 'wx', OWNER_ONLY_FILE)
    return { write: (parts) => writeParts(handle, parts), close: () => handle.close() }
  }
}

/** A disk that is nearly full takes a part of it first, and says only then that it has no room. */
async function writeParts(handle: FileHandle, parts: readonly Uint8Array[]): Promise<void> {
  const { bytesWritten } = await handle.writev(parts)
  const rest = Buffer.concat(bytesWritten < lengthOf(parts) ? parts : []).subarray(bytesWritten)
  if (rest.length > 0) await handle.appendFile(rest)
}
