import type { PyDict, PyValue } from '@callspec/python'
import type { Breaches } from './breaches.ts'
import { createBreaches } from './breaches.ts'
import type { ChatChoice } from './chat-choice.ts'
import { addToChoice, createChoice, choiceItems, judgeChoice, takeChoice } from './chat-choice.ts'
import type { SentEvent } from './events.ts'
import { dictOr, DONE, indexOr, listOr } from './events.ts'
import type { ApiReply, EventPlace, ReplyOptions } from './reply.ts'
import { errorText, headOf, readEvent, usageOf, usageParts } from './reply.ts'

/** Reads the events of one reply, and what it broke. */
export interface ReplyReader {
  add(event: SentEvent): void
  end(): ApiReply
}

interface ChatState {
  readonly breaches: Breaches
  /** By index. Each is a reply of its own, and judged on its own. */
  readonly choices: Map<number, ChatChoice>
  /** Number of the event, from 1. */
  event: number
  /** The members that must not change, of the first chunk. */
  head: readonly (PyValue | undefined)[] | null
  /** The first chunk, or the body. */
  first: PyDict | null
  usage: PyDict | null
  error: string | null
  isDone: boolean
}

const HEAD = ['id', 'model', 'created', 'object']

/** A server gives few; more are not looked at, except the first one, which is read. */
const MOST_CHOICES = 128

/** Reads a streamed reply of `/v1/chat/completions`, or of `/v1/completions`: its first choice. Laws are judged of each. Linear. */
export function createChatReader(options: ReplyOptions): ReplyReader {
  const state = createState()
  return {
    add: ({ data }) => {
      state.event += 1
      if (data.trim() === DONE) state.isDone = true
      else addChunk(data, state)
    },
    end: () => {
      if (state.error === null && !state.isDone) state.breaches.add('C8', 0, 'it is missing')
      return replyOf(state, options)
    },
  }
}

/** Reads a whole reply of `/v1/chat/completions`, or of `/v1/completions`, as `createChatReader` does. */
export function readChat(body: PyDict, options: ReplyOptions): ApiReply {
  const state = createState()
  state.first = body
  state.usage = dictOr(body.get('usage'))
  state.error = errorIn(body)
  for (const [at, given] of listOr(body.get('choices')).entries()) {
    const choice = dictOr(given)
    const index = indexOr(choice?.get('index')) ?? at
    const own = choiceAt(index, state)
    if (own !== null) takeChoice(own, choice, placeOf(index, state))
  }
  return replyOf(state, options)
}

function createState(): ChatState {
  const none = { head: null, first: null, usage: null, error: null }
  return { ...none, breaches: createBreaches(), choices: new Map(), event: 0, isDone: false }
}

function errorIn(body: PyDict): string | null {
  const error = body.get('error')
  return error === undefined || error === null ? null : errorText(error)
}

function addChunk(data: string, state: ChatState): void {
  const { breaches, event } = state
  if (state.error !== null) breaches.add('C13', event, 'more follows the error')
  const chunk = readEvent(data, 'C16', state)
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
    if (choice === null) continue
    const index = indexOr(choice.get('index')) ?? 0
    const own = choiceAt(index, state)
    if (own !== null) addToChoice(own, choice, placeOf(index, state))
  }
}

function choiceAt(index: number, { choices }: ChatState): ChatChoice | null {
  const known = choices.get(index)
  if (known !== undefined || (choices.size >= MOST_CHOICES && index !== 0)) return known ?? null
  const choice = createChoice()
  choices.set(index, choice)
  return choice
}

/** Where the breaches of a choice go: those of another choice than the first name it. */
function placeOf(index: number, { breaches, event }: Pick<ChatState, 'breaches' | 'event'>): EventPlace {
  if (index === 0) return { breaches, event }
  const add: Breaches['add'] = (law, at, evidence, weight) =>
    breaches.add(law, at, `choice ${index}: ${evidence}`, weight)
  return { breaches: { ...breaches, add }, event }
}

function replyOf(state: ChatState, options: ReplyOptions): ApiReply {
  const { breaches, choices, error } = state
  if (choices.size === 0) choices.set(0, createChoice())
  const inOrder = [...choices].toSorted(([one], [other]) => one - other)
  for (const [index, choice] of inOrder)
    judgeChoice(choice, placeOf(index, state).breaches, { ...options, isOver: error !== null })
  const first = inOrder[0]?.[1] ?? createChoice()
  const items = choiceItems(first)
  return {
    ...headOf(state.first),
    items,
    finish: first.finish,
    usage: usageOf(state.usage, { input: ['prompt_tokens'], output: ['completion_tokens'] }),
    parts: usageParts(state.usage, 'prompt_tokens_details', 'completion_tokens_details'),
    error,
    breaches: breaches.list(),
    unknown: 0,
  }
}
