import type { PromptPart } from '../../conversation/conversation.ts'
import { printedMember } from '../../conversation/template-text.ts'
import { str, strip, isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

/** What a message says: texts without white space at their ends, one after the other, and marks for what is no text. */
export function contentParts(message: PyDict, role: string): readonly PromptPart[] {
  const content = message.get('content') ?? null
  const said = (text: string): string => strip(role === 'model' ? outsideChannels(text) : text)
  if (!isList(content)) return typeof content === 'string' ? [{ kind: 'text', text: said(content) }] : []
  return content.filter(isDict).flatMap((part): readonly PromptPart[] => {
    const type = part.get('type') ?? null
    if (type === 'text') return [{ kind: 'text', text: said(printedMember(part, 'text')) }]
    return MEDIA.has(type) ? [{ kind: 'token', text: `<|${str(type)}|>` }] : []
  })
}

const MEDIA: ReadonlySet<PyValue> = new Set(['image', 'audio', 'video'])

/** Without thoughts that stand in the text. */
function outsideChannels(text: string): string {
  return text
    .split('<channel|>')
    .map((piece) => piece.split('<|channel>')[0] ?? '')
    .join('')
}
