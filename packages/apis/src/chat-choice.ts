import { standardKind } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { ApiBreach } from './breaches.ts'
import { dictOr, indexOr, listOr, textOr } from './events.ts'
import type { ApiItem, EventPlace, ReplyOptions } from './reply.ts'
import { cutsCharacter, isSaid, judgeLostBytes, leavesCall, repeated, spelled } from './reply.ts'

interface ChatCall {
  id: string
  name: string
  readonly pieces: string[]
  /** Number of the event in which an argument first came as something else than a text; null without one. */
  valueAt: number | null
}

/** One of several replies to one request while it arrives. */
export interface ChatChoice {
  readonly reasoning: string[]
  readonly text: string[]
  readonly calls: ChatCall[]
  /** The call to which deltas with an index belong. */
  readonly byIndex: Map<number, ChatCall>
  hasRole: boolean
  finish: string | null
}

export function createChoice(): ChatChoice {
  return { reasoning: [], text: [], calls: [], byIndex: new Map(), hasRole: false, finish: null }
}

/** Takes the part of a choice that an event brings. */
export function addToChoice(choice: ChatChoice, given: PyDict, at: EventPlace): void {
  const { breaches, event } = at
  const delta = dictOr(given.get('delta'))
  // Choices of `/v1/completions` have a text, and no role.
  const isText = delta === null && typeof given.get('text') === 'string'
  if (!choice.hasRole && !isText && delta?.get('role') !== 'assistant') breaches.add('C1', event, 'it does not')
  choice.hasRole = true
  const calls = listOr(delta?.get('tool_calls'))
  const said = { content: isText ? given.get('text') : delta?.get('content'), thought: reasoningIn(delta) }
  const hasTexts = addTexts(choice, said, at)
  if (choice.finish !== null && (hasTexts || calls.length > 0)) breaches.add('C7', event, 'a delta follows the finish')
  for (const call of calls) addCall(choice, dictOr(call), at)
  const finish = textOr(given.get('finish_reason')) || null
  if (finish === null) return
  if (choice.finish !== null) breaches.add('C7', event, 'a second finish reason comes')
  choice.finish = finish
}

/** Takes a choice of a whole reply. */
export function takeChoice(choice: ChatChoice, given: PyDict | null, at: EventPlace): void {
  const { breaches, event } = at
  const message = dictOr(given?.get('message'))
  for (const each of listOr(message?.get('tool_calls'))) {
    const delta = dictOr(each)
    const called = dictOr(delta?.get('function'))
    const call = createCall(textOr(delta?.get('id')), textOr(called?.get('name')))
    choice.calls.push(call)
    addArguments(call, called?.get('arguments'), at)
    if (call.id === '') breaches.add('C4', event, 'a call lacks its id')
    if (call.name === '') breaches.add('C4', event, 'a call lacks its name')
  }
  addTexts(
    choice,
    { content: message === null ? given?.get('text') : message.get('content'), thought: reasoningIn(message) },
    at,
  )
  choice.finish = textOr(given?.get('finish_reason')) || null
}

function reasoningIn(delta: PyDict | null): string {
  return textOr(delta?.get('reasoning_content')) || textOr(delta?.get('reasoning'))
}

interface Said {
  readonly content: PyValue | undefined
  readonly thought: string
}

/** Whether there were any. */
function addTexts({ reasoning, text }: ChatChoice, said: Said, at: EventPlace): boolean {
  const [thought, content] = [said.thought, textOr(said.content)]
  if (cutsCharacter(thought) || cutsCharacter(content))
    at.breaches.add('C14', at.event, 'a text is cut inside a character')
  judgeLostBytes(thought + content, 'C17', at)
  if (thought !== '') reasoning.push(thought)
  if (content !== '') text.push(content)
  return thought !== '' || content !== ''
}

function addCall({ calls, byIndex }: ChatChoice, delta: PyDict | null, at: EventPlace): void {
  const { breaches, event } = at
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
    call = createCall(id, name)
    calls.push(call)
    if (index !== null) byIndex.set(index, call)
  } else continueCall(call, { id, name }, at)
  const piece = addArguments(call, called?.get('arguments'), at)
  if (cutsCharacter(piece)) breaches.add('C14', event, 'arguments are cut inside a character')
}

function createCall(id: string, name: string): ChatCall {
  return { id, name, pieces: [], valueAt: null }
}

function continueCall(call: ChatCall, { id, name }: Readonly<Record<'id' | 'name', string>>, at: EventPlace): void {
  const { breaches, event } = at
  if (id !== '' && call.id !== '' && id !== call.id) breaches.add('C5', event, 'the id changes within a call')
  if (name !== '' && call.name !== '') {
    // No client minds the same name.
    if (name === call.name) breaches.add('C5', event, 'the name comes again', 'odd')
    else breaches.add('C5', event, 'the name changes within a call')
  }
  if (call.id === '') call.id = id
  if (call.name === '') call.name = name
}

function addArguments(call: ChatCall, given: PyValue | undefined, at: EventPlace): string {
  if (given === undefined || given === null) return ''
  if (typeof given !== 'string') call.valueAt ??= at.event
  const piece = spelled(given)
  judgeLostBytes(piece, 'C17', at)
  if (piece !== '') call.pieces.push(piece)
  return piece
}

/** The items of a choice. */
export function choiceItems({ reasoning, text, calls }: ChatChoice): readonly ApiItem[] {
  const items: readonly ApiItem[] = [
    { kind: 'reasoning', text: reasoning.join('') },
    { kind: 'text', text: text.join('') },
    ...calls.map(({ id, name, pieces }) => ({ kind: 'call', id, name, arguments: pieces.join('') }) as const),
  ]
  return items.filter(isSaid)
}

/** Judges a choice that is complete. `isOver`: an error ended the reply. */
export function judgeChoice(
  { finish, calls, text }: ChatChoice,
  breaches: EventPlace['breaches'],
  { isOver, ...options }: ReplyOptions & { readonly isOver: boolean },
): void {
  if (finish === null && !isOver) breaches.add('C7', 0, 'no finish reason came')
  const isCut = isOver || finish === 'length'
  for (const [at, { pieces, valueAt }] of calls.entries()) {
    if (valueAt !== null) breaches.add('C10', valueAt, `${OF_CALL}${at + 1} are a value, no text`)
    else if (!isCut && standardKind(pieces.join('')) !== 'object')
      breaches.add('C10', 0, `${OF_CALL}${at + 1}${NO_OBJECT}`)
  }
  for (const id of repeated(calls.map(({ id }) => id))) breaches.add('C15', 0, JSON.stringify(id.slice(0, 40)))
  if (leavesCall(text.join(''), finish === 'tool_calls' && calls.length === 0, options))
    breaches.add('C12', 0, 'a format reads one in it')
  else if (!isOver && finish === 'tool_calls' && calls.length === 0) breaches.add('C9', 0, NO_CALL)
  else if (!isOver && finish === 'stop' && calls.length > 0) breaches.add('C9', 0, 'it is stop after a call')
}

const NO_CALL = 'it is tool_calls without a call'
const OF_CALL = 'those of call '
const NO_OBJECT = ' are no JSON object'

/** Whether a breach is that the first choice of chat lacks its calls, or that their arguments are not JSON. Judges that know the tools say more. */
export function isOfCalls({ law, evidence }: ApiBreach): boolean {
  // The evidence of another choice begins with its number.
  const isOfArguments = evidence.startsWith(OF_CALL) && evidence.endsWith(NO_OBJECT)
  return (law === 'C9' && evidence === NO_CALL) || (law === 'C10' && isOfArguments)
}
