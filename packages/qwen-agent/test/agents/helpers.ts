import { CODE_POINTS } from '../../../core/test/helpers/code-points.ts'
import { fromPlain, isDict } from '@callspec/python'
import { PROFILES } from '@callspec/core/qwen-agent'
import { createChatModel } from '../../src/reference.ts'
import type { AgentTool, Message, Profile } from '@callspec/core/qwen-agent'
import type { ChatModel, LoopAction, LoopEvent, LoopReducer, Step } from '../../src/index.ts'
import type { PlainValue } from '@callspec/python'
import type { ReferenceError } from '@callspec/core'

/** The profile of that name. */
export function profile(name: string): Profile {
  const found = PROFILES.get(name)
  if (found === undefined) throw new Error(`no profile ${name}`)
  return found
}

/** A model of the profile, with a plain configuration. */
export function modelOf(name: string, cfg: PlainValue = {}): ChatModel {
  const dict = fromPlain(cfg)
  if (!isDict(dict)) throw new Error('cfg must be a map')
  return createChatModel({ profile: profile(name), tokenizer: CODE_POINTS, cfg: dict })
}

/** A tool without parameters. */
export function tool(name: string, more: Partial<AgentTool> = {}): AgentTool {
  return { name, description: `does ${name}`, parameters: [], ...more }
}

export function user(content: Message['content']): Message {
  return { role: 'user', content }
}

/** A completion that arrives in one piece, as the OpenAI-style client gives it back. */
export function completion(text: string): LoopEvent {
  return { type: 'completion', replies: [[{ role: 'assistant', content: text }]] }
}

/** What happened in a whole run. */
export interface Run<State> {
  readonly steps: readonly Step<State>[]
  readonly actions: readonly LoopAction[]
  readonly emissions: readonly (readonly Message[])[]
  readonly error: ReferenceError | null
}

/** Runs an agent to its end; `answer` gives the event for each action, with its number in the run. */
export function run<State>(
  agent: LoopReducer<State>,
  messages: readonly Message[],
  answer: (action: LoopAction, at: number) => LoopEvent,
): Run<State> {
  const steps = [agent.start(messages)]
  for (;;) {
    const step = steps.at(-1)
    if (step === undefined) throw new Error('no step')
    if (step.action.type === 'finish') break
    steps.push(agent.advance(step.state, answer(step.action, steps.length - 1)))
  }
  const actions = steps.map((step) => step.action)
  const last = actions.at(-1)
  const error = last?.type === 'finish' ? (last.error ?? null) : null
  return { steps, actions, emissions: steps.flatMap((step) => [...step.emissions]), error }
}

/** The texts of a list of messages; calls as `name(arguments)`. */
export function texts(messages: readonly Message[]): readonly string[] {
  return messages.map(({ content, function_call: call }) => {
    if (call) return `${call.name}(${call.arguments})`
    return typeof content === 'string' ? content : JSON.stringify(content)
  })
}

/** The value, and everything in it, made unchangeable; a Map by making its methods throw. */
export function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  if (value instanceof Map) {
    for (const item of value.values()) freeze(item)
    const refuse = (): never => {
      throw new TypeError('This map is frozen.')
    }
    Object.assign(value, { set: refuse, delete: refuse, clear: refuse })
  }
  for (const item of Object.values(value)) freeze(item)
  return Object.freeze(value)
}
