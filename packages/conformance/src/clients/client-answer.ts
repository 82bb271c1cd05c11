import type { Api, ApiItem, ApiUsage } from '@callspec/apis'
import { projected } from '@callspec/apis'
import { dumps, isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { equalNumbers, firstDifference } from '../comparison/compare.ts'
import { argumentsByMeaning } from '../comparison/normal-items.ts'
import { shortened } from '../comparison/visible.ts'
import type { Omitted } from '../protocol/declaration.ts'
import type { ClientCase } from './client-cases.ts'

/** What a client understood. */
export interface ClientAnswer {
  readonly items: readonly ApiItem[]
  /** In callspec's words; null if the client says that the reply is not finished, or does not say how. */
  readonly finish: string | null
  readonly usage: ApiUsage | null
  /** What it raised, or the error that it reports to its caller; null without one. */
  readonly error: string | null
}

/** The words of APIs and clients for the same ends. `completed` is left: what it means depends on the calls. */
const FINISHES: Readonly<Record<string, string | null>> = {
  ...{ end_turn: 'stop', tool_use: 'tool_calls', 'tool-calls': 'tool_calls', function_call: 'tool_calls' },
  ...{ max_tokens: 'length', max_output_tokens: 'length', incomplete: 'length' },
  ...{ '': null, in_progress: null, unknown: null, interrupted: null },
}

/** Reads the output of an answer; its schema was checked. */
export function clientAnswer(output: PyValue): ClientAnswer {
  const dict = isDict(output) ? output : new Map<string, PyValue>()
  const items = listOf(dict.get('items')).flatMap(itemOf)
  const word = textOf(dict.get('finish'))
  const hasCall = items.some(({ kind }) => kind === 'call')
  const finish =
    word === 'completed'
      ? hasCall
        ? 'tool_calls'
        : 'stop'
      : Object.hasOwn(FINISHES, word)
        ? (FINISHES[word] ?? null)
        : word
  const usage = dict.get('usage')
  const error = dict.get('error') ?? null
  return {
    ...{ items, finish },
    usage: isDict(usage) ? { input: countOf(usage.get('input')), output: countOf(usage.get('output')) } : null,
    error: error === null ? null : typeof error === 'string' ? error : dumps(error),
  }
}

function listOf(value: PyValue | undefined): readonly PyValue[] {
  return isList(value) ? value : []
}

function textOf(value: PyValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

function countOf(value: PyValue | undefined): number | null {
  return typeof value === 'bigint' || typeof value === 'number' ? Number(value) : null
}

function itemOf(value: PyValue): readonly ApiItem[] {
  if (!isDict(value)) return []
  if (value.get('type') === 'call') return [callOf(value)]
  return [{ kind: value.get('type') === 'reasoning' ? 'reasoning' : 'text', text: textOf(value.get('text')) }]
}

function callOf(value: PyDict): ApiItem {
  const given = value.get('arguments')
  const args = typeof given === 'string' ? given : given === undefined || given === null ? '' : dumps(given)
  return { kind: 'call', id: textOf(value.get('id')), name: textOf(value.get('name')), arguments: args }
}

/** What is compared. */
export interface Comparison {
  readonly api: Api
  readonly omits: readonly Omitted[]
  readonly said: Pick<ClientCase['said'], 'items' | 'finish' | 'usage'>
  /** What the stream leaves open. */
  readonly open: readonly Omitted[]
}

/** A difference in one sentence. `part` says of what, `got` what was given where that is a word: equal differences have equal ones. */
export interface AnswerDifference {
  readonly part: string
  readonly got: string
  readonly text: string
}

/** The first difference between an answer and the reply; null without one. */
export function answerDifference(
  answer: ClientAnswer,
  { api, omits, said, open }: Comparison,
): AnswerDifference | null {
  const skips = (part: Omitted): boolean => omits.includes(part) || open.includes(part)
  const isOrdered = api !== 'chat' && !skips('order')
  const [wanted, got] = [said.items, answer.items].map((items) => comparedItems(items, { isOrdered, skips })) as [
    readonly ApiItem[],
    readonly ApiItem[],
  ]
  const difference = itemsDifference(wanted, got)
  if (difference !== null) return difference
  if (!skips('finish') && answer.finish !== said.finish)
    return {
      part: 'finish',
      got: answer.finish ?? '',
      text: `finish ${shown(answer.finish)} instead of ${shown(said.finish)}`,
    }
  const counts = ({ usage }: Pick<Comparison['said'], 'usage'>): string =>
    usage === null ? 'none' : `${usage.input ?? 'unknown'} + ${usage.output ?? 'unknown'}`
  if (!skips('usage') && said.usage !== null && counts(answer) !== counts(said))
    return { part: 'usage', got: '', text: `usage ${counts(answer)} instead of ${counts(said)}` }
  return null
}

interface Compared {
  readonly isOrdered: boolean
  readonly skips: (part: Omitted) => boolean
}

/** Items without what is not compared; neighbours of one kind are joined, as clients split texts as they like. */
function comparedItems(items: readonly ApiItem[], { isOrdered, skips }: Compared): readonly ApiItem[] {
  const { reasoning, text, calls } = projected(items)
  const ordered: readonly ApiItem[] = isOrdered
    ? items
    : [{ kind: 'reasoning', text: reasoning }, { kind: 'text', text }, ...calls]
  const kept = ordered.filter(
    (item) => !(skips('reasoning') && item.kind === 'reasoning') && (item.kind === 'call' || item.text !== ''),
  )
  const joined: ApiItem[] = []
  for (const item of kept) {
    const before = joined.at(-1)
    if (item.kind === 'call' || before === undefined || before.kind !== item.kind) joined.push(item)
    else joined[joined.length - 1] = { kind: item.kind, text: `${before.text}${item.text}` }
  }
  return joined.map((item) => (item.kind === 'call' && skips('ids') ? { ...item, id: '' } : item))
}

function itemsDifference(wanted: readonly ApiItem[], got: readonly ApiItem[]): AnswerDifference | null {
  for (let at = 0; at < Math.max(wanted.length, got.length); at += 1) {
    const [one, other] = [wanted[at], got[at]]
    if (one === undefined || other === undefined || !isSameItem(one, other))
      return { part: partOf(one, other), got: '', text: `${shownItem(other)} instead of ${shownItem(one)}` }
  }
  return null
}

function partOf(one: ApiItem | undefined, other: ApiItem | undefined): string {
  if (one === undefined || other === undefined || one.kind !== other.kind)
    return `${other?.kind ?? 'nothing'} for ${one?.kind ?? 'nothing'}`
  if (one.kind !== 'call' || other.kind !== 'call') return one.kind
  if (one.name !== other.name) return 'name'
  return one.id === other.id ? 'arguments' : 'ids'
}

function isSameItem(one: ApiItem, other: ApiItem): boolean {
  if (one.kind !== 'call' || other.kind !== 'call')
    return one.kind === other.kind && 'text' in one && 'text' in other && one.text === other.text
  return one.id === other.id && one.name === other.name && isSameJson(one.arguments, other.arguments)
}

/** The same text, or JSON of the same values: `2.50` is `2.5`. */
function isSameJson(one: string, other: string): boolean {
  if (one === other) return true
  return firstDifference(argumentsByMeaning(one), argumentsByMeaning(other), '', equalNumbers) === null
}

/** `call get_weather {"city": "Oslo"} (call_a1)`, or `text "…"`; `nothing`. */
export function shownItem(item: ApiItem | undefined): string {
  if (item === undefined) return 'nothing'
  if (item.kind !== 'call') return `${item.kind} ${shown(item.text)}`
  const args = item.arguments === '' ? 'without arguments' : shortened(item.arguments, 80)
  const id = item.id === '' ? '' : ` (${shortened(item.id, 40)})`
  return `call ${item.name === '' ? 'without a name' : shortened(item.name, 40)} ${args}${id}`
}

function shown(text: string | null): string {
  return text === null ? 'none' : JSON.stringify(shortened(text, 60))
}
