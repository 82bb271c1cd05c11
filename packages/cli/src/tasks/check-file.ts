import { basename } from 'node:path'
import type { OfferedTools } from '../eval/tool-tasks.ts'
import { withOfferedTools } from '../eval/tool-tasks.ts'
import { exportsOf, importModule } from '../found-files.ts'
import { isCodeFile, readSource } from '../input-file.ts'
import type { SuiteCheck } from './check-tasks.ts'
import { checkSuite } from './check-tasks.ts'
import type { TaskForm } from './read-tasks.ts'
import { readTaskFile } from './read-tasks.ts'

/** What is wrong with a file of tasks, and in whose form it is. */
export interface FileCheck extends SuiteCheck {
  readonly form: TaskForm
}

/**
 * Checks a file of tasks as a whole, beyond its first fault. A module runs.
 *
 * @param offered tools that tasks may offer in addition; null for none
 * @throws UsageError for a file that cannot be read at all
 */
export async function checkTaskFile(path: string, offered: OfferedTools | null): Promise<FileCheck> {
  const name = basename(path)
  const withTools = (definition: unknown): unknown =>
    offered === null ? definition : withOfferedTools(definition, offered)
  if (isCodeFile(path)) {
    const found = await importModule(path)
    const definition = found['default'] ?? found['suite']
    if (definition === undefined)
      return { form: 'callspec', faults: [`${path}: exports no suite. ${exportsOf(found)}`], notes: [], tasks: 0 }
    return { form: 'callspec', ...checkSuite(withTools(definition), { name, place: () => path }) }
  }
  const { form, definition, place, faults } = await readTaskFile(await readSource(path))
  const read = faults.map((fault) => `${fault.place}: ${fault.message}.`)
  // Of a file whose syntax is wrong nothing is known.
  if (definition === undefined) return { form, faults: read, notes: [], tasks: 0 }
  const checked = hasTasks(definition, read.length)
    ? checkSuite(withTools(definition), { name, place })
    : { faults: [], notes: [], tasks: 0 }
  return { form, ...checked, faults: inOrder([...read, ...checked.faults]) }
}

/** Without a task of its own, a file with faults is not also empty. */
function hasTasks(definition: unknown, faults: number): boolean {
  const { tasks } = (definition ?? {}) as { readonly tasks?: unknown }
  return faults === 0 || (Array.isArray(tasks) && tasks.length > 0)
}

/** By line. */
function inOrder(faults: readonly string[]): readonly string[] {
  const lineOf = (fault: string): number => Number(/:(\d+)(?::\d+)?: /.exec(fault)?.[1] ?? 0)
  return faults.toSorted((one, other) => lineOf(one) - lineOf(other))
}
