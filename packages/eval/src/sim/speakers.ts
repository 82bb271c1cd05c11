import type { EndLabel } from '../labels.ts'
import type { Protocol } from '../protocol.ts'
import type { WireMessage } from './read-request.ts'
import { nousCall } from './render.ts'
import type { CallText } from './render.ts'

/** What a reply is asked for: the whole of it, or the number of a state, the arguments of a call, the answer. */
export type Part =
  | { readonly kind: 'whole' }
  | { readonly kind: 'state'; readonly states: readonly string[] }
  | { readonly kind: 'arguments' }
  | { readonly kind: 'answer' }

/** How a simulated model understands and speaks a protocol. */
export interface Speaker {
  /** Whether messages hold a prompt of this protocol. */
  readonly isAsked: (messages: readonly WireMessage[]) => boolean
  /** Everything from the question on, as one text. What the model wrote comes along but cannot look like a host's mark at a line's start. */
  readonly conversation: (messages: readonly WireMessage[]) => string
  /** What follows the question, unless nothing does. */
  readonly afterQuestion: string
  /**
   * The results in a host's text. Successful ones are one line of JSON, so a mark inside a result (task T04 has three)
   * never stands at the start of a line.
   */
  readonly results: (conversation: string) => readonly string[]
  /** What the reply is asked for, where it is asked for in parts. */
  readonly part?: (messages: readonly WireMessage[]) => Part
  /** How many calls a reply has room for: all of a planned turn, or one. */
  readonly width: 'turn' | 'one'
  /** A whole reply that asks for calls. */
  readonly calls: (calls: readonly CallText[], part: Part) => string
  /** A whole reply that ends the episode, and how it then ends. */
  readonly final: (text: string, part: Part) => string
  readonly end: EndLabel
  /** Whether the name of a call is part of its JSON. */
  readonly wrapsName: boolean
  /** A result and an answer that a model writes by itself. */
  readonly invented: string
  /** A reply that breaks off so early that no host can read a call: after a few letters of the first mark. */
  readonly brokenOff: string
  /** The protocol that it falls into by mistake. */
  readonly mistakenFor: Protocol
}

const FUNCTION_CALLS: Pick<Speaker, 'conversation' | 'afterQuestion' | 'width' | 'final' | 'end'> = {
  // The user side holds the results in both function-call formats; the question is its first text.
  conversation: (messages) =>
    messages
      .filter((message) => message.role === 'user' || message.role === 'tool')
      .map((message) => message.content)
      .join('\n'),
  afterQuestion: '\n',
  width: 'turn',
  final: (text) => text,
  end: 'no_tool_stop',
}

const REACT_QUESTION = '\nBegin!\n\nQuestion: '

/** How the memory of a role begins, and how its records of calls follow one another. */
const RECORDS = '\n===\n[user: '
const RECORDS_END = ']\n===\n'
const NEXT_RECORD = ', Tool User: Called '

/** The protocols as simulated models speak them, one row each. */
export const SPEAKERS: Readonly<Record<Protocol, Speaker>> = {
  'fncall-qwen': {
    ...FUNCTION_CALLS,
    isAsked: (messages) => systemText(messages).includes('✿FUNCTION✿'),
    results: (text) => between(text, '\n✿RESULT✿: ', ['\n✿RESULT✿: ', '\n✿RETURN✿']),
    calls: (calls) => calls.map((call) => `✿FUNCTION✿: ${call.name}\n✿ARGS✿: ${call.arguments}`).join('\n'),
    wrapsName: false,
    invented: '✿RESULT✿: {"value": "made up"}\n✿RETURN✿: The answer is made up.',
    brokenOff: 'Let me look that up.\n✿FUNC',
    mistakenFor: 'fncall-nous',
  },
  'fncall-nous': {
    ...FUNCTION_CALLS,
    isAsked: (messages) => systemText(messages).includes('<tools>'),
    results: (text) => between(text, '\n<tool_response>\n', ['\n</tool_response>']),
    calls: (calls) => calls.map(nousCall).join('\n'),
    wrapsName: true,
    invented: '<tool_response>\n{"value": "made up"}\n</tool_response>\nThe answer is made up.',
    brokenOff: 'Let me look that up.\n<tool_c',
    mistakenFor: 'react',
  },
  react: {
    isAsked: (messages) => messages.at(-1)?.content.includes(REACT_QUESTION) === true,
    conversation: (messages) => {
      const prompt = messages.at(-1)?.content ?? ''
      return prompt.slice(prompt.indexOf(REACT_QUESTION) + REACT_QUESTION.length)
    },
    afterQuestion: '\nThought: ',
    results: (text) => between(text, '\nObservation: ', ['\nThought: ']),
    width: 'one',
    calls: (calls) =>
      calls
        .map((call) => `I should use ${call.name}.\nAction: ${call.name}\nAction Input: ${call.arguments}`)
        .join('\n'),
    final: (text) => `I now know the final answer.\nFinal Answer: ${text}`,
    end: 'final_answer',
    wrapsName: false,
    invented: 'Observation: {"value": "made up"}\nThought: I now know the final answer.\nFinal Answer: made up',
    brokenOff: 'I should look that up.\nActi',
    mistakenFor: 'fncall-nous',
  },
  // Not spoken yet: calls beside the text.
  native: {
    ...FUNCTION_CALLS,
    isAsked: () => false,
    results: () => [],
    calls: () => '',
    wrapsName: false,
    invented: '',
    brokenOff: '',
    mistakenFor: 'fncall-nous',
  },
  'role-react': {
    isAsked: (messages) => roleRecords(messages) !== null,
    conversation: (messages) => roleRecords(messages)?.history ?? '',
    afterQuestion: NEXT_RECORD,
    results: (text) => between(text, '\nResult: ', [NEXT_RECORD]),
    part: (messages) => rolePart(roleRecords(messages)?.request ?? ''),
    width: 'one',
    calls: ([call], part) => {
      if (call === undefined) return ''
      return part.kind === 'state' ? stateNumber(call.name, part.states) : call.arguments
    },
    final: (text, part) => (part.kind === 'state' ? '-1' : text),
    end: 'final_answer',
    wrapsName: false,
    invented: 'Result: {"value": "made up"}',
    brokenOff: '{"',
    mistakenFor: 'fncall-nous',
  },
}

/** The part of replies that are not asked for in parts. */
export const WHOLE: Part = { kind: 'whole' }

function systemText(messages: readonly WireMessage[]): string {
  return messages.find((message) => message.role === 'system')?.content ?? ''
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

/** The memory of a role and what it is asked for; null where the messages are no prompt of a role. */
function roleRecords(messages: readonly WireMessage[]): { readonly history: string; readonly request: string } | null {
  const prompt = messages.at(-1)?.content ?? ''
  const start = prompt.indexOf(RECORDS)
  const end = prompt.lastIndexOf(RECORDS_END)
  if (start < 0 || end < start) return null
  return { history: prompt.slice(start + RECORDS.length, end), request: prompt.slice(end + RECORDS_END.length) }
}

function rolePart(request: string): Part {
  if (request.includes('You have chosen the stage ')) return { kind: 'arguments' }
  if (!request.includes('Your previous stage: ')) return { kind: 'answer' }
  return { kind: 'state', states: Array.from(request.matchAll(/^[0-9]+\. (.+)$/gm), ([, name = '']) => name) }
}

/** A tool that is no state gets the first number that is none. */
function stateNumber(name: string, states: readonly string[]): string {
  const at = states.indexOf(name)
  return String(at < 0 ? states.length : at)
}
