import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { addProtocol, RunError } from '@callspec/eval'
import type { FormatModule, Protocol } from '@callspec/eval'
import type { Format } from '@callspec/core'
import { objectIn } from '../json-object.ts'
import { chooseModule } from '../formats.ts'
import type { Output } from '../output.ts'
import { UsageError } from '../usage-error.ts'

/** Formats of the user by their ids, which are their protocols: what eval and the simulated models are told. */
const own = new Map<Protocol, Format>()

/** The format of the user behind a protocol; null for one of callspec's. */
export function ownFormat(protocol: Protocol): Format | null {
  return own.get(protocol) ?? null
}

/**
 * Loads modules, so that their formats are protocols of this process.
 *
 * @throws UsageError for a module without a format that can be asked for, and for two with one id
 */
export async function loadModules(paths: readonly string[]): Promise<Readonly<Record<Protocol, FormatModule>>> {
  const found = new Map<Protocol, FormatModule>()
  for (const path of new Set(paths)) {
    const { id, module } = await loadModule(path)
    const other = found.get(id)
    if (other !== undefined) throw new UsageError(`${other.path} and ${path} are both the format ${id}: rename one.`)
    found.set(id, module)
  }
  return Object.fromEntries(found)
}

async function loadModule(path: string): Promise<{ readonly id: Protocol; readonly module: FormatModule }> {
  const chosen = await chooseModule(path, null)
  if (chosen.kind === 'module')
    throw new UsageError(
      `${path}: a format of "render" and "parse" cannot be asked for. Export one with "grammar", "spelling" and "prompt".`,
    )
  const { format } = chosen
  if (format.prompt === null)
    throw new UsageError(
      `${path}: the format ${format.id} has no prompt; it can only be read, such as by callspec score.`,
    )
  own.set(protocolOf(format, path), format)
  return { id: format.id, module: { path, sha256: await hashOf(path) } }
}

/** @throws UsageError for a format with the id of one of callspec's */
export function protocolOf(format: Format, path: string): Protocol {
  try {
    return addProtocol(format)
  } catch (error) {
    throw error instanceof RunError ? new UsageError(`${path}: ${error.message}.`) : error
  }
}

/** Of a file that is there; empty for one that is not, which the import says better. */
async function hashOf(path: string): Promise<string> {
  const bytes = await readFile(path).catch(() => null)
  return bytes === null ? '' : createHash('sha256').update(bytes).digest('hex')
}

/**
 * Loads the modules that a run was played with. A folder that is none is left to whoever opens it.
 *
 * @param how.whenChanged is told the path of a module that is another one now
 * @throws UsageError for a module that is gone, or whose format has another id now
 */
export async function loadModulesOf(
  folder: string,
  { whenChanged }: { readonly whenChanged: (path: string) => void },
): Promise<void> {
  for (const [id, { path, sha256 }] of await recorded(folder)) {
    if (isInside(folder, path)) throw new UsageError(`${path}: lies in the run folder, and a run brings no code along.`)
    const hash = await hashOf(path)
    if (hash !== '' && hash !== sha256) whenChanged(path)
    const { id: now } = await loadModule(path)
    if (now !== id) throw new UsageError(`${path}: is the format ${now} now; ${folder} was played with ${id}.`)
  }
}

function isInside(folder: string, path: string): boolean {
  const way = relative(resolve(folder), resolve(path))
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** What stands in `run.json`, which is checked as a whole where it is opened. */
async function recorded(folder: string): Promise<readonly (readonly [Protocol, FormatModule])[]> {
  const text = await readFile(join(folder, 'run.json'), 'utf8').catch(() => '{}')
  const modules: unknown = objectIn(text)?.['modules']
  if (typeof modules !== 'object' || modules === null) return []
  return Object.entries(modules).filter((entry): entry is [Protocol, FormatModule] => isModule(entry[1]))
}

function isModule(value: unknown): boolean {
  const { path, sha256 } = (value ?? {}) as Partial<Record<keyof FormatModule, unknown>>
  return typeof path === 'string' && typeof sha256 === 'string'
}

/** For what goes on with a run: its two halves would be two formats. */
export function refuseChanged(folder: string): (path: string) => void {
  return (path) => {
    throw new UsageError(`${path} has changed since ${folder} was begun with it. Put it back, or start a new run.`)
  }
}

/** For what reads a run again. */
export function warnOfChanged(output: Output): (path: string) => void {
  return (path) =>
    output.warn(`${path} has changed since the run was played with it: replies are read with it as it is`)
}
