import type { ItemSpelling } from '../../format/write-items.ts'
import { shownValue, textOfShown } from '../../conversation/shown-value.ts'
import type { ValueNotation } from '../../conversation/shown-value.ts'
import { dumps } from '@callspec/python'
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

function pythonText(value: PyValue): string {
  return textOfShown(shownValue(value, PYTHON))
}

/** As Python spells values. Texts stand between double quotes; every escape of JSON is one of Python, too. */
const PYTHON: ValueNotation = {
  words: { null: 'None', true: 'True', false: 'False' },
  string: (text) => dumps(text),
  key: (key) => dumps(key),
  comma: ', ',
  colon: ': ',
}
