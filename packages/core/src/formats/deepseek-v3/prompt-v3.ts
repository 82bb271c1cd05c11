import { prompting } from '../../conversation/conversation.ts'
import type { Conversation, PromptOutcome } from '../../conversation/conversation.ts'
import { messageCalls, roleOf } from '../../conversation/message-view.ts'
import { partWriter } from '../../conversation/part-writer.ts'
import type { PartWriter } from '../../conversation/part-writer.ts'
import { truthy } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import { FENCE, MARKS } from './markers.ts'
import { argumentsOf, said, systemText, typeOfCall } from './said.ts'

/** The prompt as the template of V3 (2024-12) writes it. It knows no tools. */
export function promptV3({ messages, options }: Conversation): PromptOutcome {
  return prompting(() => {
    const writer = partWriter()
    writer.add(MARKS.begin, systemText(messages))
    const state: PromptState = { hasCall: false, hasResult: false, isBehindResult: false }
    for (const message of messages) writeMessage(writer, message, state)
    if (state.isBehindResult) writer.add(MARKS.results[1])
    else if (truthy(options.get('add_generation_prompt'))) writer.add(MARKS.assistant)
    return writer.parts()
  })
}

interface PromptState {
  /** Whether any call, and any result, was written. Never taken back, in the template as here. */
  hasCall: boolean
  hasResult: boolean
  /** Whether the last message was a result. */
  isBehindResult: boolean
}

function writeMessage(writer: PartWriter, message: PyDict, state: PromptState): void {
  const role = roleOf(message)
  if (role === 'user') writer.add(MARKS.user, said(message))
  else if (role === 'tool') writeResult(writer, message, state)
  // Where the message says something, its calls are left out.
  else if (role === 'assistant' && (message.get('content') ?? null) === null) writeCalls(writer, message, state)
  else if (role === 'assistant')
    writer.add(state.isBehindResult ? MARKS.results[1] : MARKS.assistant, said(message), MARKS.end)
  if (role !== 'system') state.isBehindResult = role === 'tool'
}

function writeCalls(writer: PartWriter, message: PyDict, state: PromptState): void {
  for (const [index, call] of messageCalls(message).entries()) {
    const isFirst = !state.hasCall
    if (isFirst) writer.add(MARKS.assistant, '', MARKS.calls[0])
    else writer.text('\n')
    addCall(writer, { type: typeOfCall(message, index), name: call.name, text: argumentsOf(call) })
    if (!isFirst) writer.add(MARKS.calls[1], '', MARKS.end)
    state.hasCall = true
  }
}

/** Adds a call of V3 or R1. */
export function addCall(
  writer: PartWriter,
  { type, name, text }: { readonly type: string; readonly name: string; readonly text: string },
): void {
  writer.add(MARKS.call[0], type, MARKS.separator, name + FENCE[0] + text + FENCE[1], MARKS.call[1])
}

function writeResult(writer: PartWriter, message: PyDict, state: PromptState): void {
  if (state.hasResult) writer.text('\n')
  else writer.add(MARKS.results[0])
  writer.add(MARKS.result[0], said(message), MARKS.result[1])
  state.hasResult = true
}
