import { InputError } from '@callspec/core'
import type { CallItem, ReplyItem } from '@callspec/core'

/** Changes what was read. */
export type ItemBug = (items: readonly ReplyItem[], where: RegExp) => readonly ReplyItem[]

/**
 * The mistake of that name.
 *
 * @throws InputError for a name that none has
 */
export function itemBug(name: string): ItemBug {
  const found = BUGS.get(name)
  if (found === undefined) throw new InputError('mutant', `has an unknown mistake "${name}" about items.`)
  return found
}

const BUGS: ReadonlyMap<string, ItemBug> = new Map<string, ItemBug>([
  ['first-call-only', (items) => items.filter((item, at) => !isCall(item) || at === firstCall(items))],
  ['calls-lost-where', (items, where) => items.filter((item) => !isCall(item) || !where.test(spelt(item)))],
  ['text-behind-lost', (items) => items.filter((item, at) => item.kind !== 'text' || at <= firstCall(items, at))],
  ['text-before-lost', (items) => items.filter((item, at) => item.kind !== 'text' || at > firstCall(items, Infinity))],
  ['text-lost-where', (items, where) => items.filter((item) => item.kind !== 'text' || !where.test(item.text))],
  ['turn-lost-where-cut', (items) => (isCut(items) ? items.filter(({ kind }) => kind === 'issue') : items)],
  ['calls-reversed', reversed],
  ['same-tool-merged', merged],
  ['ids-turned', turned],
  ['names-cut', (items) => items.map((item) => (isCall(item) ? { ...item, name: firstWord(item.name) } : item))],
  ['names-lower', (items) => items.map((item) => (isCall(item) ? { ...item, name: item.name.toLowerCase() } : item))],
  ['thought-is-text', (items) => items.map((item) => (item.kind === 'reasoning' ? textOf(item.text) : item))],
  ['calls-behind-thought-lost', (items) => (items.some(isThought) ? items.filter((item) => !isCall(item)) : items)],
])

function isCall(item: ReplyItem): item is CallItem {
  return item.kind === 'call'
}

function isThought({ kind }: ReplyItem): boolean {
  return kind === 'reasoning'
}

function textOf(text: string): ReplyItem {
  return { kind: 'text', text }
}

/** Where the first call is; `none` where there is none. */
function firstCall(items: readonly ReplyItem[], none = -1): number {
  const at = items.findIndex(isCall)
  return at === -1 ? none : at
}

function isCut(items: readonly ReplyItem[]): boolean {
  return items.some((item) => item.kind === 'issue' && item.code === 'cut')
}

function spelt({ name, arguments: text }: CallItem): string {
  return `${name} ${text}`
}

function firstWord(name: string): string {
  return /^\w*/.exec(name)?.[0] ?? ''
}

function reversed(items: readonly ReplyItem[]): readonly ReplyItem[] {
  const calls = items.filter(isCall).toReversed()
  return items.map((item) => (isCall(item) ? (calls.shift() ?? item) : item))
}

/** A table by the names of tools holds one call of each. */
function merged(items: readonly ReplyItem[]): readonly ReplyItem[] {
  return items.filter(
    (item, at) => !isCall(item) || !items.some((other, to) => to > at && isCall(other) && other.name === item.name),
  )
}

/** Each call has the id of the next one. */
function turned(items: readonly ReplyItem[]): readonly ReplyItem[] {
  const ids = items.filter(isCall).map(({ id }) => id)
  const [first = null, ...rest] = ids
  const next = [...rest, first]
  return items.map((item) => (isCall(item) ? { ...item, id: next.shift() ?? null } : item))
}
