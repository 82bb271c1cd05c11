import { standardKind } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import type { ReplyReader } from './chat.ts'
import type { SentEvent } from './events.ts'
import { dictOr, DONE, indexOr, listOr, nameFault, textOr } from './events.ts'
import type { Breaches } from './breaches.ts'
import { createBreaches } from './breaches.ts'
import type { ApiItem, ApiReply, ReplyOptions } from './reply.ts'
import {
  errorText,
  headOf,
  isSaid,
  judgeItems,
  readEvent,
  judgeLostBytes,
  leavesCall,
  repeated,
  spelled,
  usageOf,
} from './reply.ts'

interface Block {
  readonly index: number
  /** Empty until its start is known. */
  type: string
  id: string
  name: string
  /** What came in the start: a text, or a call's input. */
  begin: string
  readonly pieces: string[]
  isSigned: boolean
  isOpen: boolean
  /** Whether deltas came before any start. */
  isGuessed: boolean
}

interface MessagesState {
  readonly breaches: Breaches
  readonly blocks: Block[]
  /** The newest block of each index. */
  readonly byIndex: Map<number, Block>
  /** How many blocks are open. */
  open: number
  event: number
  hasStart: boolean
  /** The message of the start, or the body. */
  head: PyDict | null
  input: PyDict | null
  output: PyDict | null
  /** Whether a message_delta came. */
  hasDelta: boolean
  isStopped: boolean
  stopReason: string | null
  stopSequence: string | null
  error: string | null
  unknown: number
}

/** The kind of delta that each kind of block takes, and the member with the piece. */
const DELTAS: Readonly<Record<string, readonly [block: string, member: string]>> = {
  text_delta: ['text', 'text'],
  citations_delta: ['text', ''],
  thinking_delta: ['thinking', 'thinking'],
  signature_delta: ['thinking', ''],
  input_json_delta: ['tool_use', 'partial_json'],
}

const STOP_REASONS: ReadonlySet<string> = new Set([
  ...['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'pause_turn', 'refusal'],
  'model_context_window_exceeded',
])

/** Reads a streamed reply of `/v1/messages`. Linear in the events. */
export function createMessagesReader(options: ReplyOptions): ReplyReader {
  const state = createState()
  return {
    add: (event) => {
      state.event += 1
      addEvent(event, state)
    },
    end: () => {
      judgeEnd(state)
      return replyOf(state, options)
    },
  }
}

/** Reads a whole reply of `/v1/messages`. */
export function readMessages(body: PyDict, options: ReplyOptions): ApiReply {
  const state = createState()
  const { breaches } = state
  state.head = body
  const content = body.get('content')
  if (body.get('type') === 'error') state.error = errorText(body.get('error'))
  else if (!Array.isArray(content)) breaches.add('M1', 0, 'content is no list')
  const given =
    typeof content === 'string'
      ? [
          new Map([
            ['type', 'text'],
            ['text', content],
          ]),
        ]
      : listOr(content)
  for (const value of given) {
    const member = dictOr(value)
    const block = openBlock(state, state.blocks.length)
    fillBlock(block, member)
    if (block.type !== 'tool_use') continue
    if (block.id === '' || block.name === '') breaches.add('M5', 0, 'a call lacks its id or name')
    if (dictOr(member?.get('input')) === null) breaches.add('M6', 0, `that of call ${block.index + 1} is no object`)
  }
  state.stopReason = textOr(body.get('stop_reason')) || null
  state.stopSequence = textOr(body.get('stop_sequence')) || null
  state.input = dictOr(body.get('usage'))
  state.output = state.input
  if (state.error === null && state.input === null) breaches.add('M12', 0, 'there is no usage')
  return replyOf(state, options)
}

function createState(): MessagesState {
  return {
    ...{
      breaches: createBreaches(),
      blocks: [],
      byIndex: new Map(),
      open: 0,
      event: 0,
      hasStart: false,
      head: null,
      input: null,
      output: null,
    },
    ...{ hasDelta: false, isStopped: false, stopReason: null, stopSequence: null, error: null, unknown: 0 },
  }
}

function addEvent({ name, data }: SentEvent, state: MessagesState): void {
  const { breaches, event } = state
  if (data.trim() === DONE) return breaches.add('M15', event, 'it came')
  const value = readEvent(data, 'M17', state)
  if (value === null && name === '') {
    // Nothing else is known of it.
    state.unknown += 1
    return
  }
  const given = textOr(value?.get('type'))
  const type = given || name
  if (name !== given && value !== null) breaches.add('M10', event, nameFault(name, given))
  if (type === 'ping') return
  if (state.error !== null) return breaches.add('M14', event, type.slice(0, 40))
  if (state.isStopped) return breaches.add('M9', event, `${type.slice(0, 40)} follows it`)
  if (type !== 'message_start' && type !== 'error' && !state.hasStart && !breaches.has('M1'))
    breaches.add('M1', event, `${type.slice(0, 40)} comes first`)
  switch (type) {
    case 'message_start':
      return addStart(dictOr(value?.get('message')), state)
    case 'content_block_start':
      return addBlock(value, state)
    case 'content_block_delta':
      return addDelta(value, state)
    case 'content_block_stop':
      return stopBlock(value, state)
    case 'message_delta':
      return addMessageDelta(value, state)
    case 'message_stop':
      state.isStopped = true
      return
    case 'error':
      state.error = errorText(value?.get('error'))
      return
    default:
      state.unknown += 1
  }
}

function addStart(message: PyDict | null, state: MessagesState): void {
  const { breaches, event } = state
  if (state.hasStart) breaches.add('M1', event, 'a second one comes')
  else state.input = dictOr(message?.get('usage'))
  state.hasStart = true
  state.head ??= message
  const content = message?.get('content')
  if (!Array.isArray(content) || content.length > 0) breaches.add('M1', event, 'its content is no empty list')
  const reason = message?.get('stop_reason')
  if (reason !== null && reason !== undefined) breaches.add('M1', event, 'it has a stop reason')
}

function openBlock(state: MessagesState, index: number): Block {
  const block: Block = {
    ...{ index, type: '', id: '', name: '', begin: '', pieces: [], isSigned: false, isOpen: true, isGuessed: false },
  }
  state.blocks.push(block)
  state.byIndex.set(index, block)
  state.open += 1
  return block
}

function fillBlock(block: Block, given: PyDict | null): void {
  block.type = textOr(given?.get('type'))
  block.id = textOr(given?.get('id'))
  block.name = textOr(given?.get('name'))
  const input = given?.get('input')
  const isEmpty = dictOr(input)?.size === 0
  block.begin = block.type === 'tool_use' ? (isEmpty ? '{}' : spelled(input)) : textOr(given?.get(block.type))
  block.isSigned = textOr(given?.get('signature')) !== ''
}

function addBlock(value: PyDict | null, state: MessagesState): void {
  const { breaches, event, blocks } = state
  const index = indexOr(value?.get('index'))
  if (state.hasDelta) breaches.add('M8', event, 'a block follows it')
  const last = blocks.at(-1)
  // Deltas of it came already.
  const isLate = last?.isGuessed === true && last.isOpen && last.index === (index ?? last.index)
  if (!isLate && index !== blocks.length)
    breaches.add(
      'M2',
      event,
      index === null ? 'a start has no index' : `block ${blocks.length + 1} has the index ${index}`,
    )
  if (!isLate && state.open > 0) breaches.add('M3', event, 'another is still open')
  const block = isLate ? last : openBlock(state, index ?? blocks.length)
  block.isGuessed = false
  const given = dictOr(value?.get('content_block'))
  fillBlock(block, given)
  if (block.type !== 'tool_use') return
  if (block.id === '' || block.name === '') breaches.add('M5', event, `it lacks its ${block.id === '' ? 'id' : 'name'}`)
  if (dictOr(given?.get('input'))?.size !== 0) breaches.add('M5', event, 'its input is no empty object')
}

/** The newest block of an index; the newest of all without an index. */
function blockAt(state: MessagesState, index: number | null): Block | undefined {
  return index === null ? state.blocks.at(-1) : state.byIndex.get(index)
}

function addDelta(value: PyDict | null, state: MessagesState): void {
  const { breaches, event } = state
  const index = indexOr(value?.get('index'))
  const delta = dictOr(value?.get('delta'))
  const type = textOr(delta?.get('type'))
  const [kind, member] = DELTAS[type] ?? ['', '']
  if (kind === '') {
    state.unknown += 1
    return
  }
  let block = blockAt(state, index)
  if (block === undefined) {
    breaches.add('M2', event, 'a delta comes before its start')
    block = openBlock(state, index ?? state.blocks.length)
    block.type = kind
    block.isGuessed = true
  }
  if (block.type !== kind && block.type !== '')
    return breaches.add('M4', event, `${type} in a block of type ${block.type.slice(0, 40)}`)
  if (!block.isOpen) breaches.add('M2', event, 'a delta comes behind the stop')
  if (type === 'signature_delta') block.isSigned = true
  const piece = member === '' ? '' : textOr(delta?.get(member))
  judgeLostBytes(piece, 'M19', state)
  if (piece !== '') block.pieces.push(piece)
}

function stopBlock(value: PyDict | null, state: MessagesState): void {
  const { breaches, event } = state
  const block = blockAt(state, indexOr(value?.get('index')))
  if (block === undefined) return breaches.add('M2', event, 'a stop comes without a start')
  if (block.isOpen) state.open -= 1
  else breaches.add('M2', event, 'a second stop comes')
  block.isOpen = false
  if (block.type === 'thinking' && !block.isSigned) breaches.add('M7', event, 'there is none')
}

function addMessageDelta(value: PyDict | null, state: MessagesState): void {
  const { breaches, event } = state
  const delta = dictOr(value?.get('delta'))
  if (state.hasDelta) breaches.add('M8', event, 'a second one comes')
  state.hasDelta = true
  state.output = dictOr(value?.get('usage')) ?? state.output
  state.stopReason = textOr(delta?.get('stop_reason')) || state.stopReason
  state.stopSequence = textOr(delta?.get('stop_sequence')) || state.stopSequence
  if (state.stopReason === null) breaches.add('M8', event, 'its stop reason is missing')
}

function judgeEnd(state: MessagesState): void {
  const { breaches, error } = state
  if (error !== null) return
  if (!state.hasStart && !breaches.has('M1')) breaches.add('M1', 0, 'no message_start came')
  if (state.open > 0) breaches.add('M2', 0, 'a stop is missing')
  if (!state.hasDelta) breaches.add('M8', 0, 'no message_delta came')
  if (!state.isStopped) breaches.add('M9', 0, 'it is missing')
  if (state.hasStart && indexOr(state.input?.get('input_tokens')) === null)
    breaches.add('M12', 0, 'message_start has no input_tokens')
  const output = indexOr(state.output?.get('output_tokens'))
  if (state.hasDelta && output === null) breaches.add('M12', 0, 'message_delta has no output_tokens')
  if (output !== null && output < (indexOr(state.input?.get('output_tokens')) ?? 0))
    breaches.add('M12', 0, 'output_tokens become fewer')
}

function replyOf(state: MessagesState, options: ReplyOptions): ApiReply {
  const { breaches, blocks, stopReason, error } = state
  const isCut = error !== null || stopReason === 'max_tokens'
  for (const { index, type, pieces } of blocks)
    if (type === 'tool_use' && !isCut && pieces.length > 0 && standardKind(pieces.join('')) !== 'object')
      breaches.add('M6', 0, `that of block ${index} is no JSON object`)
  const calls = blocks.filter(({ type }) => type === 'tool_use')
  for (const id of repeated(calls.map(({ id }) => id))) breaches.add('M16', 0, JSON.stringify(id.slice(0, 40)))
  const items = blocks.flatMap(itemOf)
  judgeItems(items, 'M19', breaches)
  const isAnnounced = stopReason === 'tool_use' && calls.length === 0
  if (items.some((item) => item.kind === 'text' && leavesCall(item.text, isAnnounced, options)))
    breaches.add('M18', 0, 'a format reads one in it')
  else if (error === null) judgeReason(state, calls.length)
  const input = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens']
  const counted = new Map([...(state.input ?? []), ...(state.output ?? [])])
  const usage = usageOf(counted, { input, output: ['output_tokens'] })
  const finish = FINISHES[stopReason ?? ''] ?? stopReason
  const parts = { cached: indexOr(counted.get('cache_read_input_tokens')), reasoning: null }
  return {
    ...headOf(state.head),
    items: items.filter(isSaid),
    finish,
    usage,
    parts,
    error,
    breaches: breaches.list(),
    unknown: state.unknown,
  }
}

const FINISHES: Readonly<Record<string, string>> = { end_turn: 'stop', tool_use: 'tool_calls', max_tokens: 'length' }

function judgeReason({ breaches, stopReason, stopSequence }: MessagesState, calls: number): void {
  // Missing, it breaks M8.
  if (stopReason === null) return
  if (!STOP_REASONS.has(stopReason))
    return breaches.add('M11', 0, `${JSON.stringify(stopReason.slice(0, 40))} is no word of the API`)
  if (stopReason === 'tool_use' && calls === 0) breaches.add('M11', 0, 'it is tool_use without a call')
  if (stopReason === 'end_turn' && calls > 0) breaches.add('M11', 0, 'it is end_turn after a call')
  if ((stopReason === 'stop_sequence') !== (stopSequence !== null))
    breaches.add(
      'M11',
      0,
      stopSequence === null ? 'no stop sequence is named' : `it is ${stopReason}, but a stop sequence is named`,
    )
}

function itemOf({ type, id, name, begin, pieces }: Block): readonly ApiItem[] {
  const text = pieces.join('')
  if (type === 'text') return [{ kind: 'text', text: `${begin}${text}` }]
  if (type === 'thinking') return [{ kind: 'reasoning', text: `${begin}${text}` }]
  return type === 'tool_use' ? [{ kind: 'call', id, name, arguments: text === '' ? begin || '{}' : text }] : []
}
