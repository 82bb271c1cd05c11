import type { ReplyItem } from '@callspec/core'
import { say } from '@callspec/report/page'

/** What an item is called. */
export function kindOf(item: ReplyItem): DocumentFragment {
  switch (item.kind) {
    case 'text':
      return say('text', '文本')
    case 'reasoning':
      return say('reasoning', '思考')
    case 'call':
      return say('call', '调用')
    default:
      return item.weight === 'harm' ? say('harm', '损害') : say('note', '提示')
  }
}

/** A number of things. */
export function counted(
  count: number,
  [one, many, zh]: readonly [one: string, many: string, zh: string],
): DocumentFragment {
  return say(`${count} ${count === 1 ? one : many}`, `${count} ${zh}`)
}

/** A text that is no longer than people read, with how much of it is left out. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (+${text.length - most})`
}
