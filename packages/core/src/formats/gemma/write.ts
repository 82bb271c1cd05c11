import { shownMembers, textOfShown } from '../../conversation/shown-value.ts'
import type { ItemSpelling } from '../../format/write-items.ts'
import { standardKind, str } from '@callspec/python'
import type { GemmaMarks } from './marks.ts'

/** How replies are spelt. */
export function spellingOf({ open, close, quote, thought }: GemmaMarks): ItemSpelling {
  const notation = {
    words: { null: 'null', true: 'true', false: 'false' },
    string: (text: string) => quote + text + quote,
    key: (key: string) => key,
    number: str,
    comma: ',',
    colon: ':',
  }
  return {
    ...(thought === null ? {} : { thought: { open: `${thought.open}thought\n`, close: `\n${thought.close}` } }),
    call: ({ name, arguments: text }, given) => {
      // What is no map of arguments stands as it is.
      const isMap = given.size > 0 || standardKind(text) === 'object'
      return `${open}call:${name}{${isMap ? textOfShown(shownMembers(given, notation)) : text}}${close}`
    },
  }
}
