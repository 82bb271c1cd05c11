import type { WireMessage } from './speak/speaker.ts'

/**
 * Where a message begins; a token may begin the prompt. Marks elsewhere are text: contents are not escaped, and models leak
 * marks into their history.
 */
const BEGIN = /(?:^(?:<\|\w+\|>)?|<\|im_end\|>\n)<\|im_start\|>(system|user|assistant|tool|function)\n/g
const END = '<|im_end|>'

/**
 * The messages of a raw prompt in ChatML. An open part at the end, in which the model goes on, is a message if there is
 * anything in it. A text without any mark is one message of the user.
 */
export function readChatMl(prompt: string): readonly WireMessage[] {
  const begins = [...prompt.matchAll(BEGIN)]
  if (begins.length === 0) return [{ role: 'user', content: prompt }]
  return begins.flatMap((begin, at) => {
    const end = begins[at + 1]?.index
    const whole = prompt.slice(begin.index + begin[0].length, end)
    const isClosed = end === undefined && whole.endsWith(END)
    const content = isClosed ? whole.slice(0, -END.length) : whole
    const isOpen = end === undefined && !isClosed
    return isOpen && content === '' ? [] : [{ role: begin[1] ?? '', content }]
  })
}
