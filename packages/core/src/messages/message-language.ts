import type { ContentItem, Message } from './message.ts'
import { hasChinese, isDict, isList } from '@callspec/python'
import type { PyValue } from '@callspec/python'
import { ITEM_TYPES } from './content-item.ts'

/**
 * `zh` if the content of any system or user message has a Chinese character, else `en` (spec §2.7).
 *
 * In a list everything counts, file names too, because the reference looks at the Python text of the list.
 */
export function detectLanguage(messages: readonly Message[]): 'en' | 'zh' {
  const found = messages.some(
    (message) => (message.role === 'system' || message.role === 'user') && contentHasChinese(message.content),
  )
  return found ? 'zh' : 'en'
}

/** Whether the Python text of a whole message has a Chinese character: name, call and extra count too. */
export function messageHasChinese(message: Message): boolean {
  const reasoning = message.reasoning_content ?? ''
  const call = message.function_call ?? { name: '', arguments: '' }
  return (
    contentHasChinese(message.content) ||
    contentHasChinese(reasoning) ||
    [message.name ?? '', call.name, call.arguments].some(hasChinese) ||
    valueHasChinese(message.extra ?? null)
  )
}

function contentHasChinese(content: string | readonly ContentItem[]): boolean {
  if (typeof content === 'string') return hasChinese(content)
  return content.some((item) => ITEM_TYPES.some((type) => valueHasChinese(item[type] ?? null)))
}

/** Looks at every text and key inside `root`, however deep. */
function valueHasChinese(root: PyValue): boolean {
  const open: PyValue[] = [root]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === 'string' && hasChinese(value)) return true
    if (isList(value)) for (const item of value) open.push(item)
    if (isDict(value)) for (const [key, item] of value) open.push(key, item)
  }
  return false
}
