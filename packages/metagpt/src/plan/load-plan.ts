import { loads, isDict, isList, className, Raise, isSpace } from '@callspec/python'
import type { PyList, PyValue } from '@callspec/python'
import type { MetagptProfile } from '../profile.ts'
import type { PlanDraft } from './plan.ts'
import { addTask, addTasks } from './plan.ts'
import { readTask } from './task.ts'

/**
 * Loads the tasks of an answer into a plan (MetaGPT spec §5.1). One task, or a first task with dependencies: only the
 * first is used. What the draft holds after a raise is what the reference's plan holds then.
 *
 * Raises what the reference raises: JSONDecodeError, TypeError, IndexError, ValidationError, KeyError, AssertionError
 * (`New task has unknown dependencies`), RecursionError.
 */
export function loadPlan(draft: PlanDraft, text: string): void {
  const tasks = itemsOf(loads(text)).map((item) => readTask(item, draft.version))
  const [first] = tasks
  if (first === undefined) throw new Raise('IndexError', 'list index out of range')
  if (tasks.length === 1 || first.dependsOn.length > 0) addTask(draft, first)
  else addTasks(draft, tasks)
}

/** What a Python `for` goes through: of a map its keys, of a text its characters. */
function itemsOf(value: PyValue): PyList {
  if (isList(value)) return value
  if (isDict(value)) return [...value.keys()]
  if (typeof value === 'string') return [...value]
  throw new Raise('TypeError', `'${className(value)}' object is not iterable`)
}

/**
 * The code in an answer: what the first fence encloses, else the whole answer (MetaGPT spec §5.1).
 *
 * As the regular expression ```` ```.*?\s+(.*?)\n``` ```` finds it, where the dot takes any character (older versions
 * leave out the `\n`), but linear: if the first fence leads to no match, no later one does.
 */
export function planCode(answer: string, { planFence }: MetagptProfile): string {
  const open = answer.indexOf(FENCE)
  const space = open < 0 ? -1 : spaceFrom(answer, open + FENCE.length)
  if (space < 0) return answer
  let start = space
  while (start < answer.length && isSpace(answer.charCodeAt(start))) start++
  const closing = planFence === 'backticks' ? FENCE : `\n${FENCE}`
  const close = answer.indexOf(closing, start)
  if (close >= 0) return answer.slice(start, close)
  // The line feed may be the last of the white space, if some other stands before it.
  const isEmpty = closing !== FENCE && start - 1 > space && answer.startsWith(closing, start - 1)
  return isEmpty ? '' : answer
}

function spaceFrom(text: string, from: number): number {
  for (let at = from; at < text.length; at++) if (isSpace(text.charCodeAt(at))) return at
  return -1
}

const FENCE = '```'
