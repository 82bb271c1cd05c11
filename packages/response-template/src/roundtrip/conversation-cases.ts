import { isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { argumentsOf } from './round-trip.ts'
import type { RoundTripCall, RoundTripCase } from './messages.ts'

/**
 * The messages of assistants in a conversation `{messages, tools}`, each with what comes before it. A message with content of parts (images)
 * is left out.
 *
 * @param name of the conversation, for ids: `train.jsonl:3 messages[1]`
 */
export function conversationCases(conversation: PyValue, name: string): readonly RoundTripCase[] {
  const messages = isDict(conversation) ? (conversation.get('messages') ?? null) : null
  if (!isDict(conversation) || !isList(messages)) return []
  const tools = conversation.get('tools') ?? null
  return messages.flatMap((message, index) => {
    if (!isDict(message) || message.get('role') !== 'assistant') return []
    const content = message.get('content') ?? ''
    if (typeof content !== 'string') return []
    const thought = message.get('reasoning_content') ?? message.get('thinking') ?? message.get('reasoning') ?? null
    return [
      {
        id: `${name} messages[${index}]`,
        history: messages.slice(0, index),
        content,
        reasoning: typeof thought === 'string' && thought !== '' ? thought : null,
        calls: callsOfMessage(message),
        tools,
        original: message,
      },
    ]
  })
}

function callsOfMessage(message: PyDict): readonly RoundTripCall[] {
  const calls = message.get('tool_calls') ?? null
  if (!isList(calls)) return []
  return calls.flatMap((call) => {
    const inner = isDict(call) ? (call.get('function') ?? call) : null
    const name = isDict(inner) ? (inner.get('name') ?? null) : null
    const given = isDict(inner) ? argumentsOf(inner.get('arguments') ?? new Map()) : null
    return typeof name === 'string' && isDict(given) ? [{ name, arguments: given }] : []
  })
}
