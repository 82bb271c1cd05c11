import type { PyDict } from '@callspec/python'
import type { ReplyReader } from './chat.ts'
import type { SentEvent } from './events.ts'
import { dictOr, DONE, indexOr, listOr, nameFault, textOr } from './events.ts'
import type { Breaches } from './breaches.ts'
import { createBreaches } from './breaches.ts'
import type { ApiReply, ReplyOptions } from './reply.ts'
import {
  errorText,
  headOf,
  isSaid,
  judgeItems,
  readEvent,
  judgeLostBytes,
  repeated,
  usageOf,
  usageParts,
} from './reply.ts'
import type { OutputItem, ResponseItem } from './response-item.ts'
import { addItemEvent, hasShape, itemsOf, judgeItem, startItem, takeDone } from './response-item.ts'

interface ResponsesState {
  readonly breaches: Breaches
  readonly items: OutputItem[]
  readonly byId: Map<string, OutputItem>
  readonly byIndex: Map<number, OutputItem>
  event: number
  /** The sequence number that the next event should have. */
  next: number
  id: string | null
  terminal: string | null
  response: PyDict | null
  /** That of the first event. */
  begun: PyDict | null
  error: string | null
  unknown: number
}

const TERMINALS: Readonly<Record<string, string>> = {
  'response.completed': 'completed',
  'response.incomplete': 'incomplete',
  'response.failed': 'failed',
}

/** Events of items, but for added and done. */
const OF_ITEMS =
  /^response\.(?:content_part|output_text|refusal|function_call_arguments|reasoning_(?:text|summary_part|summary_text))\.[a-z_.]+$/

/** Reads a streamed reply of `/v1/responses`. Linear in the events. */
export function createResponsesReader(options: ReplyOptions): ReplyReader {
  const state: ResponsesState = {
    ...{ breaches: createBreaches(), items: [], byId: new Map(), byIndex: new Map(), event: 0, next: 0 },
    ...{ id: null, terminal: null, response: null, begun: null, error: null, unknown: 0 },
  }
  return {
    add: (event) => {
      if (event.data.trim() === DONE) return
      state.event += 1
      addEvent(event, state)
    },
    end: () => endOf(state, options),
  }
}

function addEvent({ name, data }: SentEvent, state: ResponsesState): void {
  const { breaches, event } = state
  const value = readEvent(data, 'R17', state)
  if (value === null && name === '') {
    // Nothing else is known of it.
    state.unknown += 1
    return
  }
  const given = textOr(value?.get('type'))
  const type = given || name
  const short = type.slice(0, 60)
  if (name !== given && value !== null) breaches.add('R11', event, nameFault(name, given))
  if (type === 'error') {
    state.error = errorText(value?.get('error') ?? value?.get('message'))
    return
  }
  countEvent(value, { type, short }, state)
  if (state.terminal !== null) breaches.add('R8', event, `${short} follows ${state.terminal}`)
  const response = dictOr(value?.get('response'))
  if (response !== null) watchId(response, state)
  state.begun ??= response
  if (TERMINALS[type] !== undefined) {
    state.terminal ??= type
    state.response ??= response
    const failure = dictOr(response?.get('error'))
    if (failure !== null) state.error ??= errorText(failure)
  } else if (type === 'response.output_item.added') addItem(value, state)
  else if (type === 'response.output_item.done') finishItem(value, state)
  else if (OF_ITEMS.test(type)) {
    if (type.endsWith('.delta')) judgeLostBytes(textOr(value?.get('delta')), 'R19', state)
    addToItem(type, value, state)
  } else if (!HEADS.has(type)) state.unknown += 1
}

const HEADS: ReadonlySet<string> = new Set(['response.created', 'response.in_progress', 'response.queued'])

function countEvent(
  value: PyDict | null,
  { type, short }: Readonly<Record<'type' | 'short', string>>,
  state: ResponsesState,
): void {
  const { breaches, event } = state
  if (event === 1 && type !== 'response.created') breaches.add('R1', event, `${short} comes first`)
  const number = indexOr(value?.get('sequence_number'))
  if (number !== state.next)
    breaches.add(
      'R1',
      event,
      number === null ? 'there is no sequence number' : `it is ${number} instead of ${state.next}`,
    )
  state.next = (number ?? state.next) + 1
}

function watchId(response: PyDict, state: ResponsesState): void {
  const id = textOr(response.get('id'))
  if (state.id !== null && id !== state.id) state.breaches.add('R16', state.event, 'it changes')
  state.id ??= id
}

function addItem(value: PyDict | null, state: ResponsesState): void {
  const { breaches, event, items, byIndex } = state
  const given = dictOr(value?.get('item'))
  const index = indexOr(value?.get('output_index'))
  // Its deltas came already.
  const early = index === null ? undefined : byIndex.get(index)
  const isLate = early?.isGuessed === true
  if (!isLate && index !== items.length)
    breaches.add(
      'R2',
      event,
      index === null ? 'there is no output_index' : `item ${items.length + 1} has the index ${index}`,
    )
  const item = isLate ? early : createItem(state, { index, id: textOr(given?.get('id')) })
  item.isGuessed = false
  startItem(item, given, { breaches, event })
}

function createItem(
  state: ResponsesState,
  { index, id }: { readonly index: number | null; readonly id: string },
): OutputItem {
  const item: OutputItem = {
    ...{ id, type: '', callId: '', name: '', parts: new Map(), joined: [], done: null, item: null },
    ...{
      isGuessed: false,
      hasBegin: false,
      isDone: false,
      hasEvents: false,
      isMixed: false,
      differs: null,
      isLate: false,
    },
  }
  state.items.push(item)
  if (id !== '') state.byId.set(id, item)
  if (index !== null) state.byIndex.set(index, item)
  return item
}

/** The item of an event: by its id, else by its index. A missing or strange index breaks R2, another id R4. */
function itemOf(value: PyDict | null, id: string, state: ResponsesState): OutputItem {
  const { breaches, event, byId, byIndex, items } = state
  const index = indexOr(value?.get('output_index'))
  if (index === null) breaches.add('R2', event, 'there is no output_index')
  const atIndex = index === null ? undefined : byIndex.get(index)
  const item = byId.get(id) ?? atIndex ?? (id === '' && index === null ? items.at(-1) : undefined)
  if (item === undefined) {
    breaches.add('R2', event, 'its added event did not come')
    const guessed = createItem(state, { index, id })
    guessed.isGuessed = true
    return guessed
  }
  if (item.id !== id && !byId.has(id))
    breaches.add('R4', event, `${id.slice(0, 40) || 'none'} instead of ${item.id.slice(0, 40)}`)
  return item
}

function addToItem(type: string, value: PyDict | null, state: ResponsesState): void {
  const { breaches, event } = state
  const item = itemOf(value, textOr(value?.get('item_id')), state)
  if (item.isDone) {
    item.isLate = true
    return breaches.add('R12', event, type.slice(0, 60))
  }
  addItemEvent(item, { type, value }, { breaches, event })
}

function finishItem(value: PyDict | null, state: ResponsesState): void {
  const { breaches, event } = state
  const given = dictOr(value?.get('item'))
  const item = itemOf(value, textOr(given?.get('id')), state)
  if (item.isDone) return breaches.add('R3', event, 'a second done event comes')
  item.isDone = true
  takeDone(item, given, { breaches, event })
}

function endOf(state: ResponsesState, { holdsCall }: ReplyOptions): ApiReply {
  const { breaches, items, response, terminal, error } = state
  const final = response === null ? null : listOr(response.get('output')).map(dictOr)
  if (error === null && terminal === null) breaches.add('R8', 0, 'no terminal event came')
  for (const { isDone, isLate, differs } of items) {
    if (!isDone && error === null && terminal !== null) breaches.add('R3', 0, 'a done event is missing')
    if (differs !== null && !isLate) breaches.add('R6', differs.event, differs.evidence)
  }
  // A response that failed need not hold what was streamed.
  if (final !== null && error === null) compareFinal(items, final, breaches)
  // Cut streams keep what arrived.
  const said: readonly ResponseItem[] = items.length === 0 && final !== null ? final : items.map((item) => item)
  return judged(said, { state, holdsCall, final })
}

function compareFinal(items: readonly OutputItem[], final: readonly (PyDict | null)[], breaches: Breaches): void {
  if (final.length !== items.length)
    breaches.add('R14', 0, `it has ${final.length} items, ${items.length} were streamed`)
  const places = new Map(items.map((item, at) => [item.id, at]))
  const isMoved = final.some((item, at) => {
    const place = places.get(textOr(item?.get('id')))
    return place !== undefined && place !== at
  })
  if (isMoved) return breaches.add('R14', 0, 'their order differs')
  const isShort = final.length !== items.length
  for (const [at, item] of items.entries()) {
    const other = isShort ? final.find((each) => each?.get('id') === item.id) : final[at]
    if (other !== undefined) judgeItem(item, other, breaches)
  }
}

/** Reads a whole reply of `/v1/responses`. */
export function readResponses(body: PyDict, options: ReplyOptions): ApiReply {
  const breaches = createBreaches()
  const output = body.get('output')
  if (!Array.isArray(output)) breaches.add('R14', 0, 'output is no list')
  const final = listOr(output).map(dictOr)
  const error = body.get('error')
  const state: ResponsesState = {
    ...{ breaches, items: [], byId: new Map(), byIndex: new Map(), event: 0, next: 0, id: null, unknown: 0 },
    ...{
      terminal: null,
      response: body,
      begun: null,
      error: error === undefined || error === null ? null : errorText(error),
    },
  }
  for (const item of final)
    if (item?.get('type') === 'function_call') {
      if (textOr(item.get('call_id')) === '') breaches.add('R10', 0, 'a call lacks it')
      if (typeof item.get('arguments') !== 'string') breaches.add('R7', 0, 'arguments are no text')
    }
  return judged(final, { state, ...options, final })
}

interface End {
  readonly state: ResponsesState
  readonly holdsCall: ReplyOptions['holdsCall']
  /** The items of the final response. */
  readonly final: readonly (PyDict | null)[] | null
}

function judged(said: readonly ResponseItem[], { state, holdsCall, final }: End): ApiReply {
  const { breaches, response, error } = state
  const items = said.flatMap(itemsOf)
  judgeItems(items, 'R19', breaches)
  const calls = items.filter((item) => item.kind === 'call')
  if (final?.some((item) => item === null || !hasShape(item)) === true)
    breaches.add('R14', 0, 'an item has another shape')
  for (const id of repeated(calls.map(({ id }) => id)))
    breaches.add('R10', 0, `two calls have ${JSON.stringify(id.slice(0, 40))}`)
  if (items.some((item) => item.kind === 'text' && holdsCall(item.text)))
    breaches.add('R18', 0, 'a format reads one in it')
  const status = textOr(response?.get('status'))
  const reason = textOr(dictOr(response?.get('incomplete_details'))?.get('reason'))
  if (response !== null && error === null) {
    const isCut = state.items.some(({ item }) => item?.get('status') === 'incomplete')
    judgeStatus(
      { status, reason, isCut: isCut || final?.some((item) => item?.get('status') === 'incomplete') === true },
      state,
    )
    if (dictOr(response.get('usage')) === null) breaches.add('R15', 0, 'it is missing')
  }
  const finish = finishOf(status, reason, calls.length)
  const usage = usageOf(dictOr(response?.get('usage')), { input: ['input_tokens'], output: ['output_tokens'] })
  const parts = usageParts(dictOr(response?.get('usage')), 'input_tokens_details', 'output_tokens_details')
  return {
    ...headOf(response ?? state.begun),
    items: items.filter(isSaid),
    finish,
    usage,
    parts,
    error,
    breaches: breaches.list(),
    unknown: state.unknown,
  }
}

interface Status {
  readonly status: string
  readonly reason: string
  readonly isCut: boolean
}

function judgeStatus({ status, reason, isCut }: Status, { breaches, terminal }: ResponsesState): void {
  const wanted = terminal === null ? status : TERMINALS[terminal]
  if (status !== wanted) breaches.add('R9', 0, `the status is ${status.slice(0, 40) || 'missing'} in ${terminal ?? ''}`)
  else if ((status === 'incomplete') !== (reason !== ''))
    breaches.add(
      'R9',
      0,
      reason === '' ? 'it is incomplete without a reason' : `it is ${status}, with a reason why it is incomplete`,
    )
  else if (status === 'completed' && isCut) breaches.add('R9', 0, 'it is completed, but an item is incomplete')
}

function finishOf(status: string, reason: string, calls: number): string | null {
  if (status === 'completed') return calls > 0 ? 'tool_calls' : 'stop'
  if (status === 'incomplete') return reason === 'max_output_tokens' || reason === '' ? 'length' : reason
  return status === '' || status === 'in_progress' ? null : status
}
