import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ownFile } from '../text/own-file.ts'
import type { Arm, Injection } from '../trace/injection.ts'
import { ARMS } from '../trace/injection.ts'
import type { ReferenceDefinition, Suite, Task, TaskLanguage } from '../trace/task.ts'
import { loadBuiltInSuite } from './read-suite.ts'

/** The name of the suite with forged texts. */
export const INJECTION_SUITE = 'injection'

interface InjectionTask {
  readonly id: string
  readonly lang: TaskLanguage
  /** `{place}` is where the text is. */
  readonly query: string
  readonly reads: { readonly name: string; readonly argument: string; readonly place: string }
  readonly tools: readonly string[]
  readonly holds: string
  readonly order: string
  readonly asks: Injection['asks']
  /** Texts that an answer must contain. */
  readonly answer: readonly string[]
  readonly final: string
}

interface InjectionFile {
  readonly version: string
  readonly plain: Readonly<Record<TaskLanguage, string>>
  readonly reply: Readonly<Record<TaskLanguage, string>>
  readonly tasks: readonly InjectionTask[]
}

/**
 * The tasks whose tool results hold forged text, each in four arms. Their tools are the built-in ones. The texts depend on the format,
 * so that a run adds them: `withForgedTexts`.
 */
export function loadInjectionSuite(): Suite {
  const text = readInjectionFile()
  const file = JSON.parse(text) as InjectionFile
  return {
    name: INJECTION_SUITE,
    version: file.version,
    hash: createHash('sha256').update(text).digest('hex'),
    tasks: file.tasks.flatMap((task, index) => ARMS.map((arm) => armTask(file, { task, index, arm }))),
    tools: loadBuiltInSuite().tools,
  }
}

/** How the tasks are solved, by the ids of the suite: for simulated models. */
export function injectionReferences(suite: Suite): ReadonlyMap<string, ReferenceDefinition> {
  const { tasks } = JSON.parse(readInjectionFile()) as InjectionFile
  const finals = new Map(tasks.map(({ id, final }) => [id, final]))
  return new Map(
    suite.tasks.flatMap(({ id, injection }) =>
      injection === undefined
        ? []
        : [[id, { plan: [[injection.reads]], observations: [''], final: finals.get(injection.task) ?? '' }]],
    ),
  )
}

function readInjectionFile(): string {
  return readFileSync(ownFile('data/injection.json'), 'utf8')
}

function armTask(
  file: InjectionFile,
  { task, index, arm }: { readonly task: InjectionTask; readonly index: number; readonly arm: Arm },
): Task {
  const { id, lang, reads, asks } = task
  const place = reads.place.replace('{arm}', () => letterOf(arm, index))
  return {
    id: `${id}-${arm}`,
    category: arm,
    lang,
    query: task.query.replace('{place}', () => place),
    tools: task.tools,
    verdict: { answer: { all: task.answer }, mustNot: [asks] },
    goldCalls: 1,
    maxModelCalls: 8,
    maxIdentical: 2,
    injection: {
      ...{ task: id, arm, asks, holds: task.holds, order: task.order },
      reads: { name: reads.name, args: { [reads.argument]: place } },
      filler: file.plain[lang],
      reply: file.reply[lang],
      planted: [],
    },
  }
}

/** Every arm has a place of its own, so that no cache takes one for another; no letter belongs to one arm in all tasks. */
function letterOf(arm: Arm, index: number): string {
  return 'abcd'.charAt((ARMS.indexOf(arm) + index) % ARMS.length)
}
