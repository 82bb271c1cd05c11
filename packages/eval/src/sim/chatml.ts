import type { WireMessage } from './speak/speaker.ts'

const START = '<|im_start|>'
const END = '<|im_end|>'

/**
 * The messages of a raw prompt in ChatML. An open part at the end, in which the model goes on, is a message if there is
 * anything in it. A text without any mark is one message of the user.
 */
export function readChatMl(prompt: string): readonly WireMessage[] {
  const [before = '', ...parts] = prompt.split(START)
  if (parts.length === 0) return [{ role: 'user', content: before }]
  return parts.flatMap((part, index) => {
    const line = part.indexOf('\n')
    const role = line < 0 ? part : part.slice(0, line)
    const body = line < 0 ? '' : part.slice(line + 1)
    const end = body.lastIndexOf(END)
    const content = end < 0 ? body : body.slice(0, end)
    const isOpen = index === parts.length - 1 && end < 0
    return isOpen && content === '' ? [] : [{ role, content }]
  })
}
