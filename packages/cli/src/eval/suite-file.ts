import { basename, dirname, join } from 'node:path'
import type { Suite, SuiteDefinition } from '@callspec/eval'
import { INJECTION_SUITE, loadBuiltInSuite, loadInjectionSuite, makeSuite, SuiteError } from '@callspec/eval'
import type { Reference } from '@callspec/sim'
import { readReferences } from '@callspec/sim'
import { exportsOf, importModule } from '../found-files.ts'
import { isCodeFile, readSource } from '../input-file.ts'
import { UsageError } from '../usage-error.ts'
import type { PlaceOf } from './config/read-config.ts'
import type { OfferedTools } from './tool-tasks.ts'
import { faultError } from './config/read-config.ts'

/** A suite, and how simulated models solve it. */
export interface LoadedSuite {
  readonly suite: Suite
  /** Null for the built-in suite, which they know. */
  readonly references: readonly Reference[] | null
}

export interface SuiteReading {
  /** Whether `toolsModule` is imported. Otherwise only the names of its tools are known, enough to count requests. */
  readonly loadsTools: boolean
  /**
   * Called before a module is imported; throws if it must not be.
   *
   * @param suite the suite that names it; null for the suite itself
   */
  readonly admit: (module: string, suite: string | null) => Promise<void>
  /** Tools of --tools or --mcp; absent without these options. */
  readonly offered?: OfferedTools | null
}

/** For a suite named on the command line. */
export const NAMED_SUITE: SuiteReading = { loadsTools: true, admit: () => Promise.resolve() }

/**
 * Reads a suite: a module (`*.eval.ts` and the like), or data in any form that `readTaskFile` reads.
 * Null gives the built-in one, and so does its name, `built-in`; `injection` is the suite with forged texts.
 *
 * @throws UsageError with file and line at the first mistake
 */
export async function readSuiteFile(path: string | null, reading: SuiteReading = NAMED_SUITE): Promise<LoadedSuite> {
  const { offered = null } = reading
  if (path === null && offered !== null) {
    const { source } = offered
    const { suiteOfTools } = await import('./tool-tasks.ts')
    return suiteFrom(suiteOfTools(offered), {
      path: source,
      place: () => source,
      reading: { ...reading, offered: null },
    })
  }
  const isBuiltIn = path === null || path === 'built-in'
  if (offered !== null && (isBuiltIn || path === INJECTION_SUITE))
    throw new UsageError(
      `${offered.source}: the suite ${path ?? ''} has its own tools. Name tasks of your own, or leave --suite out.`,
    )
  if (isBuiltIn) return { suite: loadBuiltInSuite(), references: null }
  if (path === INJECTION_SUITE) return { suite: loadInjectionSuite(), references: null }
  if (isCodeFile(path)) {
    await reading.admit(path, null)
    const found = await importModule(path)
    const value = found['default'] ?? found['suite']
    if (value !== undefined) return suiteFrom(value, { path, place: () => path, reading })
    throw new UsageError(`${path}: exports no suite. Write "export default defineSuite({ … })". ${exportsOf(found)}`)
  }
  // Loaded only for a suite in a file.
  const { readTaskFile } = await import('../tasks/read-tasks.ts')
  const { definition, place, faults } = await readTaskFile(await readSource(path))
  const [fault] = faults
  if (fault === undefined) return suiteFrom(definition, { path, place, reading })
  const all = faults.length === 1 ? '' : ` callspec tasks check ${path} lists ${faults.length} faults.`
  throw new UsageError(`${fault.place}: ${fault.message}.${all}`)
}

/** The suite of a value in a file, with the module that it may name. */
export async function suiteFrom(
  written: unknown,
  { path, place, reading }: { readonly path: string; readonly place: PlaceOf; readonly reading: SuiteReading },
): Promise<LoadedSuite> {
  const value = await withOffered(written, reading)
  const name = basename(path).replace(/(?:\.eval)?\.[^.]+$/, '')
  try {
    const suite = makeSuite(value, { name, ...(await moduleTools(value, path, reading)) })
    return { suite, references: referencesOf(value, suite) }
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error
    throw faultError(
      { path: error.path, message: error.reason, ...(error.unknown === undefined ? {} : { unknown: error.unknown }) },
      place,
    )
  }
}

/** The tools are loaded only where they are given. */
async function withOffered(value: unknown, { offered = null }: SuiteReading): Promise<unknown> {
  if (offered === null) return value
  const { withOfferedTools } = await import('./tool-tasks.ts')
  return withOfferedTools(value, offered)
}

/** The tools of --tools or --mcp; null without either. @throws UsageError */
export async function offeredBy(given: {
  readonly tools: string | null
  readonly mcp: string | null
}): Promise<OfferedTools | null> {
  if (given.tools === null && given.mcp === null) return null
  const { readOfferedTools } = await import('./tool-tasks.ts')
  return readOfferedTools(given)
}

function referencesOf(value: unknown, { tools, tasks }: Suite): readonly Reference[] {
  const written = (value as SuiteDefinition).tasks
  const rows = tasks.map((task, index) => ({ ...task, reference: written[index]?.reference }))
  return readReferences({ tools: Object.fromEntries([...tools].map(([name, { en }]) => [name, en])), tasks: rows })
}

async function moduleTools(
  value: unknown,
  path: string,
  { loadsTools, admit }: SuiteReading,
): Promise<{ readonly moduleTools?: unknown }> {
  const named = (value as { readonly toolsModule?: unknown } | null)?.toolsModule
  if (typeof named !== 'string') return {}
  if (!loadsTools) return { moduleTools: unloadedTools(value) }
  const file = join(dirname(path), named)
  await admit(file, path)
  const found = await importModule(file)
  const tools = found['tools'] ?? found['default']
  if (tools !== undefined) return { moduleTools: tools }
  throw new UsageError(`${file}: exports no "tools", which ${path} needs. ${exportsOf(found)}`)
}

/** A tool for each name that the tasks use. `makeSuite` checks the shape later. */
function unloadedTools(value: unknown): unknown {
  const { tasks } = value as { readonly tasks?: unknown }
  const names = (Array.isArray(tasks) ? tasks : []).flatMap((task: unknown) => {
    const { tools, reference } = (task ?? {}) as Partial<Record<'tools' | 'reference', unknown>>
    const plan = ((reference ?? {}) as { readonly plan?: unknown }).plan
    const planned = (Array.isArray(plan) ? plan.flat() : []).map(
      (call: unknown) => (call as { name?: unknown } | null)?.name,
    )
    return [...(Array.isArray(tools) ? (tools as unknown[]) : []), ...planned].filter(
      (name) => typeof name === 'string',
    )
  })
  return Object.fromEntries(names.map((name) => [name, { description: 'not loaded', parameters: { type: 'object' } }]))
}
