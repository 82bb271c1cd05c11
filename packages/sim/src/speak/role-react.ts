import { between, plain } from './speaker.ts'
import type { Part, Speaker, WireMessage } from './speaker.ts'

/** How the memory of a role begins, and how its records of calls follow one another. */
const RECORDS = '\n===\n[user: '
const RECORDS_END = ']\n===\n'
const NEXT_RECORD = ', Tool User: Called '

/** A number, then arguments, then the answer: each is asked for by itself. */
export const roleReactSpeaker: Speaker = {
  host: 'metagpt@v0.8.1',
  read: ({ messages }) => {
    const records = roleRecords(messages)
    if (records === null) return null
    const { history: conversation, request } = records
    return {
      conversation,
      results: ({ observations: recorded }) =>
        between(conversation, { open: '\nResult: ', closes: [NEXT_RECORD], recorded }),
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
  const start = prompt.indexOf(RECORDS)
  const end = prompt.lastIndexOf(RECORDS_END)
  if (start < 0 || end < start) return null
  return { history: prompt.slice(start + RECORDS.length, end), request: prompt.slice(end + RECORDS_END.length) }
}

function partOf(request: string): Part {
  if (request.includes('You have chosen the stage ')) return { kind: 'arguments' }
  if (!request.includes('Your previous stage: ')) return { kind: 'answer' }
  return { kind: 'state', states: Array.from(request.matchAll(/^[0-9]+\. (.+)$/gm), ([, name = '']) => name) }
}

/** A tool that is no state gets the first number that is none. */
function stateNumber(name: string, states: readonly string[]): string {
  const at = states.indexOf(name)
  return String(at < 0 ? states.length : at)
}
