import type { Protocol } from '../protocol.ts'
import type { Reference } from './reference.ts'

/** A message as it comes over the wire. */
export interface WireMessage {
  readonly role: string
  readonly content: string
}

/** Where in which task a conversation stands. Found in the messages alone: the server remembers nothing. */
export interface Situation {
  readonly protocol: Protocol
  readonly reference: Reference
  /** What the host answered to the calls so far, in order. */
  readonly results: readonly string[]
}

/** Null when the messages hold no known prompt or no known task. */
export function readSituation(messages: readonly WireMessage[], references: readonly Reference[]): Situation | null {
  const protocol = protocolOf(messages)
  if (protocol === null) return null
  const conversation = conversationOf(protocol, messages)
  const reference = references.find((candidate) => asks(protocol, conversation, candidate.query))
  if (reference === undefined) return null
  const results = RESULTS[protocol](conversation.slice(reference.query.length))
  return { protocol, reference, results }
}

function protocolOf(messages: readonly WireMessage[]): Protocol | null {
  const system = messages.find((message) => message.role === 'system')?.content ?? ''
  if (system.includes('✿FUNCTION✿')) return 'fncall-qwen'
  if (system.includes('<tools>')) return 'fncall-nous'
  return messages.at(-1)?.content.includes(REACT_QUESTION) === true ? 'react' : null
}

const REACT_QUESTION = '\nBegin!\n\nQuestion: '

/** Everything from the question on, as one text. What the model wrote comes along but cannot look like a host's mark at a line's start. */
function conversationOf(protocol: Protocol, messages: readonly WireMessage[]): string {
  if (protocol === 'react') {
    const prompt = messages.at(-1)?.content ?? ''
    return prompt.slice(prompt.indexOf(REACT_QUESTION) + REACT_QUESTION.length)
  }
  // The user side holds the results in both function-call formats; the question is its first text.
  return messages
    .filter((message) => message.role === 'user' || message.role === 'tool')
    .map((message) => message.content)
    .join('\n')
}

function asks(protocol: Protocol, conversation: string, query: string): boolean {
  if (!conversation.startsWith(query)) return false
  const next = conversation.slice(query.length)
  return next === '' || next.startsWith(protocol === 'react' ? '\nThought: ' : '\n')
}

/**
 * The results in a host's text. Successful ones are one line of JSON, so a mark inside a result (task T04 has three)
 * never stands at the start of a line.
 */
const RESULTS: Readonly<Record<Protocol, (text: string) => readonly string[]>> = {
  'fncall-nous': (text) => between(text, '\n<tool_response>\n', ['\n</tool_response>']),
  'fncall-qwen': (text) => between(text, '\n✿RESULT✿: ', ['\n✿RESULT✿: ', '\n✿RETURN✿']),
  react: (text) => between(text, '\nObservation: ', ['\nThought: ']),
}

function between(text: string, open: string, closes: readonly string[]): readonly string[] {
  const found: string[] = []
  let at = text.indexOf(open)
  while (at >= 0) {
    const start = at + open.length
    const ends = closes.map((close) => text.indexOf(close, start)).filter((end) => end >= 0)
    const end = ends.length === 0 ? text.length : Math.min(...ends)
    found.push(text.slice(start, end))
    at = text.indexOf(open, end)
  }
  return found
}
