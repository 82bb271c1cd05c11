import type { Member, Shape, ShapeFault, ShapePath } from '../shape/shape.ts'
import {
  either,
  FLAG,
  FUNCTION,
  JSON_OBJECT,
  JSON_VALUE,
  list,
  member,
  NULL,
  number,
  object,
  oneOf,
  record,
  required,
  TEXT,
  whole,
} from '../shape/shape.ts'
import type { TaskDefinition, ToolDefinition } from '../trace/task.ts'
import { MESSAGES_SHAPE, messagesFault } from './task-messages.ts'

/** A mistake in a suite. The message names the place; a reader of files can add the line. */
export class SuiteError extends Error {
  /** Keys and indices from the suite to the place. */
  readonly path: ShapePath
  /** The message without the place. */
  readonly reason: string
  /** For an unknown name: the name, and the known ones. */
  readonly unknown: ShapeFault['unknown']

  constructor(fault: ShapeFault) {
    super(fault.path.length === 0 ? fault.message : `${pathText(fault.path)}: ${fault.message}`)
    this.name = 'SuiteError'
    this.path = fault.path
    this.reason = fault.message
    this.unknown = fault.unknown
  }
}

/** A path in the usual notation: `tasks[2].verdict.must[0]`. */
export function pathText(path: ShapePath): string {
  return path.map((part, at) => (typeof part === 'number' ? `[${part}]` : at === 0 ? part : `.${part}`)).join('')
}

const LANGUAGE = oneOf(['en', 'zh'])
const TEXTS = list(TEXT)

const VALUES_SHAPE = record(list(JSON_VALUE, 1))

const CALLS_SHAPE = list(
  object({
    name: required(TEXT),
    args: member(JSON_OBJECT, 'Must be among the arguments.'),
    oneOf: member(VALUES_SHAPE, 'Further arguments that must be given, each with one of these values.'),
    ifGiven: member(VALUES_SHAPE, 'Arguments that may be left out; if one is given, then with one of these values.'),
  }),
)

const ANSWER_SHAPE = object({
  num: member(number(), 'The number that the answer offers last, with its sign; see docs/metrics.md.'),
  tol: member(number({ min: 0 }), 'Allowed distance of num. Default: 1e-9.'),
  re: member(TEXT, 'A regular expression that must match where nothing negates it, without regard to case.'),
  all: member(TEXTS, 'Texts that must all occur where nothing negates them.'),
  any: member(FLAG, 'Any text will do.'),
})

const VERDICT = object({
  answer: member(ANSWER_SHAPE, 'What the final text must show. Default: any text.'),
  must: member(CALLS_SHAPE, 'Calls that must have been made.'),
  order: member(oneOf(['seq']), 'The calls of "must" in this order.'),
  mustNot: member(CALLS_SHAPE, 'Calls that must not have been made.'),
  gold: member(CALLS_SHAPE, 'Every call that a right run makes, with all its arguments: for precision and recall.'),
  minCalls: whole(),
  maxCalls: member(whole(), 'Failed calls and calls of unknown tools count too.'),
  maxIdentical: member(whole(1), 'Longest run of the same call with the same result.'),
  state: member(
    record(either(TEXT, number(), FLAG, NULL)),
    'The value that a path of the tools’ state must have afterwards; null: no value.',
  ),
})

const PLANNED_CALL = object({ name: required(TEXT), args: required(JSON_OBJECT) })

const REFERENCE = object({
  plan: required(list(list(PLANNED_CALL)), 'Turns; in each the calls that are made at once.'),
  observations: required(TEXTS, 'The result of every planned call, flat.'),
  final: required(TEXT, 'An answer that passes.'),
})

const TASK = object({
  id: required(TEXT),
  category: member(TEXT, 'Groups tasks in reports. Default: task.'),
  lang: member(LANGUAGE, 'Default: en.'),
  messages: member(
    MESSAGES_SHAPE,
    'The conversation before "query": messages of the chat API. Only what the model says after "query" is counted.',
  ),
  query: required(TEXT, 'The question: the last message of the user.'),
  tools: required(TEXTS, 'Names of the offered tools, in prompt order.'),
  verdict: member(VERDICT, 'When the task counts as done.'),
  reference: member(REFERENCE, 'How the task can be solved.'),
  max_llm_calls: member(whole(1, 1000), 'Calls of the model before the episode is stopped. Default: 20.'),
  loop_guard: member(
    object({ max_identical: whole(1) }),
    'max_identical: longest run of the same call with the same result that is allowed. Default: 2.',
  ),
  until: member(
    oneOf(['answer', 'call']),
    'call: the first reply with a call ends the episode, and no tool has to answer. Default: answer.',
  ),
  note: member(TEXT, 'Why the task exists.'),
})

const TOOL: Readonly<Record<string, Member | Shape>> = {
  description: required(
    either(TEXT, object({ en: TEXT, zh: TEXT })),
    'What the model reads, in one language or in each.',
  ),
  parameters: required(JSON_OBJECT, 'JSON Schema of the arguments.'),
  recorded: member(
    list(object({ args: required(JSON_OBJECT), result: required(JSON_VALUE) })),
    'What the tool answered once, by arguments.',
  ),
  run: FUNCTION,
}

/** The tools of a suite: a list, or an object with a tool under each name. */
export const TOOLS_SHAPE: Shape = either(
  list(object({ name: required(TEXT), ...TOOL })),
  record(object({ ...TOOL, name: member(TEXT, 'What the model calls it, if its key must differ. Default: the key.') })),
)

/** A suite as users write it: `SuiteDefinition`. */
export const SUITE_SHAPE: Shape = object({
  name: member(TEXT, 'Shown in reports. Default: the name of the file.'),
  version: member(TEXT, 'Goes into reports; runs of different versions are compared with a warning.'),
  about: TEXT,
  tools: member(TOOLS_SHAPE, 'Tools of the suite, in addition to the 21 built-in ones.'),
  toolsModule: member(TEXT, 'An ES module next to this file that exports "tools".'),
  tasks: required(list(TASK, 1)),
})

/** The tools that a suite's tasks can offer. */
export interface KnownTools {
  /** All of them, by name. */
  readonly known: ReadonlyMap<string, { readonly en: { readonly name: string } }>
  /** The suite's own ones. */
  readonly own: ReadonlyMap<string, ToolDefinition>
}

/** @throws SuiteError for tasks that contradict each other, themselves, or the tools */
export function checkTasks(tasks: readonly TaskDefinition[], tools: KnownTools): void {
  const ids = new Map<string, number>()
  for (const [index, task] of tasks.entries()) {
    const path: ShapePath = ['tasks', index]
    const twin = ids.get(task.id)
    if (twin !== undefined) fail([...path, 'id'], `the id "${task.id}" is taken by tasks[${twin}]. Ids must be unique`)
    if (task.id.trim() === '') fail([...path, 'id'], 'the id is empty')
    ids.set(task.id, index)
    const fault = messagesFault(task.messages ?? [], [...path, 'messages'])
    if (fault !== null) throw new SuiteError(fault)
    checkOffered(task, path, tools)
    checkVerdict(task, path, tools)
    checkReference(task, path, tools)
  }
}

function checkOffered({ tools: offered }: TaskDefinition, path: ShapePath, { known }: KnownTools): void {
  for (const [index, name] of offered.entries()) {
    if (!known.has(name)) unknownTool([...path, 'tools', index], name, [...known.keys()])
    if (offered.indexOf(name) < index) fail([...path, 'tools', index], `"${name}" is offered twice`)
  }
}

function checkVerdict({ verdict = {}, tools: keys }: TaskDefinition, path: ShapePath, tools: KnownTools): void {
  const at = [...path, 'verdict']
  const offered = keys.map((key) => tools.known.get(key)?.en.name ?? key)
  for (const [index, { name }] of (verdict.must ?? []).entries()) {
    if (!offered.includes(name)) unknownTool([...at, 'must', index, 'name'], name, offered, 'the task offers no tool')
  }
  for (const [index, { name }] of (verdict.mustNot ?? []).entries())
    checkForbidden([...at, 'mustNot', index], name, tools)
  const { minCalls = 0, maxCalls = Infinity } = verdict
  if (minCalls > maxCalls) fail(at, `minCalls ${minCalls} is more than maxCalls ${maxCalls}`)
  if ((verdict.must?.length ?? 0) > 0 && maxCalls === 0) fail(at, '"must" asks for calls, and maxCalls allows none')
  const { re } = verdict.answer ?? {}
  if (re !== undefined && !isPattern(re)) fail([...at, 'answer', 're'], `"${re}" is no regular expression`)
}

/**
 * A task may forbid a tool that does not exist, to see whether a model invents it. But a name that differs by one letter from a tool is
 * a typing error, and would forbid nothing.
 */
function checkForbidden(path: ShapePath, name: string, { known }: KnownTools): void {
  if (known.has(name)) return
  const bare = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  const meant = [...known.keys()].find((other) => bare(other) === bare(name))
  if (meant !== undefined) unknownTool([...path, 'name'], name, [meant])
}

function checkReference({ reference, tools: offered }: TaskDefinition, path: ShapePath, { known }: KnownTools): void {
  if (reference === undefined) return
  const at = [...path, 'reference']
  const names = new Set([...known].flatMap(([key, { en }]) => [key, en.name]))
  for (const [turn, calls] of reference.plan.entries()) {
    for (const [index, { name }] of calls.entries()) {
      if (!names.has(name)) unknownTool([...at, 'plan', turn, index, 'name'], name, offered)
    }
  }
  const planned = reference.plan.flat().length
  const { length } = reference.observations
  if (length === planned) return
  fail([...at, 'observations'], `there are ${length} for ${planned} planned calls. Give one for each`)
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'i') instanceof RegExp
  } catch {
    return false
  }
}

function unknownTool(path: ShapePath, name: string, known: readonly string[], what = 'there is no tool'): never {
  throw new SuiteError({ path, message: `${what} "${name}"`, unknown: { name, known } })
}

function fail(path: ShapePath, message: string): never {
  throw new SuiteError({ path, message })
}
