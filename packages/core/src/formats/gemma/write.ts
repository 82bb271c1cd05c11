import type { ItemSpelling, WriteCall } from '../../format/write-items.ts'
import { kindOfJson } from '../../grammar/calls.ts'
import { str, isDict, isList } from '@callspec/python'
import type { PyValue } from '@callspec/python'
import type { GemmaMarks } from './marks.ts'

/** How replies are spelt. */
export function spellingOf(marks: GemmaMarks): ItemSpelling {
  const { open, close, quote, thought } = marks
  const call: WriteCall = ({ name, arguments: text }, given) => {
    const members = [...given].map(([key, value]) => `${key}:${valueText(value, quote)}`)
    // What is no map of arguments stands as it is.
    const inside = given.size > 0 || kindOfJson(text) === 'object' ? members.join(',') : text
    return `${open}call:${name}{${inside}}${close}`
  }
  return {
    ...(thought === null ? {} : { thought: { open: `${thought.open}thought\n`, close: `\n${thought.close}` } }),
    call,
  }
}

/** A value as a model writes it. */
function valueText(value: PyValue, quote: string): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return quote + value + quote
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (isList(value)) return `[${value.map((each) => valueText(each, quote)).join(',')}]`
  if (isDict(value)) return `{${[...value].map(([key, each]) => `${key}:${valueText(each, quote)}`).join(',')}}`
  return str(value)
}
