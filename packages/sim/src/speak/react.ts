import { between, plain, WHOLE } from './speaker.ts'
import type { Prompt, Speaker } from './speaker.ts'

const QUESTION = '\nBegin!\n\nQuestion: '

/** `Action:` and `Action Input:`, one call at a time. The prompt is one text, with everything that was said so far. */
export const reactSpeaker: Speaker = {
  host: 'main',
  read: ({ messages }: Prompt) => {
    const at = messages.findLastIndex((message) => message.role === 'user' && message.content.includes(QUESTION))
    if (at < 0) return null
    const prompt = joined(messages.slice(at))
    const conversation = prompt.slice(prompt.indexOf(QUESTION) + QUESTION.length)
    return {
      conversation,
      results: ({ observations: recorded }) =>
        between(conversation, { open: '\nObservation: ', closes: ['\nThought: '], recorded }),
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

/** A raw prompt has what was said so far in an open part of the assistant, behind the question. */
function joined([question, ...own]: Prompt['messages']): string {
  const said = own.map((message) => message.content).join('')
  return said === '' ? (question?.content ?? '') : `${question?.content.trimEnd() ?? ''}\n${said.trimStart()}`
}
