import type { PyDict } from '@callspec/python'
import { isDict } from '@callspec/python'
import { dictOr, indexOr, listOr, textOr } from './events.ts'
import type { Breaches } from './breaches.ts'
import type { ApiItem, EventPlace } from './reply.ts'
import { spelled } from './reply.ts'

/** A part of a message or of reasoning while it is streamed. */
interface Part {
  readonly pieces: string[]
  /** What was seen of it: added, deltas, text done, part done. */
  step: 'none' | 'added' | 'text-done' | 'done'
  /** Whether another order than that was seen. */
  isOdd: boolean
}

/** An item of a response while it is streamed. */
export interface OutputItem {
  id: string
  type: string
  callId: string
  name: string
  /** By kind and index. */
  readonly parts: Map<string, Part>
  /** Pieces of the arguments. */
  readonly joined: string[]
  /** The arguments of the done event, or null. */
  done: string | null
  /** The item of its done event, or null. */
  item: PyDict | null
  /** Whether something of it came before its added event. */
  isGuessed: boolean
  /** Whether the added event had arguments. */
  hasBegin: boolean
  isDone: boolean
  /** Whether it is reasoning that came in events of reasoning. */
  hasEvents: boolean
  /** Whether reasoning came in events of texts. */
  isMixed: boolean
  /** Where its done item first was not what had been streamed, or null. */
  differs: Difference | null
  /** Whether events of it came behind its done event: they may be what is missing. */
  isLate: boolean
}

interface Difference {
  readonly event: number
  readonly evidence: string
}

/** A streamed item, or one of a whole response. */
export type ResponseItem = OutputItem | PyDict | null

/** Takes the added event of an item. */
export function startItem(item: OutputItem, given: PyDict | null, { breaches, event }: EventPlace): void {
  item.id = textOr(given?.get('id'))
  item.type = textOr(given?.get('type'))
  if (item.type !== 'function_call') return
  item.callId = textOr(given?.get('call_id'))
  item.name = textOr(given?.get('name'))
  const missing = [item.name === '' ? 'name' : '', item.callId === '' ? 'call_id' : ''].filter((each) => each !== '')
  for (const member of missing) breaches.add('R7', event, `a call is added without its ${member}`)
  item.hasBegin = given?.get('arguments') !== ''
  if (item.hasBegin) breaches.add('R7', event, 'a call is added with arguments')
}

/** Takes an event between added and done. */
export function addItemEvent(
  item: OutputItem,
  { type, value }: { readonly type: string; readonly value: PyDict | null },
  place: EventPlace,
): void {
  // > response.output_text.delta
  //            ^           ^      kind and step
  const [, kind = '', step = ''] = type.split('.')
  if (kind === 'function_call_arguments') {
    if (item.type === '') item.type = 'function_call'
    if (step === 'delta') item.joined.push(textOr(value?.get('delta')))
    else item.done = textOr(value?.get('arguments'))
    return
  }
  const isThought = kind.startsWith('reasoning_')
  if (item.type === '') item.type = isThought ? 'reasoning' : 'message'
  if (item.type === 'reasoning') {
    if (isThought) item.hasEvents = true
    else if (kind !== 'content_part' && !item.isMixed) {
      item.isMixed = true
      place.breaches.add('R13', place.event, `${kind} in an item of reasoning`)
    }
  }
  const at = indexOr(value?.get('content_index') ?? value?.get('summary_index')) ?? 0
  const key = `${kind.includes('summary') ? 'summary' : 'content'} ${at}`
  const part = item.parts.get(key) ?? { pieces: [], step: 'none', isOdd: false }
  item.parts.set(key, part)
  // Reasoning has a law of its own.
  const law = item.type === 'reasoning' ? 'R13' : 'R5'
  stepPart(part, { law, isPart: kind.endsWith('_part'), step, value }, place)
}

interface PartEvent {
  readonly law: 'R5' | 'R13'
  readonly isPart: boolean
  readonly step: string
  readonly value: PyDict | null
}

function stepPart(part: Part, { law, isPart, step, value }: PartEvent, { breaches, event }: EventPlace): void {
  const odd = (evidence: string): void => {
    if (!part.isOdd) breaches.add(law, event, evidence)
    part.isOdd = true
  }
  if (isPart && step === 'added') {
    if (part.step !== 'none') odd('a part is added twice')
    part.step = 'added'
  } else if (isPart) {
    if (part.step !== 'text-done') odd('a part is done before its text')
    if (part.step === 'added') part.step = 'done'
  } else if (step === 'delta') {
    if (part.step !== 'added')
      odd(part.step === 'none' ? 'a delta comes before its part' : 'a delta comes behind its end')
    part.pieces.push(textOr(value?.get('delta')))
  } else {
    if (part.step === 'none') odd('a text is done before its part')
    part.step = 'text-done'
    const text = textOr(value?.get('text') ?? value?.get('refusal'))
    if (text !== part.pieces.join('')) breaches.add('R6', event, 'the text of the done event is not that of the deltas')
  }
}

/** Takes the done event of an item, and compares it with what came before. */
export function takeDone(item: OutputItem, given: PyDict | null, { breaches, event }: EventPlace): void {
  item.item = given
  if (given === null) return
  if (item.type === '') item.type = textOr(given.get('type'))
  if (item.type === 'function_call') return takeCall(item, given, { breaches, event })
  const text = textIn(given)
  const streamed = [...item.parts.values()].flatMap(({ pieces }) => pieces).join('')
  if (item.type === 'reasoning' && !item.hasEvents) {
    if (!item.isMixed && text !== '') breaches.add('R13', event, 'it comes only with the done event')
  } else if (text !== streamed) item.differs = { event, evidence: 'the done item is not what was streamed' }
  const isOpen = [...item.parts.values()].some(({ step, isOdd }) => step !== 'text-done' && !isOdd)
  if (isOpen) breaches.add(item.type === 'reasoning' ? 'R13' : 'R5', event, 'the text of a part was not done')
}

function takeCall(item: OutputItem, given: PyDict, { breaches, event }: EventPlace): void {
  const text = given.get('arguments')
  if (item.done === null && !item.isGuessed) breaches.add('R7', event, 'no done event of its arguments came')
  if (typeof text !== 'string') return breaches.add('R7', event, 'arguments are no text')
  const joined = item.joined.join('')
  if ((item.done !== null && item.done !== joined) || text !== joined)
    item.differs = { event, evidence: 'deltas, done event and done item have different arguments' }
  watchCall(item, given, { breaches, event })
}

function watchCall(item: OutputItem, given: PyDict, { breaches, event }: EventPlace): void {
  const callId = textOr(given.get('call_id'))
  if (callId === '') breaches.add('R10', event, 'a call lacks it')
  else if (item.callId !== '' && callId !== item.callId) breaches.add('R10', event, 'it changes')
  if (item.callId === '') item.callId = callId
  const name = textOr(given.get('name'))
  if (item.name !== '' && name !== item.name) breaches.add('R6', event, 'the name changes')
  if (item.name === '') item.name = name
}

/** Compares a streamed item with that of the final response. */
export function judgeItem(item: OutputItem, final: PyDict | null, breaches: Breaches): void {
  if (final === null) return
  const place = { breaches, event: 0 }
  const id = textOr(final.get('id'))
  if (id !== item.id)
    breaches.add('R4', 0, `${id.slice(0, 40) || 'none'} instead of ${item.id.slice(0, 40)} in the final response`)
  if (item.type === 'function_call') {
    watchCall(item, final, place)
    if (item.item !== null && spelled(final.get('arguments')) !== spelled(item.item.get('arguments')))
      breaches.add('R6', 0, 'the final response has other arguments')
    return
  }
  if (item.item !== null && textIn(final) !== textIn(item.item))
    breaches.add('R6', 0, 'the final response has another text')
}

/** All texts of a message, or of reasoning. */
function textIn(item: PyDict): string {
  return [...listOr(item.get('summary')), ...listOr(item.get('content'))]
    .map((part) => textOr(dictOr(part)?.get('text') ?? dictOr(part)?.get('refusal')))
    .join('')
}

/** Whether an item is one of the API. */
export function hasShape(item: PyDict): boolean {
  const type = item.get('type')
  if (type === 'message') return Array.isArray(item.get('content')) && !item.has('tool_calls')
  if (type === 'function_call') return typeof item.get('name') === 'string'
  return typeof type === 'string' && type !== ''
}

/** What an item says. */
export function itemsOf(item: ResponseItem): readonly ApiItem[] {
  if (item === null) return []
  if (isDict(item)) return itemIn(item)
  if (item.type === 'function_call') {
    const args = item.joined.join('') || (item.done ?? '') || spelled(item.item?.get('arguments'))
    return [{ kind: 'call', id: item.callId, name: item.name, arguments: args }]
  }
  const streamed = [...item.parts.values()].flatMap(({ pieces }) => pieces).join('')
  const text = streamed === '' && item.item !== null ? textIn(item.item) : streamed
  return item.type === 'reasoning'
    ? [{ kind: 'reasoning', text }]
    : item.type === 'message'
      ? [{ kind: 'text', text }]
      : []
}

function itemIn(item: PyDict): readonly ApiItem[] {
  const type = item.get('type')
  if (type === 'reasoning') return [{ kind: 'reasoning', text: textIn(item) }]
  if (type === 'message') return [{ kind: 'text', text: textIn(item) }]
  if (type !== 'function_call') return []
  const [id, name] = [textOr(item.get('call_id')), textOr(item.get('name'))]
  return [{ kind: 'call', id, name, arguments: spelled(item.get('arguments')) }]
}
