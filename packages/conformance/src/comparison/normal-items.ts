import type { JsonScan, PyDict, PyList, PyValue } from '@callspec/python'
import { Raise, isDict, isList, loads, passJson, strip } from '@callspec/python'
import { listMember, textMember } from './deltas.ts'

/** Whether every character counts, or what the characters mean. */
export type Exactness = { readonly by: 'characters' } | ByMeaning

interface ByMeaning {
  readonly by: 'meaning'
  /** `compared` where the format's ids are grammar; `as expected`: where the expected reading has one. */
  readonly ids: 'compared' | 'as expected' | 'ignored'
  /** What counts of white space at the ends of prose. */
  readonly edges: 'kept' | 'stripped'
  /** `as expected`: a note that a call is only shown counts where the expected reading has one, if only to say that there is none. */
  readonly notes: 'as expected' | 'ignored'
  /** Whether prose is compared without the keywords of a format that is words only, which some readers hand on and others take off. */
  readonly hasKeywords: boolean
}

/**
 * Two readings of a text, reduced to what is compared: in order when both have `items`, else all reasoning, all text, and
 * the calls.
 *
 * - Adjacent texts are one text, and adjacent pieces of reasoning one; empty ones are left out.
 * - Of a call its name and arguments count, and its id where the ids of the format are grammar or the first reading has one. `note` counts
 *   where the implementation reports notes and the first reading has the member.
 * - By meaning, white space at both ends of a text is left out (unless `edges` keeps it), and where pieces of one were joined in either reading; a
 *   thought in tags at the start of a text is reasoning; and arguments are compared as JSON: as text or as value, in any
 *   order of keys, an integer and a float apart. A text that is no JSON is a text.
 */
export function normalItems(
  [expected, actual]: readonly [PyDict, PyDict],
  exactness: Exactness,
): readonly [PyDict, PyDict] {
  const isOrdered = [expected, actual].every((reading) => isList(reading.get('items')))
  const wanted = itemsOfReading(expected)
  const counted: CountedMembers = {
    isByMeaning: exactness.by === 'meaning',
    hasIds:
      exactness.by === 'meaning' &&
      (exactness.ids === 'compared' || (exactness.ids === 'as expected' && wanted.some(hasId))),
    hasNotes: exactness.by === 'meaning' && exactness.notes === 'as expected' && wanted.some(hasNote),
  }
  const [left, right] = [piecesOf(expected, isOrdered, counted), piecesOf(actual, isOrdered, counted)]
  if (exactness.by === 'characters') return [listed(left), listed(right)]
  return [listed(stripped(left, right, exactness)), listed(stripped(right, left, exactness))]
}

/** Which members of a call count. */
interface CountedMembers {
  readonly isByMeaning: boolean
  readonly hasIds: boolean
  readonly hasNotes: boolean
}

/** An item, and where pieces of its text were joined: after how many characters that are no white space. */
interface ReadPiece {
  readonly item: PyDict
  readonly joints: readonly number[]
}

type Pieces = readonly ReadPiece[]

function piecesOf(reading: PyDict, isOrdered: boolean, counted: CountedMembers): Pieces {
  const given = itemsOfReading(reading).map((each) => ({ item: normalItem(each, counted), joints: [] }))
  const arranged = (pieces: Pieces): Pieces => (isOrdered ? pieces : byKind(pieces))
  const ordered = arranged(given)
  return merged(arranged(counted.isByMeaning ? withThoughtsApart(ordered) : ordered))
}

function listed(pieces: Pieces): PyDict {
  return new Map([['items', pieces.map((each) => each.item).filter((each) => each.get('text') !== '')]])
}

function hasId(value: PyValue): boolean {
  return isDict(value) && typeof value.get('id') === 'string'
}

function hasNote(value: PyValue): boolean {
  return isDict(value) && value.has('note')
}

function itemsOfReading(reading: PyDict): PyList {
  const items = reading.get('items')
  if (isList(items)) return items
  const calls = listMember(reading.get('calls')).map((call) =>
    isDict(call) ? new Map([['type', 'call' as PyValue], ...call]) : call,
  )
  return [
    pieceItem('reasoning', textMember(reading.get('reasoning'))),
    pieceItem('text', textMember(reading.get('content'))),
    ...calls,
  ]
}

function pieceItem(type: string, text: string): PyDict {
  return new Map([
    ['type', type],
    ['text', text],
  ])
}

function normalItem(value: PyValue, { isByMeaning, hasIds, hasNotes }: CountedMembers): PyDict {
  if (!isDict(value)) return new Map([['type', value]])
  if (value.get('type') !== 'call')
    return new Map([
      ['type', value.get('type') ?? null],
      ['text', value.get('text') ?? ''],
    ])
  const given = value.get('arguments') ?? null
  const kept = isByMeaning ? argumentsByMeaning(given) : given
  return new Map([
    ['type', 'call' as PyValue],
    ...(hasIds ? [['id', value.get('id') ?? null] as const] : []),
    ['name', value.get('name') ?? null],
    ['arguments', kept],
    ...(hasNotes ? [['note', value.get('note') ?? null] as const] : []),
  ])
}

/** As the flat form has it: reasoning, text, calls. */
function byKind(pieces: Pieces): Pieces {
  const ofType = (type: string): Pieces => pieces.filter((each) => each.item.get('type') === type)
  return [...ofType('reasoning'), ...ofType('text'), ...ofType('call')]
}

/** Some readers take a thought out of the text, others leave it there in its tags. */
function withThoughtsApart(pieces: Pieces): Pieces {
  return merged(pieces).flatMap(({ item: each, joints }): Pieces => {
    const text = each.get('text')
    const whole = [{ item: each, joints }]
    if (each.get('type') !== 'text' || typeof text !== 'string') return whole
    const start = strip(text).startsWith(THOUGHT_OPEN) ? text.indexOf(THOUGHT_OPEN) + THOUGHT_OPEN.length : -1
    const end = start === -1 ? -1 : text.indexOf(THOUGHT_CLOSE, start)
    if (end === -1) return whole
    const rest = end + THOUGHT_CLOSE.length
    const behind = solidLength(text.slice(0, rest))
    return [
      { item: pieceItem('reasoning', text.slice(start, end)), joints: [] },
      { item: pieceItem('text', text.slice(rest)), joints: joints.map((at) => at - behind).filter((at) => at > 0) },
    ]
  })
}

const THOUGHT_OPEN = '<think>'
const THOUGHT_CLOSE = '</think>'

function merged(pieces: Pieces): Pieces {
  const result: ReadPiece[] = []
  for (const each of pieces) {
    const before = result.at(-1)
    const [left, right] = [before?.item.get('text'), each.item.get('text')]
    const isOne = before !== undefined && before.item.get('type') === each.item.get('type')
    if (isOne && typeof left === 'string' && typeof right === 'string') {
      const length = solidLength(left)
      const joints = [...before.joints, length, ...each.joints.map((at) => at + length)]
      result[result.length - 1] = { item: new Map(before.item).set('text', left + right), joints }
    } else if (right !== '') result.push(each)
  }
  return result
}

/** Texts without white space at their ends, and where pieces of them were joined here or in the other reading. */
function stripped(pieces: Pieces, others: Pieces, { edges, hasKeywords }: ByMeaning): Pieces {
  return pieces.map(({ item: each, joints }, at) => {
    const text = each.get('text')
    if (typeof text !== 'string') return { item: each, joints }
    const all = new Set([...joints, ...(others[at]?.joints ?? [])])
    const said = hasKeywords ? withoutKeywords(text) : text
    const isKept =
      edges === 'kept' && !hasKeywords && all.size === 0 && each.get('type') === 'text' && strip(said) !== ''
    return { item: new Map(each).set('text', isKept ? said : withoutSpaceAt(strip(said), all)), joints }
  })
}

const FINAL_ANSWER = 'Final Answer:'

/** What was thought and what was said, without the words that announce it; with a final answer only that counts. */
function withoutKeywords(text: string): string {
  const at = text.lastIndexOf(FINAL_ANSWER)
  const said = at === -1 ? text : text.slice(at + FINAL_ANSWER.length)
  return said.replace(/^[ \t]*Thought:[ \t]*/gm, '')
}

function withoutSpaceAt(text: string, joints: ReadonlySet<number>): string {
  if (joints.size === 0) return text
  let solid = 0
  return text.replaceAll(/\s+|\S+/g, (run) => {
    if (/^\s/.test(run)) return joints.has(solid) ? '' : run
    solid += run.length
    return run
  })
}

/** How many characters of a text are no white space. */
function solidLength(text: string): number {
  return text.replaceAll(/\s+/g, '').length
}

/** Arguments as a value, where they are the text of one. */
export function argumentsByMeaning(value: PyValue): PyValue {
  if (typeof value !== 'string') return value
  try {
    return loads(value)
  } catch (error) {
    if (error instanceof Raise || error instanceof RangeError) return value
    throw error
  }
}

/** What a strict case asks of a prompt or a run, where its text is free: a map of properties instead of an answer. */
export const PROPERTIES = 'properties'

type Reduce = (answer: PyDict, wanted: PyDict) => PyDict

/**
 * The properties that a case states, and what of them holds in an answer: two maps of one shape, which are compared like others.
 *
 * - `render`: `tools`, every declaration in the prompt, by name and parameters, in any order; `calls`, those that it shows, by
 *   name and arguments; `texts`, which of these appear in the prompt, in this order.
 * - `loop`: `reason`; `calls`, those that reached a tool; `results`, contents of the result messages; `answer`, the last text.
 */
export function comparableProperties(op: 'render' | 'loop', wanted: PyDict, answer: PyDict): readonly [PyDict, PyDict] {
  const observed = REDUCE[op](answer, wanted)
  const kept = [...observed].filter(([key]) => wanted.has(key))
  return [new Map([...wanted].map(([key, value]) => [key, arranged(key, value)])), new Map(kept)]
}

const REDUCE: Readonly<Record<'render' | 'loop', Reduce>> = {
  render(answer, wanted) {
    const prompt = promptText(answer)
    const objects = jsonObjectsIn(prompt)
    return new Map<string, PyValue>([
      ['tools', arranged('tools', objects.flatMap(declaredTool))],
      ['calls', objects.flatMap(shownCall)],
      ['texts', textsOfItems(prompt, wanted.get('texts'))],
    ])
  },
  loop(answer) {
    const final = dictsIn(answer.get('final'))
    const made = isList(answer.get('calls')) ? dictsIn(answer.get('calls')) : final.flatMap(callIn)
    const said = final.filter((message) => message.get('role') === 'assistant').at(-1)
    return new Map<string, PyValue>([
      ['reason', answer.get('reason') ?? null],
      ['calls', made.map(byMeaning)],
      ['results', final.filter((message) => message.get('role') === 'function').map(flatText)],
      ['answer', said === undefined ? '' : strip(flatText(said))],
    ])
  },
}

/** The order of tools in a prompt is not specified. */
function arranged(key: string, value: PyValue): PyValue {
  if (key !== 'tools' || !isList(value)) return value
  const nameOf = (tool: PyValue): string => (isDict(tool) ? String(tool.get('name')) : '')
  return [...value].sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : Number(nameOf(left) > nameOf(right))))
}

function promptText(answer: PyDict): string {
  const text = answer.get('text')
  return typeof text === 'string' ? text : dictsIn(answer.get('messages')).map(flatText).join('\n')
}

/** Bare, or as the value of `function`; without parameters it declares none. */
function declaredTool(value: PyDict): readonly PyDict[] {
  const inner = value.get('function')
  const tool = isDict(inner) ? inner : value
  if (typeof tool.get('name') !== 'string' || tool.has('arguments')) return []
  return [
    new Map([
      ['name', tool.get('name') ?? null],
      ['parameters', tool.get('parameters') ?? null],
    ]),
  ]
}

function shownCall(value: PyDict): readonly PyDict[] {
  return typeof value.get('name') === 'string' && value.has('arguments') ? [byMeaning(value)] : []
}

function callIn(message: PyDict): readonly PyDict[] {
  const call = message.get('function_call')
  return isDict(call) ? [call] : []
}

function byMeaning(call: PyDict): PyDict {
  return new Map([
    ['name', call.get('name') ?? null],
    ['arguments', argumentsByMeaning(call.get('arguments') ?? null)],
  ])
}

/** Each text that follows the one before it; null for one that does not. */
function textsOfItems(prompt: string, wanted: PyValue | undefined): PyList {
  let from = 0
  return (isList(wanted) ? wanted : []).map((text) => {
    const at = typeof text === 'string' ? prompt.indexOf(text, from) : -1
    if (typeof text !== 'string' || at === -1) return null
    from = at + text.length
    return text
  })
}

function flatText(message: PyDict): string {
  const content = message.get('content')
  if (typeof content === 'string') return content
  return dictsIn(content)
    .map((item) => item.get('text'))
    .filter((text) => typeof text === 'string')
    .join('')
}

function dictsIn(value: PyValue | undefined): readonly PyDict[] {
  return isList(value) ? value.filter(isDict) : []
}

/** How often each character of a text may be looked at: texts come from programs under test, and braces may be nested. */
const MAX_LOOKS = 16

/**
 * The JSON objects in a text, in their order, wherever they are: on a line, in a list, between tags. Objects
 * inside others are left out. Linear: where nested braces that are never closed would need more looks, the rest is left.
 */
export function jsonObjectsIn(text: string): readonly PyDict[] {
  const found: PyDict[] = []
  let looks = MAX_LOOKS * text.length
  for (let at = text.indexOf('{'); at !== -1 && looks > 0; at = text.indexOf('{', at)) {
    const end = endOfJson(text, at)
    looks -= end.at - at
    const value = end.isWhole ? dictOfText(text.slice(at, end.at)) : null
    if (value !== null) found.push(value)
    at = value === null ? at + 1 : end.at
  }
  return found
}

/** The offset after the JSON value that begins here, or where it is not JSON. */
function endOfJson(text: string, from: number): { readonly at: number; readonly isWhole: boolean } {
  const scan: JsonScan = { text, at: from, hasUnseen: false, isPython: true }
  return { isWhole: passJson(scan), at: scan.at }
}

function dictOfText(json: string): PyDict | null {
  try {
    const value = loads(json)
    return isDict(value) ? value : null
  } catch (error) {
    if (error instanceof Raise || error instanceof RangeError) return null
    throw error
  }
}
