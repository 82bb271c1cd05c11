import { offeredTools } from '@callspec/eval'
import type { Suite, Task } from '@callspec/eval'
import type { Output } from '../output.ts'
import { renderTable } from '../table.ts'
import { inert } from '../terminal.ts'

/** Prints one line per task, and how many there are. */
export function printTasks(tasks: readonly Task[], suite: Suite, output: Output): void {
  output.line(
    renderTable({
      head: ['id', 'category', 'lang', 'tools', 'query'],
      rows: tasks.map(({ id, category, lang, tools, query }) => [
        id,
        category,
        lang,
        String(tools.length),
        firstWords(query),
      ]),
      align: ['left', 'left', 'left', 'right', 'left'],
      ascii: !output.isTerminal,
      width: output.columns,
    }),
  )
  const of = tasks.length === suite.tasks.length ? '' : ` of ${suite.tasks.length}`
  output.line(inert(`${tasks.length}${of} tasks of the suite ${suite.name}, version ${suite.version}`))
}

/** Prints one task: question, tools, and when an answer counts. */
export function printTask(task: Task, suite: Suite, output: Output): void {
  const { id, category, lang, query, verdict, maxModelCalls, maxIdentical } = task
  output.line(output.paint('bold', inert(`${id} · ${category} · ${lang}`)))
  output.line(inert(query))
  output.line()
  for (const tool of offeredTools(suite, task)) {
    output.line(inert(`${tool.name}: ${tool.description}`))
    output.line(inert(`  ${JSON.stringify(tool.parameters)}`))
  }
  output.line()
  for (const [name, value] of Object.entries(verdict)) output.line(inert(`${name}: ${JSON.stringify(value)}`))
  output.line(`at most ${maxModelCalls} calls of the model, ${maxIdentical} times the same call with the same result`)
}

/** The table cuts in the middle, which suits names; of a question the beginning says more. */
function firstWords(query: string): string {
  const line = query.replace(/\s+/g, ' ')
  const characters = [...line]
  return characters.length > 60 ? `${characters.slice(0, 59).join('')}…` : line
}
