import type { PromptPart } from '../../conversation/conversation.ts'
import { strip, isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { printed } from './printed.ts'

/** What a message says: texts without white space at their ends, one after the other, and marks for what is no text. */
export function contentParts(message: PyDict, role: string): readonly PromptPart[] {
  const content = message.get('content') ?? null
  const said = (text: string): PromptPart => ({
    kind: 'text',
    text: strip(role === 'model' ? outsideChannels(text) : text),
  })
  if (typeof content === 'string') return [said(content)]
  if (!isList(content)) return []
  return content.flatMap((part): readonly PromptPart[] => {
    if (!isDict(part)) return []
    const token = MEDIA.get(part.get('type') ?? null)
    if (token !== undefined) return [{ kind: 'token', text: token }]
    return part.get('type') === 'text' ? [said(printed(part, 'text'))] : []
  })
}

const MEDIA: ReadonlyMap<PyValue, string> = new Map([
  ['image', '<|image|>'],
  ['audio', '<|audio|>'],
  ['video', '<|video|>'],
])

/** Without thoughts that stand in the text. */
function outsideChannels(text: string): string {
  return text
    .split('<channel|>')
    .map((piece) => piece.split('<|channel>')[0] ?? '')
    .join('')
}
