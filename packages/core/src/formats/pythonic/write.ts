import type { ItemSpelling } from '../../format/write-items.ts'
import { dumps, isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

/** A list of calls between two texts. */
export function listSpelling(open: string, close: string): ItemSpelling {
  return {
    section: { open: `${open}[`, close: `]${close}` },
    betweenCalls: ', ',
    call: ({ name }, given) => `${name}(${keywordArguments(given, pythonText)})`,
  }
}

/** One call a line, with values as JSON. */
export const LINES: ItemSpelling = {
  thought: { open: '<think>', close: '</think>' },
  section: { open: '<function_calls>', close: '</function_calls>' },
  betweenCalls: '\n',
  call: ({ name }, given) => `${name}(${keywordArguments(given, dumps)})`,
}

/** `city="Oslo", days=2`. */
export function keywordArguments(given: PyDict, spell: (value: PyValue) => string): string {
  return [...given].map(([key, value]) => `${key}=${spell(value)}`).join(', ')
}

/** A value as Python spells it. Texts stand between double quotes; every escape of JSON is one of Python, too. */
function pythonText(value: PyValue): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (isList(value)) return `[${value.map(pythonText).join(', ')}]`
  if (isDict(value)) return `{${[...value].map(([key, item]) => `${dumps(key)}: ${pythonText(item)}`).join(', ')}}`
  return dumps(value)
}
