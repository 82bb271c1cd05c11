import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { messageOf, UsageError } from './usage-error.ts'

/** What a module of the user exports, by name. */
export type ModuleExports = Readonly<Record<string, unknown>>

/** Whether a name on the command line means a file: it has a slash, or the ending of a module. */
export function isModulePath(name: string): boolean {
  return new RegExp(MODULE_PATH).test(name)
}

/** Whether a file is code by its name: importing it runs it. */
export function isCodeFile(path: string): boolean {
  return /\.[cm]?[jt]s$/.test(path)
}

/** What such a name looks like, as a regular expression. */
export const MODULE_PATH = '[\\\\/]|\\.[cm]?[jt]s$'

/**
 * Imports a module of the user; the path is relative to where the program was started. TypeScript is transpiled without a
 * look at its types, because Node 20 cannot do so by itself; in it, `callspec` is this program, installed or not.
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
    return await (/\.[cm]?ts$/.test(file) ? importTypeScript(file) : importJavaScript(file))
  } catch (error) {
    throw new UsageError(`${path}: cannot be imported: ${messageOf(error)}`)
  }
}

/** When each module was changed last, as it was when it was imported first. */
const firstTimes = new Map<string, number>()

/** Node keeps a module for ever; one that has changed gets an address of its own. What it imports itself stays as it was. */
async function importJavaScript(file: string): Promise<ModuleExports> {
  const { mtimeMs } = await stat(file)
  const url = pathToFileURL(file)
  const first = firstTimes.get(file) ?? mtimeMs
  firstTimes.set(file, first)
  if (mtimeMs !== first) url.searchParams.set('changed', String(mtimeMs))
  return import(url.href) as Promise<ModuleExports>
}

/** One way on every version of Node: what 22.18 and later do themselves differs in what it can transpile. */
async function importTypeScript(file: string): Promise<ModuleExports> {
  const { createJiti } = await import('jiti')
  const own = new URL(import.meta.url.endsWith('.ts') ? './index.ts' : './index.js', import.meta.url)
  const jiti = createJiti(import.meta.url, {
    // Nothing is left behind, and a file that changed is read again.
    fsCache: false,
    moduleCache: false,
    interopDefault: false,
    alias: { callspec: fileURLToPath(own) },
  })
  return jiti.import<ModuleExports>(file)
}

/** `render, other` for an error message; what a module without exports has is said too. */
export function exportsOf(found: ModuleExports): string {
  const names = Object.keys(found)
  return names.length === 0 ? 'It exports nothing.' : `It exports: ${names.join(', ')}.`
}
