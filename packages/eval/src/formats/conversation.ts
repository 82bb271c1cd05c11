import type { FunctionCall, Message } from '@callspec/core/qwen-agent'
import { growReactPrompt } from '@callspec/core/qwen-agent'
import type { PyValue } from '@callspec/python'
import type { Task } from '../trace/task.ts'

/**
 * What a loop begins with, as messages of Qwen-Agent: the earlier ones of the task, then its question. A call is a message, as in its own
 * history: the text of a reply is in its first call.
 */
export function conversationOf({ messages = [], query }: Pick<Task, 'messages' | 'query'>): readonly Message[] {
  const names = new Map<string, string>()
  const earlier = messages.flatMap(({ role, content, tool_calls: calls = [], tool_call_id: id = '' }): Message[] => {
    if (role === 'tool') return [{ role: 'function', name: names.get(id) ?? '', content, extra: idExtra(id) }]
    if (calls.length === 0) return [{ role, content }]
    return calls.map((call, at) => {
      names.set(call.id, call.function.name)
      const text = at === 0 ? content : ''
      return { role: 'assistant', content: text, function_call: call.function, extra: idExtra(call.id) }
    })
  })
  return [...earlier, { role: 'user', content: query }]
}

function idExtra(id: string): Map<string, PyValue> {
  return new Map([['function_id', id]])
}

/** Whether messages contain more than a question and a system message. */
export function hasEarlierTurns(messages: readonly Message[]): boolean {
  return messages.some(({ role }) => role === 'assistant' || role === 'function')
}

/** The id of the call of a message, or of the call that it answers. */
export function callIdOf({ extra }: Message): string {
  const id = extra?.get('function_id')
  return typeof id === 'string' ? id : ''
}

/** The text of a message; parts have only texts here. */
export function conversationText({ content }: Message): string {
  return typeof content === 'string' ? content : content.map((item) => item.text ?? '').join('')
}

/** A turn of the model in a conversation: its messages up to the next one of the user. */
interface ModelTurn {
  readonly steps: readonly ModelStep[]
  /** The texts without a call; null without one. */
  readonly answer: string | null
}

interface ModelStep {
  readonly thought: string
  readonly call: FunctionCall
  result: string
}

/**
 * The messages with every turn of the model as one text of ReAct, which is the form in which the reference's ReAct agent leaves a turn in a
 * history: thoughts, actions and observations, then the answer.
 */
export function reactConversation(messages: readonly Message[]): readonly Message[] {
  const shown: Message[] = []
  let turn: Message[] = []
  const end = (): void => {
    if (turn.length > 0) shown.push({ role: 'assistant', content: reactText(modelTurn(turn)) })
    turn = []
  }
  for (const message of messages) {
    if (message.role === 'assistant' || message.role === 'function') turn.push(message)
    else {
      end()
      shown.push(message)
    }
  }
  end()
  return shown
}

/** Servers give the same id again and again: a result is that of the last call before it. */
function modelTurn(messages: readonly Message[]): ModelTurn {
  const steps: ModelStep[] = []
  const answers: string[] = []
  const byId = new Map<string, ModelStep>()
  for (const message of messages) {
    const { role, function_call: call } = message
    const [id, text] = [callIdOf(message), conversationText(message)]
    if (call !== undefined && call !== null) {
      const step = { thought: text, call, result: '' }
      steps.push(step)
      byId.set(id, step)
    } else if (role === 'assistant') answers.push(text)
    else {
      const step = byId.get(id)
      if (step !== undefined) step.result = text
    }
  }
  return { steps, answer: answers.length === 0 ? null : answers.join('\n') }
}

/** What a prompt of ReAct ends with that waits for a thought. */
const NEXT_THOUGHT = '\nThought: '

function reactText({ steps, answer }: ModelTurn): string {
  const shown = steps.map(({ thought, call, result }) => {
    const step = { thought, action: call.name, actionInput: call.arguments, observation: result }
    return growReactPrompt(NEXT_THOUGHT, step).slice(NEXT_THOUGHT.length)
  })
  const last = answer === null ? '' : `I now know the final answer.\nFinal Answer: ${answer}`
  return [NEXT_THOUGHT, ...shown, last].join('').slice(1)
}

/** A message of the chat API; its calls are separate, since formats differ in how they take arguments. */
export interface ChatMessage {
  readonly role: string
  readonly content: string
  readonly calls: readonly { readonly id: string; readonly call: FunctionCall }[]
  /** Of a result. */
  readonly tool_call_id?: string
  readonly name?: string
}

/** The conversation in the shape of the chat API: the calls of a reply in one message. */
export function chatConversation(messages: readonly Message[]): readonly ChatMessage[] {
  const shown: ChatMessage[] = []
  let calls: ChatMessage['calls'][number][] | null = null
  for (const message of messages) {
    const { role, function_call: call, name } = message
    const content = conversationText(message)
    if (call === undefined || call === null) {
      calls = null
      const result =
        role === 'function' ? { role: 'tool', tool_call_id: callIdOf(message), name: name ?? '' } : { role }
      shown.push({ ...result, content, calls: [] })
      continue
    }
    if (calls === null) {
      calls = []
      shown.push({ role, content, calls })
    }
    calls.push({ id: callIdOf(message), call })
  }
  return shown
}
