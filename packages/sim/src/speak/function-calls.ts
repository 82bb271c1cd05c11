import { nousCall } from '../render.ts'
import { between, plain, WHOLE } from './speaker.ts'
import type { Prompt, Speaker } from './speaker.ts'

const FUNCTION_CALLS: Pick<Speaker, 'afterQuestion' | 'width' | 'final' | 'end' | 'asksInParts'> = {
  afterQuestion: '\n',
  width: 'turn',
  final: plain,
  end: 'no_tool_stop',
  asksInParts: false,
}

/** `✿FUNCTION✿` and `✿ARGS✿`. The host merges question, calls and results into one message. */
export const qwenSpeaker: Speaker = {
  ...FUNCTION_CALLS,
  host: 'v0.0.26',
  read: (prompt) => {
    if (!systemText(prompt).includes('✿FUNCTION✿')) return null
    const conversation = hostText(prompt)
    return {
      conversation,
      results: ({ observations: recorded }) =>
        between(conversation, { open: '\n✿RESULT✿: ', closes: ['\n✿RESULT✿: ', '\n✿RETURN✿'], recorded }),
      part: WHOLE,
    }
  },
  calls: (calls) => plain(calls.map((call) => `✿FUNCTION✿: ${call.name}\n✿ARGS✿: ${call.arguments}`).join('\n')),
  wrapsName: false,
  invented: '✿RESULT✿: {"value": "made up"}\n✿RETURN✿: The answer is made up.',
  brokenOff: 'Let me look that up.\n✿FUNC',
  unreadable: 'Let me look that up.\n✿FUNCTION calculator\n✿ARGS {"expression": "1+',
  mistakenFor: 'tagged',
}

/** `<tool_call>` with a JSON object in it. Results stand in messages of the user's side. */
export const nousSpeaker: Speaker = {
  ...FUNCTION_CALLS,
  host: 'main',
  read: (prompt) => {
    if (!systemText(prompt).includes('<tools>')) return null
    const conversation = hostText(prompt)
    return {
      conversation,
      results: ({ observations: recorded }) =>
        between(conversation, { open: '\n<tool_response>\n', closes: ['\n</tool_response>'], recorded }),
      part: WHOLE,
    }
  },
  calls: (calls) => plain(calls.map(nousCall).join('\n')),
  wrapsName: true,
  invented: '<tool_response>\n{"value": "made up"}\n</tool_response>\nThe answer is made up.',
  brokenOff: 'Let me look that up.\n<tool_c',
  unreadable: 'Let me look that up.\n<tool_call>\n{"name":',
  mistakenFor: 'worded',
}

/** Tools beside the messages, calls beside the text. */
export const nativeSpeaker: Speaker = {
  ...FUNCTION_CALLS,
  host: 'main',
  read: (prompt) => {
    if (!prompt.hasTools) return null
    return {
      conversation: hostText(prompt),
      results: () => prompt.messages.filter((message) => message.role === 'tool').map((message) => message.content),
      part: WHOLE,
    }
  },
  calls: (calls) => ({ text: '', calls, thought: null }),
  wrapsName: false,
  invented: null,
  brokenOff: 'Let me look that up: the too',
  unreadable: 'Let me look that up.\n<tool_call>\n{"name":',
  mistakenFor: 'tagged',
}

function systemText({ messages }: Prompt): string {
  return messages.find((message) => message.role === 'system')?.content ?? ''
}

/** What a host wrote: the model's own words cannot pass for a result. */
function hostText({ messages }: Prompt): string {
  return messages
    .filter((message) => message.role === 'user' || message.role === 'tool')
    .map((message) => message.content)
    .join('\n')
}
