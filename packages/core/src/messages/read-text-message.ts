import { isDict } from '@callspec/python'
import type { PlainValue } from '@callspec/python'
import type { Profile } from '../profile.ts'
import type { ContentItem, FunctionCall, Message } from './message.ts'

/**
 * What `readMessage` gives for a plain object that is a message of texts, which nearly all are; null for anything else, also
 * for what that function finds a fault in. Making a map of every message, only to read it, costs more than their prompt does.
 */
export function readTextMessage(value: PlainValue, profile: Profile): Message | null {
  if (typeof value !== 'object' || value === null || value instanceof Map) return null
  const { role, content: given, reasoning_content, name, function_call, extra } = value as PlainMessage
  if (role !== 'user' && role !== 'assistant' && role !== 'function' && role !== 'system') return null
  const content = typeof given === 'string' ? given : textItems(given)
  if (content === null) return null
  // Member by member: copies with `...` take several times as long.
  const message: { -readonly [Key in keyof Message]: Message[Key] } = { role, content }
  if (isGiven(reasoning_content)) {
    if (typeof reasoning_content !== 'string' || profile.reasoningContent === 'absent') return null
    message.reasoning_content = reasoning_content
  } else if (profile.reasoningContent === 'null-becomes-empty') message.reasoning_content = ''
  if (isGiven(name)) {
    if (typeof name !== 'string') return null
    message.name = name
  }
  if (isGiven(function_call)) {
    const call = textCall(function_call)
    if (call === null) return null
    message.function_call = call
  }
  if (isGiven(extra)) {
    if (!profile.hasExtra || !isDict(extra)) return null
    message.extra = extra
  }
  return message
}

/** What a plain object may hold under the names of a message. */
type PlainMessage = { readonly [Key in keyof Message]?: unknown }

function isGiven(member: unknown): boolean {
  return member !== undefined && member !== null
}

/** Copies, because the caller may change what is its own. */
function textItems(content: unknown): readonly ContentItem[] | null {
  if (!Array.isArray(content)) return null
  const items: ContentItem[] = []
  for (const item of content as readonly unknown[]) {
    if (typeof item !== 'object' || item === null || !('text' in item) || !hasOnlyText(item)) return null
    if (typeof item.text !== 'string') return null
    items.push({ text: item.text })
  }
  return items
}

function hasOnlyText(item: object): boolean {
  for (const key in item) if (key !== 'text') return false
  return true
}

function textCall(call: unknown): FunctionCall | null {
  if (typeof call !== 'object' || call === null || !('name' in call) || !('arguments' in call)) return null
  for (const key in call) if (key !== 'name' && key !== 'arguments') return null
  const { name, arguments: text } = call
  return typeof name === 'string' && typeof text === 'string' ? { name, arguments: text } : null
}
