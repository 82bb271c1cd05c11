import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { messageOf, UsageError } from './usage-error.ts'

/** What a module of the user exports, by name. */
export type ModuleExports = Readonly<Record<string, unknown>>

/** Whether a name on the command line means a file: it has a slash, or the ending of a module. */
export function isModulePath(name: string): boolean {
  return /[\\/]/.test(name) || /\.[cm]?[jt]s$/.test(name)
}

/**
 * Imports a module of the user; the path is relative to where the program was started.
 *
 * @throws UsageError for a file that is missing, or that throws while it is being imported
 */
export async function importModule(path: string): Promise<ModuleExports> {
  const file = resolve(path)
  const exists = await stat(file).then(
    (found) => found.isFile(),
    () => false,
  )
  if (!exists) throw new UsageError(`${path}: no such file. Give the path of a JavaScript module.`)
  try {
    return (await import(pathToFileURL(file).href)) as ModuleExports
  } catch (error) {
    throw new UsageError(`${path}: cannot be imported: ${messageOf(error)}`)
  }
}

/** `render, other` for an error message; what a module without exports has is said too. */
export function exportsOf(found: ModuleExports): string {
  const names = Object.keys(found)
  return names.length === 0 ? 'It exports nothing.' : `It exports: ${names.join(', ')}.`
}
