import { formatNamed } from '@callspec/core'
import type { PyDict, PyValue } from '@callspec/python'
import { dumps, isDict, isList } from '@callspec/python'
import { loadQwenTokenizer } from '@callspec/tokenizer-qwen'
import type { ActualAnswer, Case, ExpectedAnswer, Pair } from '../cases/case.ts'
import { alternatives } from '../cases/case.ts'
import { firstDifference } from './compare.ts'
import type { Reply } from '../implementation.ts'
import { lazyTokenizer } from '../implementation.ts'
import type { Exactness } from './normal-items.ts'
import { foldDeltas } from './deltas.ts'
import { PROPERTIES, comparableProperties, normalItems } from './normal-items.ts'
import { printJson } from './visible.ts'
import type { CoarseOperation } from '../protocol/declaration.ts'
import { RESPONSE_TEMPLATE, STRICT, isCoarse, isRoleOperation } from '../protocol/declaration.ts'

/**
 * Reduces two answers to a coarse operation to what is compared; `docs/protocol.md`, "What is compared", says the same
 * in words. Answers about MetaGPT's roles: see `comparableRole`. All others stay as they are.
 *
 * - `response_template`: the message, and under a version of a reader the events.
 * - That an input is rejected is compared, not with which words.
 * - A member that the actual answer may leave out is compared where it is there.
 * - `parse`, `stream`: see `normalItems`. An answer in the flat form (`content`, `calls`) is compared with the expected
 *   one in the flat form. Snapshots count under the profiles of a version, and the final reading everywhere.
 * - `render`, `loop` with `properties`: see `comparableProperties`.
 * - `render`: where the actual answer is a number of tokens only, the expected text is counted with Qwen's tokenizer.
 * - `render`, prompts of `loop`: role and content. `loop`, final messages: name, call and reasoning too.
 */
export function comparable(topic: ComparedTopic, pair: Pair): Pair {
  const { op } = topic
  if (isRoleOperation(op)) return comparableRole(pair)
  if (op === RESPONSE_TEMPLATE) return comparableMessage(topic, pair)
  if (!isCoarse(op)) return pair
  const [expected, actual] = pair
  if (expected.kind === 'raised' && actual.kind === 'raised') return BOTH_REJECTED
  if (expected.kind !== 'returned' || actual.kind !== 'returned') return pair
  if (!isDict(expected.value) || !isDict(actual.value)) return pair
  const [left, right] = reducedAs(topic, op, [expected.value, actual.value])
  return [
    { kind: 'returned', value: left },
    { kind: 'returned', value: right },
  ]
}

/** A strict case about a prompt or a run may state what holds of it instead of the answer. */
function reducedAs(topic: ComparedTopic, op: CoarseOperation, [expected, actual]: Dicts): Dicts {
  const wanted = expected.get(PROPERTIES)
  if ((op === 'render' || op === 'loop') && isDict(wanted)) return comparableProperties(op, wanted, actual)
  return reduce(op, exactnessOf(topic), [expected, actual])
}

const REJECTED = { type: 'rejected', message: '' }
const BOTH_REJECTED: Pair = [
  { kind: 'raised', error: new Map(Object.entries(REJECTED)) },
  { kind: 'raised', error: REJECTED },
]

/** Of a reply that was read by a response template the message counts; under a version also the events, where both have them. */
function comparableMessage({ profile }: ComparedTopic, [expected, actual]: Pair): Pair {
  if (expected.kind === 'raised' && actual.kind === 'raised') return BOTH_REJECTED
  if (expected.kind !== 'returned' || actual.kind !== 'returned') return [expected, actual]
  if (!isDict(expected.value) || !isDict(actual.value)) return [expected, actual]
  const hasEvents = profile !== STRICT && expected.value.has('events') && actual.value.has('events')
  const members = ['message', ...(hasEvents ? ['events'] : [])]
  return [
    { kind: 'returned', value: only(expected.value, members) },
    { kind: 'returned', value: only(actual.value, members) },
  ]
}

type Dicts = readonly [PyDict, PyDict]

/** What decides how two answers are compared. */
export interface ComparedTopic {
  readonly op: string
  readonly profile: string
  /** The format that the case is about. */
  readonly format?: string
  /** What counts of white space at the edges of a text, where meaning is compared. Default: `stripped`. */
  readonly edges?: 'kept' | 'stripped'
  /** Whether ids of calls count where they are grammar or expected. Default: they do. */
  readonly ids?: 'ignored'
  /** Whether notes of calls count where they are expected. Default: they do not. */
  readonly notes?: 'as expected'
}

/** Whether a profile is about meaning: `strict`, `lenient:…`, and the versions of a format; a version of a reference is about every character. */
export function isAboutMeaning(profile: string, format: string | undefined): boolean {
  if (profile === 'strict' || profile.startsWith('lenient:')) return true
  return format !== undefined && formatNamed(`${format}@${profile}`) !== null
}

function exactnessOf({ profile, format, edges = 'stripped', ids, notes }: ComparedTopic): Exactness {
  if (!isAboutMeaning(profile, format)) return { by: 'characters' }
  return {
    by: 'meaning',
    ids: ids ?? (format !== undefined && formatNamed(format)?.traits.ids === true ? 'compared' : 'as expected'),
    edges,
    notes: notes ?? 'ignored',
    hasKeywords: format !== undefined && formatNamed(format)?.markers.answer !== undefined,
  }
}

function reduce(op: CoarseOperation, exactness: Exactness, [expected, actual]: Dicts): Dicts {
  switch (op) {
    case 'parse':
      return reduceParsed([expected, actual], exactness)
    case 'stream':
      return reduceStream([expected, actual], exactness)
    case 'stop':
      return [only(expected, ['text']), only(actual, ['text'])]
    case 'render':
      if (isCountOnly(actual)) return [tokenCountOf(expected), only(actual, ['prompt_tokens'])]
      return reduceMembers([expected, actual], { messages: comparedPrompt, text: same })
    case 'loop':
      return reduceMembers([expected, actual], {
        reason: same,
        calls: comparedCalls,
        final: (value) => comparedMessages(value, finalMessage),
        prompts: (value) => (isList(value) ? value.map(comparedPrompt) : value),
      })
  }
}

/** Servers that do not show a prompt may still say how long it is. */
function isCountOnly(render: PyDict): boolean {
  return render.has('prompt_tokens') && !render.has('text') && !render.has('messages')
}

function tokenCountOf(render: PyDict): PyDict {
  const text = render.get('text')
  if (typeof text !== 'string') return render
  return new Map([['prompt_tokens', BigInt(tokenizer.count(text))]])
}

const tokenizer = lazyTokenizer(loadQwenTokenizer)

function reduceParsed([expected, actual]: Dicts, exactness: Exactness): Dicts {
  return normalItems([expected, actual], exactness)
}

function reduceStream([expected, actual]: Dicts, exactness: Exactness): Dicts {
  const finals = reduceParsed([finalOf(expected), finalOf(actual)], exactness)
  const [left, right] = [expected.get('snapshots'), actual.get('snapshots')]
  if (exactness.by === 'meaning' || !isList(left) || !isList(right)) return finals
  const pairs = left.map((item, at) => reduceParsed([dictOr(item), dictOr(right[at])], exactness))
  const more = right.slice(left.length)
  return [
    new Map<string, PyValue>([
      ['snapshots', pairs.map(([each]) => each)],
      ['final', finals[0]],
    ]),
    new Map<string, PyValue>([
      ['snapshots', [...pairs.slice(0, right.length).map(([, each]) => each), ...more]],
      ['final', finals[1]],
    ]),
  ]
}

/** What has been read when the stream is over. */
function finalOf(output: PyDict): PyDict {
  const deltas = output.get('deltas')
  return isList(deltas) ? foldDeltas(deltas) : dictOr(output.get('final'))
}

type Rules = Readonly<Record<string, (value: PyValue) => PyValue>>

/** The members with a rule; those that only the expected answer has are left out, unless that leaves nothing. */
function reduceMembers([expected, actual]: Dicts, rules: Rules): Dicts {
  const keys = Object.keys(rules)
  const shared = keys.filter((key) => expected.has(key) && actual.has(key))
  const compared = shared.length === 0 ? keys.filter((key) => expected.has(key)) : shared
  const reduced = (value: PyDict): PyDict =>
    new Map(
      Object.entries(rules).flatMap(([key, rule]) =>
        compared.includes(key) && value.has(key) ? [[key, rule(value.get(key) ?? null)]] : [],
      ),
    )
  return [reduced(expected), reduced(actual)]
}

function comparedPrompt(value: PyValue): PyValue {
  return comparedMessages(value, (message) => message)
}

/** Messages with role and content, and what `more` adds of the others. */
function comparedMessages(
  value: PyValue,
  more: (kept: Map<string, PyValue>, message: PyDict) => Map<string, PyValue>,
): PyValue {
  if (!isList(value)) return value
  return value.map((message) => {
    if (!isDict(message)) return message
    const kept = new Map<string, PyValue>([
      ['role', message.get('role') ?? null],
      ['content', comparedContent(message.get('content'))],
    ])
    return more(kept, message)
  })
}

function finalMessage(kept: Map<string, PyValue>, message: PyDict): Map<string, PyValue> {
  const reasoning = comparedContent(message.get('reasoning_content'))
  if (reasoning !== '') kept.set('reasoning_content', reasoning)
  const name = message.get('name') ?? null
  if (name !== null) kept.set('name', name)
  const call = message.get('function_call')
  return isDict(call) ? kept.set('function_call', comparedCall(call)) : kept
}

/** Adjacent text items are one text; a content of texts only is that text; null is the empty text. */
function comparedContent(content: PyValue | undefined): PyValue {
  if (!isList(content)) return content ?? ''
  const merged: PyValue[] = []
  for (const item of content) {
    const text = isDict(item) ? item.get('text') : undefined
    const before = merged.at(-1)
    if (typeof text === 'string' && typeof before === 'string') merged[merged.length - 1] = before + text
    else merged.push(typeof text === 'string' ? text : item)
  }
  const [first = ''] = merged
  if (merged.length <= 1 && typeof first === 'string') return first
  return merged.map((item) => (typeof item === 'string' ? new Map([['text', item]]) : item))
}

function comparedCalls(value: PyValue): PyValue {
  return isList(value) ? value.map((call) => (isDict(call) ? comparedCall(call) : call)) : value
}

function comparedCall(call: PyDict): PyDict {
  return only(call, ['name', 'arguments'])
}

function only(value: PyDict, keys: readonly string[]): PyDict {
  return new Map(keys.flatMap((key) => (value.has(key) ? [[key, value.get(key) ?? null] as const] : [])))
}

function dictOr(value: PyValue | undefined): PyDict {
  return isDict(value) ? value : new Map()
}

function same(value: PyValue): PyValue {
  return value
}

/**
 * Reduces two answers to an operation of MetaGPT to what is compared (MetaGPT spec §9).
 *
 * - An error has a form of its own, with the runs before it under `partial`, and is an answer like any other: `error`
 *   next to `expected` and an answer that holds `error` are the same.
 * - Of an error its type counts (`cause_type` where there is one), `partial`, `wrapped` and `prefix`; its text only where
 *   it is MetaGPT's own. How the reference wraps it (`raised_type`) does not count.
 * - Where several answers are right (`nondeterministic`, `any_of`), one of them is enough.
 * - The order in a `$set` does not count, nor the `python_repr` of a value that holds one.
 */
export function comparableRole([expected, actual]: Pair): Pair {
  const [left, right] = [asResult(expected), asResult(actual)]
  const wanted = rightAnswers(left).map((each) => reduced(each, [left, right]))
  const got = reduced(right, [left, right])
  const chosen = wanted.find((each) => firstDifference(each, got) === null) ?? wanted[0] ?? null
  return [
    { kind: 'returned', value: chosen },
    { kind: 'returned', value: got },
  ]
}

function asResult(answer: ExpectedAnswer | ActualAnswer): PyValue {
  if (answer.kind === 'returned') return answer.value
  const { error } = answer
  const map: PyDict = isDict(error) ? error : new Map(Object.entries({ type: error.type, message: error.message }))
  return new Map([['error', map]])
}

function rightAnswers(value: PyValue): readonly PyValue[] {
  const listed = isDict(value) && value.get('nondeterministic') === true ? value.get('any_of') : undefined
  return isList(listed) && listed.length > 0 ? listed : [value]
}

function reduced(value: PyValue, both: readonly [PyValue, PyValue]): PyValue {
  if (!isDict(value)) return value
  const [expected] = both
  const copy = new Map(value)
  const error = copy.get('error')
  if (isDict(error)) copy.set('error', reducedError(error, both.some(hasOwnText)))
  // The expected answer decides: it says what the reference could distinguish.
  if (isDict(expected) && holdsSet(expected.get('value') ?? null)) {
    copy.delete('python_repr')
    copy.set('value', sortedSets(copy.get('value') ?? null))
  }
  return copy
}

function reducedError(error: PyDict, textCounts: boolean): PyDict {
  const copy = new Map<string, PyValue>(error)
  for (const key of ['raised_type', 'cause_type', 'cause_message', 'detail', 'message']) copy.delete(key)
  const type = error.get('cause_type') ?? error.get('type')
  if (type !== undefined) copy.set('type', type)
  return textCounts ? copy.set('text', errorText(error)) : copy
}

function hasOwnText(value: PyValue): boolean {
  const error = isDict(value) ? value.get('error') : undefined
  return isDict(error) && OWN_TEXTS.test(errorText(error) ?? '')
}

function errorText(error: PyDict): string | null {
  const text = error.get('cause_message') ?? error.get('detail') ?? error.get('message')
  return typeof text === 'string' ? text : null
}

/** Texts of errors that the specification quotes; everything else is what a version of Python or pydantic says. */
const OWN_TEXTS =
  /^(?:'NoneType' object has no attribute 'name'|list index out of range|New task has unknown dependencies|'NoneType' object is not iterable|unhashable type: '\w+'|The extracted structure is not a .*)$/s

function holdsSet(value: PyValue): boolean {
  if (isList(value)) return value.some(holdsSet)
  return isDict(value) && (value.has('$set') || [...value.values()].some(holdsSet))
}

function sortedSets(value: PyValue): PyValue {
  if (isList(value)) return value.map(sortedSets)
  if (!isDict(value)) return value
  return new Map(
    Array.from(value, ([key, item]) => {
      const inner = sortedSets(item)
      const isSet = key === '$set' && isList(inner)
      return [key, isSet ? inner.toSorted((left, right) => (dumps(left) < dumps(right) ? -1 : 1)) : inner]
    }),
  )
}

type JudgedCase = Pick<Case, 'op' | 'format' | 'profile' | 'input' | 'expected'>

/** What is right, in the form in which answers are compared: a line per piece. Several right answers with `or` between. */
export function expectedText(item: JudgedCase): string {
  return alternatives(item)
    .map((expected) => answerText(comparable(item, [expected, replyWith(expected)])[1]))
    .join('\nor\n')
}

/** What was answered, in the form in which answers are compared; null where nothing was. */
export function actualText(item: JudgedCase, reply: Reply): string | null {
  if (reply.kind !== 'returned' && reply.kind !== 'raised') return null
  const [first = item.expected] = alternatives(item)
  return answerText(comparable(item, [first, reply])[1])
}

/** An expected answer in the form of an actual one. */
function replyWith(expected: ExpectedAnswer): ActualAnswer {
  if (expected.kind === 'returned') return expected
  return { kind: 'raised', error: { type: 'rejected', message: '' } }
}

function answerText(reply: ActualAnswer): string {
  if (reply.kind === 'raised') return reply.error.message === '' ? 'refused' : `refused: ${reply.error.message}`
  const { value } = reply
  if (!isDict(value)) return printJson(value).trimEnd()
  const text = value.get('text')
  if (value.size === 1 && typeof text === 'string') return text
  const items = value.get('items')
  const pieces = isList(items) ? items.map(pieceText) : [printJson(value).trimEnd()]
  return pieces.length === 0 ? 'nothing' : pieces.join('\n')
}

/** `text "…"`, `reasoning "…"` or `call clock({"zone": "UTC"})`, with the id where there is one. */
function pieceText(item: PyValue): string {
  if (!isDict(item)) return shownText(item)
  const [type, text, id] = [item.get('type'), item.get('text'), item.get('id')]
  if (typeof text === 'string') return `${typeof type === 'string' ? type : 'text'} ${shownText(text)}`
  const given = item.get('arguments') ?? null
  const called = `call ${String(item.get('name'))}(${typeof given === 'string' ? given : shownText(withSortedKeys(given))})`
  return typeof id === 'string' ? `${called} id ${id}` : called
}

/** The order of keys is not compared. What is nested deeper than people read stays as it is. */
function withSortedKeys(value: PyValue, depth = 0): PyValue {
  if (depth > 50) return value
  if (isList(value)) return value.map((each) => withSortedKeys(each, depth + 1))
  if (!isDict(value)) return value
  const keys = [...value.keys()].toSorted()
  return new Map(keys.map((key) => [key, withSortedKeys(value.get(key) ?? null, depth + 1)]))
}

function shownText(value: PyValue): string {
  return dumps(value)
}
