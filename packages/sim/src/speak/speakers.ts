import type { Format } from '@callspec/core'
import type { Manner, SimFormat } from '../spoken-formats.ts'
import { MANNERS, simFormats, SPOKEN, versionNamed } from '../spoken-formats.ts'
import { nousCall } from '../render.ts'
import { formatSpeaker } from './format-speaker.ts'
import type { Part, Prompt, Speaker, WireMessage } from './speaker.ts'
import { between, plain, WHOLE } from './speaker.ts'

const FUNCTION_CALLS: Pick<Speaker, 'afterQuestion' | 'width' | 'final' | 'end' | 'asksInParts'> = {
  afterQuestion: '\n',
  width: 'turn',
  final: plain,
  end: 'no_tool_stop',
  asksInParts: false,
}

/** `✿FUNCTION✿` and `✿ARGS✿`. The host merges question, calls and results into one message. */
const qwenSpeaker: Speaker = {
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

/** `<tool_call>` with a JSON object in it. Results are in messages of the user's side. */
const nousSpeaker: Speaker = {
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

/** Tools next to the messages, calls next to the text. */
const nativeSpeaker: Speaker = {
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

const QUESTION_HEAD = '\nBegin!\n\nQuestion: '

/** `Action:` and `Action Input:`, one call at a time. The prompt is one text with the conversation so far. */
const reactSpeaker: Speaker = {
  host: 'main',
  read: ({ messages }: Prompt) => {
    const at = messages.findLastIndex((message) => message.role === 'user' && message.content.includes(QUESTION_HEAD))
    if (at < 0) return null
    const prompt = joined(messages.slice(at))
    const asked = prompt.slice(prompt.indexOf(QUESTION_HEAD) + QUESTION_HEAD.length)
    const before = messages.slice(0, at).filter((message) => message.role === 'user')
    return {
      conversation: [...before.map((message) => message.content), asked].join('\n'),
      results: ({ observations: recorded }) =>
        between(asked, { open: '\nObservation: ', closes: ['\nThought: '], recorded }),
      part: WHOLE,
    }
  },
  afterQuestion: '\nThought: ',
  width: 'one',
  calls: (calls) =>
    plain(
      calls
        .map((call) => `I should use ${call.name}.\nAction: ${call.name}\nAction Input: ${call.arguments}`)
        .join('\n'),
    ),
  final: (text) => plain(`I now know the final answer.\nFinal Answer: ${text}`),
  end: 'final_answer',
  wrapsName: false,
  asksInParts: false,
  invented: 'Observation: {"value": "made up"}\nThought: I now know the final answer.\nFinal Answer: made up',
  brokenOff: 'I should look that up.\nActi',
  unreadable: 'I should look that up.\nAction: calculator',
  mistakenFor: 'tagged',
}

/** A raw prompt has the assistant's text so far in an open part after the question. */
function joined([question, ...own]: Prompt['messages']): string {
  const said = own.map((message) => message.content).join('')
  return said === '' ? (question?.content ?? '') : `${question?.content.trimEnd() ?? ''}\n${said.trimStart()}`
}

/** How the memory of a role begins, perhaps with what the system says, and how its records of calls follow one another. */
const RECORDS = '\n===\n['
const [SYSTEM_RECORD, USER_RECORD] = ['system: ', 'user: ']
const RECORDS_END = ']\n===\n'
const NEXT_RECORD = ', Tool User: Called '
/** What follows a record: another one of the role, such as an earlier answer, or of the user. */
const RECORD_ENDS = [', Tool User: ', ', user: ']

/** A number, then arguments, then the answer: each is asked for by itself. */
const roleReactSpeaker: Speaker = {
  host: 'metagpt@v0.8.1',
  read: ({ messages }) => {
    const records = roleRecords(messages)
    if (records === null) return null
    const { history: conversation, request } = records
    return {
      conversation,
      results: ({ observations: recorded }) =>
        between(conversation, { open: '\nResult: ', closes: RECORD_ENDS, recorded }),
      part: partOf(request),
    }
  },
  afterQuestion: NEXT_RECORD,
  width: 'one',
  calls: ([call], part) => {
    if (call === undefined) return plain('')
    return plain(part.kind === 'state' ? stateNumber(call.name, part.states) : call.arguments)
  },
  final: (text, part) => plain(part.kind === 'state' ? '-1' : text),
  end: 'final_answer',
  wrapsName: false,
  asksInParts: true,
  invented: 'Result: {"value": "made up"}',
  brokenOff: '{"',
  unreadable: 'Which stage comes next is not easy to say.',
  mistakenFor: 'tagged',
}

/** The memory of a role and what it is asked for; null where the messages are no prompt of a role. */
function roleRecords(messages: readonly WireMessage[]): { readonly history: string; readonly request: string } | null {
  const prompt = messages.at(-1)?.content ?? ''
  const first = prompt.indexOf(RECORDS) + RECORDS.length
  const user = prompt.startsWith(SYSTEM_RECORD, first) ? prompt.indexOf(`, ${USER_RECORD}`, first) + 2 : first
  const start = user + USER_RECORD.length
  const end = prompt.lastIndexOf(RECORDS_END)
  if (first < RECORDS.length || !prompt.startsWith(USER_RECORD, user) || end < start) return null
  return { history: prompt.slice(start, end), request: prompt.slice(end + RECORDS_END.length) }
}

function partOf(request: string): Part {
  if (request.includes('You have chosen the stage ')) return { kind: 'arguments' }
  if (!request.includes('Your previous stage: ')) return { kind: 'answer' }
  return { kind: 'state', states: Array.from(request.matchAll(/^[0-9]+\. (.+)$/gm), ([, name = '']) => name) }
}

/** A tool that is not a state receives the first number without a state. */
function stateNumber(name: string, states: readonly string[]): string {
  const at = states.indexOf(name)
  return String(at < 0 ? states.length : at)
}

/** The speakers of formats with words of their own. */
const SPEAKERS: Readonly<Record<Manner, Speaker>> = {
  marked: qwenSpeaker,
  tagged: nousSpeaker,
  worded: reactSpeaker,
  stated: roleReactSpeaker,
  native: nativeSpeaker,
}

const SPEAKER_OF: ReadonlyMap<SimFormat, Speaker> = new Map(MANNERS.map((manner) => [SPOKEN[manner], SPEAKERS[manner]]))

/** The formats at the last request for one. */
let listed: { readonly of: readonly Format[]; readonly byId: ReadonlyMap<SimFormat, Format> } | null = null

/** The speaker of each format, made when it is first requested, since making one writes with the format. */
const made = new WeakMap<Format, Speaker>()

function formatOf(name: SimFormat): Format | undefined {
  const formats = simFormats()
  if (listed?.of !== formats) listed = { of: formats, byId: new Map(formats.map((format) => [format.id, format])) }
  return listed.byId.get(name) ?? versionNamed(name) ?? undefined
}

function speakerFor(format: Format): Speaker {
  const speaker = made.get(format) ?? formatSpeaker(format)
  made.set(format, speaker)
  return speaker
}

/**
 * The speaker of a format.
 *
 * @throws Error for a format without a speaker; names from outside are checked before
 */
export function speakerOf(name: SimFormat): Speaker {
  const spoken = SPEAKER_OF.get(name)
  if (spoken !== undefined) return spoken
  const format = formatOf(name)
  if (format === undefined) throw new Error(`callspec: no simulated model speaks ${JSON.stringify(name)}`)
  return speakerFor(format)
}
