import type { Suite, Task } from '@callspec/eval'
import { earlierText, offeredTools } from '@callspec/eval'
import { plural } from '@callspec/eval/text'
import { displayWidth } from '../columns.ts'
import type { Command, ExitCode, Invocation, OptionTable } from '../command.ts'
import { EXIT } from '../command.ts'
import { readEvalOptions } from '../eval/eval-options.ts'
import { TASK_FILTERS } from '../eval/options.ts'
import { selectTasks } from '../eval/select-tasks.ts'
import { NAMED_SUITE, offeredBy, readSuiteFile } from '../eval/suite-file.ts'
import { declaredOnly } from '../layered-options.ts'
import type { Output } from '../output.ts'
import { inert } from '../output.ts'
import { renderTable } from '../table.ts'
import { didYouMean, UsageError } from '../usage-error.ts'

const { 'filter-failing': _, ...SELECTION } = TASK_FILTERS

const TASKS_OPTIONS: OptionTable = { ...SELECTION, json: { help: 'Print JSON.' } }

export const tasksCommand: Command = {
  name: 'tasks',
  usage: ['tasks list [options]', 'tasks show ID [--suite FILE] [--json]', 'tasks check FILE [--json]'],
  about: 'The tasks of callspec eval: questions, tools, and when an answer counts. Also checks a suite of your own.',
  subcommands: {
    list: 'Print one line per task.',
    show: 'Print one task in full.',
    check: 'Print everything that is wrong with a suite of your own, each with its line.',
  },
  maxPositionals: 1,
  options: TASKS_OPTIONS,
  examples: [
    'callspec tasks list --filter-category trap',
    'callspec tasks show T04',
    'callspec tasks list --suite my.eval.ts',
    'callspec tasks list --tools tools.json',
    'callspec tasks list --suite injection',
    'callspec tasks check promptfooconfig.yaml',
  ],
  notes: [
    'A suite is YAML, CSV, JSON5, JSON Lines or a module, in the form of callspec, promptfoo, BFCL, OpenAI evals or Inspect: docs/tasks.md.',
    'Exit codes: 0 the suite can be used; 1 check found faults; 2 the suite cannot be used, and why.',
  ],
  run: runTasks,
}

async function runTasks({ subcommand, positionals, options, output }: Invocation): Promise<ExitCode> {
  const given = readEvalOptions(declaredOnly(TASKS_OPTIONS, options))
  if (subcommand === 'check') return checkFile(positionals[0] ?? given.suite, given, output)
  const { suite } = await readSuiteFile(given.suite, { ...NAMED_SUITE, offered: await offeredBy(given) })
  const [id] = positionals
  if (subcommand === 'list') {
    if (id !== undefined) throw new UsageError(`unexpected argument "${id}". callspec tasks show ${id} prints a task.`)
    const { tasks } = selectTasks(given, suite, null)
    if (given.json) output.line(JSON.stringify(tasks, null, 2))
    else printTasks(tasks, suite, output)
    return EXIT.ok
  }
  if (id === undefined)
    throw new UsageError('callspec tasks show needs the id of a task. callspec tasks list prints them.')
  const task = suite.tasks.find((each) => each.id === id)
  const ids = suite.tasks.map((each) => each.id)
  if (task === undefined)
    throw new UsageError(`the suite has no task "${id}".${didYouMean(id, ids)} callspec tasks list prints them.`)
  if (given.json) output.line(JSON.stringify(task, null, 2))
  else printTask(task, suite, output)
  return EXIT.ok
}

async function checkFile(
  path: string | null,
  given: ReturnType<typeof readEvalOptions>,
  output: Output,
): Promise<ExitCode> {
  if (path === null) throw new UsageError('callspec tasks check needs the file of a suite.')
  const { checkTaskFile } = await import('../tasks/check-file.ts')
  const { form, tasks, faults, notes } = await checkTaskFile(path, await offeredBy(given))
  if (given.json) output.line(JSON.stringify({ form, tasks, faults, notes }, null, 2))
  else {
    for (const fault of faults) output.line(inert(fault))
    for (const note of notes) output.line(inert(`note: ${note}`))
    output.line(inert(`${path}: ${plural(tasks, 'task')} in the form of ${form}, ${plural(faults.length, 'fault')}`))
  }
  return faults.length === 0 ? EXIT.ok : EXIT.disagreement
}

/** Prints one line per task, and how many there are. */
export function printTasks(tasks: readonly Task[], suite: Suite, output: Output): void {
  const rows = tasks.map(({ id, category, lang, tools }) => [id, category, lang, String(tools.length)])
  const head = ['id', 'category', 'lang', 'tools']
  const taken = head.map((name, column) =>
    Math.max(...[name, ...rows.map((row) => row[column] ?? '')].map(displayWidth)),
  )
  // Frame and padding take three columns per cell and one more.
  const room = output.wrapAt - taken.reduce((sum, width) => sum + width + 3, 4)
  output.line(
    renderTable({
      head: [...head, 'query'],
      rows: rows.map((row, index) => [...row, firstWords(tasks[index]?.query ?? '', Math.max(room, MIN_ROOM))]),
      align: ['left', 'left', 'left', 'right', 'left'],
      ascii: !output.isTerminal,
      width: output.wrapAt,
    }),
  )
  const of = tasks.length === suite.tasks.length ? '' : `${tasks.length} of `
  output.line(inert(`${of}${plural(suite.tasks.length, 'task')} of the suite ${suite.name}, version ${suite.version}`))
}

/** Prints one task: question, tools, and when an answer counts. */
export function printTask(task: Task, suite: Suite, output: Output): void {
  const { id, category, lang, messages = [], query, verdict, maxModelCalls, maxIdentical, until } = task
  output.line(output.paint('bold', inert(`${id} · ${category} · ${lang}`)))
  for (const message of messages) output.line(inert(`${message.role}: ${earlierText(message)}`))
  output.line(inert(messages.length === 0 ? query : `user: ${query}`))
  output.line()
  for (const tool of offeredTools(suite, task)) {
    output.line(inert(`${tool.name}: ${tool.description}`))
    output.line(inert(`  ${JSON.stringify(tool.parameters)}`))
  }
  output.line()
  const asked = Object.entries(verdict).filter(([name]) => until !== 'call' || name !== 'answer')
  for (const [name, value] of asked) output.line(inert(`${name}: ${JSON.stringify(value)}`))
  if (until === 'call') output.line('the first reply with a call ends the episode')
  output.line(
    `at most ${plural(maxModelCalls, 'call')} of the model, ${plural(maxIdentical, 'time')} the same call with the same result`,
  )
}

const MIN_ROOM = 20

/** Cuts a question at its end; the table would cut in the middle. */
function firstWords(query: string, columns: number): string {
  const line = inert(query.replace(/\s+/g, ' '))
  if (displayWidth(line) <= columns) return line
  let width = 0
  const characters = [...line]
  const end = characters.findIndex((character) => (width += displayWidth(character)) > columns - 1)
  return `${characters.slice(0, end).join('')}…`
}
