import { Refusal } from '../../conversation/conversation.ts'
import type { PromptPart } from '../../conversation/conversation.ts'
import { partWriter } from '../../conversation/part-writer.ts'
import { str, lstrip, rstrip, isDict, isList, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

/** Shows what messages say, and counts the pictures and videos of the conversation. */
export type ShowContent = (message: PyDict) => readonly PromptPart[]

/** What messages say, without white space at their ends; pictures and videos are tokens, and have numbers if asked for. */
export function contentShower(options: PyDict): ShowContent {
  const counts = { image: 0, video: 0 }
  const isNumbered = truthy(options.get('add_vision_id'))
  const visionParts = (kind: 'image' | 'video'): readonly PromptPart[] => {
    counts[kind] += 1
    const number: PromptPart = { kind: 'text', text: `${NAMES[kind]} ${counts[kind]}: ` }
    const tokens = ['<|vision_start|>', `<|${kind}_pad|>`, '<|vision_end|>']
    return [...(isNumbered ? [number] : []), ...tokens.map((text): PromptPart => ({ kind: 'token', text }))]
  }
  const partsOf = (item: PyValue): readonly PromptPart[] => {
    if (!isDict(item)) throw new Refusal('a part of a message is no object')
    const type = item.get('type')
    if (item.has('image') || item.has('image_url') || type === 'image') return visionParts('image')
    if (item.has('video') || type === 'video') return visionParts('video')
    if (!item.has('text')) throw new Refusal('a part of a message is neither a text nor a picture nor a video')
    return [{ kind: 'text', text: str(item.get('text') ?? null) }]
  }
  return (message) => {
    const content = message.get('content') ?? null
    if (content === null) return []
    if (typeof content === 'string') return stripped([{ kind: 'text', text: content }])
    if (!isList(content)) throw new Refusal('the content of a message is neither a text nor a list')
    return stripped(joinedTexts(content.flatMap(partsOf)))
  }
}

const NAMES = { image: 'Picture', video: 'Video' } as const

/** Neighbouring texts as one. */
function joinedTexts(parts: readonly PromptPart[]): readonly PromptPart[] {
  const writer = partWriter()
  writer.show(parts)
  return writer.parts()
}

function stripped(parts: readonly PromptPart[]): readonly PromptPart[] {
  return parts.map((part, index) => {
    if (part.kind === 'token') return part
    const text = index === 0 ? lstrip(part.text) : part.text
    return { kind: 'text', text: index === parts.length - 1 ? rstrip(text) : text }
  })
}
