import { standardKind } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { SentEvent } from './events.ts'
import { dictOf, dictOr, DONE, indexOr, listOr, textOr } from './events.ts'
import type { Breaches } from './laws.ts'
import { createBreaches } from './laws.ts'
import type { ApiItem, ApiReply, ReplyOptions } from './reply.ts'
import {
  cutsCharacter,
  errorText,
  headOf,
  isSaid,
  leavesCall,
  repeated,
  spelled,
  usageOf,
  usageParts,
} from './reply.ts'

/** Reads the events of one reply, and what it broke. */
export interface ReplyReader {
  add(event: SentEvent): void
  end(): ApiReply
}

interface ChatCall {
  id: string
  name: string
  readonly pieces: string[]
  /** Whether an argument came as something else than a text. */
  isValue: boolean
}

interface ChatState {
  readonly breaches: Breaches
  readonly reasoning: string[]
  readonly text: string[]
  readonly calls: ChatCall[]
  /** The call to which deltas with an index belong. */
  readonly byIndex: Map<number, ChatCall>
  /** Number of the event, from 1. */
  event: number
  /** The members that must not change, of the first chunk. */
  head: readonly (PyValue | undefined)[] | null
  /** The first chunk, or the body. */
  first: PyDict | null
  hasRole: boolean
  finish: string | null
  usage: PyDict | null
  error: string | null
  isDone: boolean
  /** The index of the choice that is read. */
  readonly choice: number
}

const HEAD = ['id', 'model', 'created', 'object']

/** Evidence of a breach of C5 that no client minds. */
export const NAME_AGAIN = 'the name comes again'

/** Reads a streamed reply of `/v1/chat/completions`: one choice. Linear. */
export function createChatReader(options: ReplyOptions): ReplyReader {
  const state = createState(options)
  return {
    add: ({ data }) => {
      state.event += 1
      if (data.trim() === DONE) state.isDone = true
      else addChunk(dictOf(data), state)
    },
    end: () => {
      const isOver = state.error !== null
      if (!isOver) {
        if (state.finish === null) state.breaches.add('C7', 0, 'no finish reason came')
        if (!state.isDone) state.breaches.add('C8', 0, 'it is missing')
      }
      return replyOf(state, options, isOver)
    },
  }
}

/** Reads a whole reply of `/v1/chat/completions`. */
export function readChat(body: PyDict, options: ReplyOptions): ApiReply {
  const state = createState(options)
  state.first = body
  const choice = dictOr(listOr(body.get('choices'))[state.choice])
  const message = dictOr(choice?.get('message'))
  state.usage = dictOr(body.get('usage'))
  state.error = errorIn(body)
  for (const given of listOr(message?.get('tool_calls'))) {
    const delta = dictOr(given)
    const called = dictOr(delta?.get('function'))
    const call = { id: textOr(delta?.get('id')), name: textOr(called?.get('name')), pieces: [], isValue: false }
    state.calls.push(call)
    addArguments(call, called?.get('arguments'))
    if (call.id === '') state.breaches.add('C4', 0, 'a call lacks its id')
    if (call.name === '') state.breaches.add('C4', 0, 'a call lacks its name')
  }
  addTexts(message, state)
  state.finish = finishIn(choice)
  if (state.finish === null && state.error === null) state.breaches.add('C7', 0, 'no finish reason came')
  return replyOf(state, options, state.error !== null)
}

function createState({ choice = 0 }: ReplyOptions): ChatState {
  return {
    ...{
      breaches: createBreaches(),
      reasoning: [],
      text: [],
      calls: [],
      byIndex: new Map(),
      event: 0,
      head: null,
      first: null,
    },
    ...{ hasRole: false, finish: null, usage: null, error: null, isDone: false, choice },
  }
}

function errorIn(body: PyDict): string | null {
  const error = body.get('error')
  return error === undefined || error === null ? null : errorText(error)
}

function addChunk(chunk: PyDict | null, state: ChatState): void {
  const { breaches, event } = state
  if (state.error !== null) breaches.add('C13', event, 'more follows the error')
  // Clients cannot read it, and know nothing of its members.
  if (chunk === null) return
  const error = errorIn(chunk)
  if (error !== null) {
    state.error = error
    return
  }
  const head = HEAD.map((member) => chunk.get(member))
  state.head ??= head
  state.first ??= chunk
  const changed = HEAD.find((_, at) => head[at] !== state.head?.[at])
  // The first chunk of Azure has an empty id, and no choice.
  if (changed !== undefined && state.head[0] !== '') breaches.add('C2', event, `${changed} changes`)
  if (state.head[0] === '') state.head = head
  const choices = listOr(chunk.get('choices'))
  const usage = dictOr(chunk.get('usage'))
  if (usage !== null) {
    state.usage = usage
    if (choices.length > 0) breaches.add('C11', event, 'usage and a choice come in one chunk')
  }
  for (const given of choices) {
    const choice = dictOr(given)
    // Other choices are other replies.
    if (choice !== null && (indexOr(choice.get('index')) ?? 0) === state.choice) addChoice(choice, state)
  }
}

function addChoice(choice: PyDict, state: ChatState): void {
  const { breaches, event } = state
  const delta = dictOr(choice.get('delta'))
  if (!state.hasRole && delta?.get('role') !== 'assistant') breaches.add('C1', event, 'it does not')
  state.hasRole = true
  const calls = listOr(delta?.get('tool_calls'))
  const hasTexts = addTexts(delta, state)
  if (state.finish !== null && (hasTexts || calls.length > 0)) breaches.add('C7', event, 'a delta follows the finish')
  for (const call of calls) addCall(dictOr(call), state)
  const finish = finishIn(choice)
  if (finish === null) return
  if (state.finish !== null) breaches.add('C7', event, 'a second finish reason comes')
  state.finish = finish
}

function finishIn(choice: PyDict | null): string | null {
  return textOr(choice?.get('finish_reason')) || null
}

/** Whether there were any. */
function addTexts(delta: PyDict | null, { reasoning, text, breaches, event }: ChatState): boolean {
  const thought = textOr(delta?.get('reasoning_content')) || textOr(delta?.get('reasoning'))
  const content = textOr(delta?.get('content'))
  if (cutsCharacter(thought) || cutsCharacter(content)) breaches.add('C14', event, 'a text is cut inside a character')
  reasoning.push(thought)
  text.push(content)
  return thought !== '' || content !== ''
}

function addCall(delta: PyDict | null, state: ChatState): void {
  const { breaches, event, calls, byIndex } = state
  const called = dictOr(delta?.get('function'))
  const [id, name] = [textOr(delta?.get('id')), textOr(called?.get('name'))]
  const index = indexOr(delta?.get('index'))
  if (index === null) breaches.add('C3', event, 'a delta of a call has no index')
  let call = index === null ? calls.at(-1) : byIndex.get(index)
  const isOther = call !== undefined && id !== '' && id !== call.id && name !== '' && call.id !== ''
  if (isOther && index !== null) breaches.add('C3', event, `two calls have the index ${index}`)
  if (call === undefined || isOther) {
    if (index !== null && !isOther && index !== byIndex.size)
      breaches.add('C6', event, `call ${byIndex.size + 1} has the index ${index}`)
    if (id === '' || name === '') breaches.add('C4', event, `its first delta lacks the ${id === '' ? 'id' : 'name'}`)
    call = { id, name, pieces: [], isValue: false }
    calls.push(call)
    if (index !== null) byIndex.set(index, call)
  } else {
    if (id !== '' && call.id !== '' && id !== call.id) breaches.add('C5', event, 'the id changes within a call')
    if (name !== '' && call.name !== '')
      breaches.add('C5', event, name === call.name ? NAME_AGAIN : 'the name changes within a call')
    if (call.id === '') call.id = id
    if (call.name === '') call.name = name
  }
  const piece = addArguments(call, called?.get('arguments'))
  if (cutsCharacter(piece)) breaches.add('C14', event, 'arguments are cut inside a character')
}

function addArguments(call: ChatCall, given: PyValue | undefined): string {
  if (given === undefined || given === null) return ''
  if (typeof given !== 'string') call.isValue = true
  const piece = spelled(given)
  call.pieces.push(piece)
  return piece
}

function replyOf(state: ChatState, options: ReplyOptions, isOver: boolean): ApiReply {
  const { breaches, finish, calls } = state
  const text = state.text.join('')
  const said = calls.map(({ id, name, pieces }) => ({ kind: 'call', id, name, arguments: pieces.join('') }) as const)
  const isCut = isOver || finish === 'length'
  for (const [at, call] of calls.entries()) {
    const args = said[at]?.arguments ?? ''
    if (call.isValue) breaches.add('C10', 0, `those of call ${at + 1} are a value, no text`)
    else if (!isCut && standardKind(args) !== 'object')
      breaches.add('C10', 0, `those of call ${at + 1} are no JSON object`)
  }
  for (const id of repeated(calls.map(({ id }) => id))) breaches.add('C15', 0, JSON.stringify(id.slice(0, 40)))
  if (leavesCall(text, finish === 'tool_calls' && calls.length === 0, options))
    breaches.add('C12', 0, 'a format reads one in it')
  else if (!isOver) judgeFinish(finish, calls.length, breaches)
  const items: readonly ApiItem[] = [
    { kind: 'reasoning', text: state.reasoning.join('') },
    { kind: 'text', text },
    ...said,
  ]
  const usage = usageOf(state.usage, { input: ['prompt_tokens'], output: ['completion_tokens'] })
  const parts = usageParts(state.usage, 'prompt_tokens_details', 'completion_tokens_details')
  return {
    ...headOf(state.first),
    items: items.filter(isSaid),
    finish,
    usage,
    parts,
    error: state.error,
    breaches: breaches.list(),
    unknown: 0,
  }
}

function judgeFinish(finish: string | null, calls: number, breaches: Breaches): void {
  if (finish === 'tool_calls' && calls === 0) breaches.add('C9', 0, 'it is tool_calls without a call')
  if (finish === 'stop' && calls > 0) breaches.add('C9', 0, 'it is stop after a call')
}
