import type { ItemSpelling } from '../../format/write-items.ts'
import type { CallItem } from '../../reply/item.ts'
import { dumps, isDict, isList, isJson } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { close, open } from './tags.ts'

/** How replies are spelt. */
export const spelling: ItemSpelling = {
  thought: { open: open('think'), close: close('think') },
  text: { open: open('response'), close: close('response'), beforeCalls: true },
  section: { open: open('tools'), close: close('tools') },
  call: (call, given, index) =>
    open(`call tool="${escaped(call.name)}" index="${index + 1}"`) + inside(call, given) + close('call'),
}

function inside({ arguments: text }: CallItem, given: PyDict): string {
  // What is no object of keys stands as it is.
  if (given.size === 0 && !(isJson(text) && text.startsWith('{')))
    return open('json type="object"') + text + close('json')
  return [...given]
    .map(([key, value]) => {
      const shown = typeof value === 'string' ? value : dumps(value)
      return open(`argument key="${escaped(key)}" type="${typeOf(value)}"`) + shown + close('argument')
    })
    .join('')
}

function typeOf(value: PyValue): string {
  if (value === null) return 'null'
  if (isList(value)) return 'array'
  if (isDict(value)) return 'object'
  return TYPE_OF[typeof value] ?? 'string'
}

const TYPE_OF: { readonly [type: string]: string } = { boolean: 'boolean', bigint: 'integer', number: 'number' }

function escaped(text: string): string {
  return text.split('&').join('&amp;').split('"').join('&quot;')
}
