import { basename, dirname, join } from 'node:path'
import type { ShapePath } from '@callspec/eval'
import type { SourceText } from '../input-file.ts'
import { textOfFile } from '../input-file.ts'
import { quotedLine } from '../output.ts'
import { bfclTasks, isBfclRow } from './bfcl-tasks.ts'
import type { Members } from './foreign.ts'
import { isMembers } from './foreign.ts'
import { isPromptfoo, promptfooTasks } from './promptfoo-tasks.ts'
import { isSample, isTableTask, sampleTasks, tableTasks } from './sample-tasks.ts'
import type { TaskData, TaskFault } from './task-data.ts'
import { readTaskData } from './task-data.ts'

/** Whose form a file of tasks has. */
export type TaskForm = 'callspec' | 'bfcl' | 'promptfoo' | 'openai-evals' | 'inspect'

/** A file of tasks as a suite, before the suite is checked. */
export interface TaskFile {
  readonly form: TaskForm
  readonly definition: unknown
  place(path: ShapePath): string
  /** What kept rows from becoming tasks. */
  readonly faults: readonly TaskFault[]
}

/**
 * Reads tasks in YAML, CSV, JSON5 or JSON Lines, of callspec or of another harness (docs/tasks.md); the form is known by its members.
 *
 * @throws UsageError for a file without data
 */
export async function readTaskFile(source: SourceText): Promise<TaskFile> {
  const data = await readTaskData(source)
  const { value } = data
  const first: unknown = Array.isArray(value) ? (value as readonly unknown[]).find(isMembers) : undefined
  const row: Members = isMembers(first) ? first : {}
  if (isPromptfoo(value)) return { form: 'promptfoo', ...promptfooTasks(data) }
  if (isBfclRow(row)) return { form: 'bfcl', ...bfclTasks(data, await bfclAnswers(source.name)) }
  if (isSample(row)) return { form: 'ideal' in row ? 'openai-evals' : 'inspect', ...sampleTasks(data) }
  if (data.syntax === 'csv' && isTableTask(row)) return { form: 'callspec', ...tableTasks(data) }
  if (data.syntax === 'csv' && isMembers(first)) return { form: 'callspec', ...withoutHead(data, Object.keys(row)) }
  return { form: 'callspec', ...ownTasks(data) }
}

/** A table whose first row has names of columns that no form has, or is a task already. */
function withoutHead({ place, faults }: TaskData, found: readonly string[]): Omit<TaskFile, 'form'> {
  const names = found.slice(0, 3).map((name) => `"${quotedLine(name, 30)}"`)
  const message = `the first row must name the columns, such as query, tools and answer; here it has ${names.join(', ')}`
  return { definition: undefined, place, faults: [...faults, { place: place([]), message }] }
}

/** An object with `tasks`, a list of tasks, or lines whose first may be the rest of the suite. */
function ownTasks(data: TaskData): Omit<TaskFile, 'form'> {
  const { value, faults } = data
  if (!Array.isArray(value)) return { definition: value, place: data.place, faults }
  const rows = value as readonly unknown[]
  const [first] = rows
  const hasHead = data.syntax === 'lines' && isMembers(first) && !('query' in first) && !('id' in first)
  const shift = hasHead ? 1 : 0
  return {
    definition: { ...(hasHead ? first : {}), tasks: rows.slice(shift) },
    place: ([key, index, ...rest]) =>
      data.place(key === 'tasks' && typeof index === 'number' ? [index + shift, ...rest] : [0]),
    faults,
  }
}

/** BFCL keeps the right answers in a file of the same name, in a folder next to the questions. */
async function bfclAnswers(path: string): Promise<ReadonlyMap<string, unknown>> {
  const text = (await textOfFile(join(dirname(path), 'possible_answer', basename(path)))) ?? ''
  const answers = new Map<string, unknown>()
  for (const line of text.split('\n')) {
    try {
      const { id, ground_truth: truth } = JSON.parse(line) as Members
      if (typeof id === 'string') answers.set(id, truth)
    } catch {
      // Its questions then have no answer, which `tasks check` says.
    }
  }
  return answers
}
