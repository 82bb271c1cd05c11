import { loads } from './json-loads.ts'
import { jsonWatch, readJsonOn } from './json-watch.ts'
import { respell } from './respell.ts'
import { attempt } from './raise.ts'

/**
 * Whether Python's `json.loads` accepts the text; it must have no white space around it. Linear.
 *
 * Most arguments that are no JSON were cut off. They are told by their ends, because a raise costs more than reading.
 */
export function isJson(text: string): boolean {
  const close = CLOSING.get(text.charAt(0))
  if (close !== undefined && (text.length < 2 || !text.endsWith(close))) return false
  // What can be respelled is JSON in Python's own spelling, and no value has to be built.
  return text !== '' && (respell(text) !== null || attempt(() => loads(text)).kind === 'returned')
}

/**
 * What a text is as JSON, for every reader of JSON: `loads` also accepts NaN and Infinity, which are none. It must have no
 * white space around it. Linear.
 */
export function jsonKind(text: string): 'object' | 'other' | 'none' {
  if (!isJson(text) || holdsNoValue(text)) return 'none'
  return text.startsWith('{') ? 'object' : 'other'
}

/** Whether JSON that `loads` accepts holds NaN or Infinity, outside of its strings. */
export function holdsNoValue(json: string): boolean {
  if (!NO_VALUE.test(json)) return false
  const watch = jsonWatch()
  readJsonOn(watch, json)
  return watch.hasNoValue
}

const NO_VALUE = /NaN|Infinity/

const CLOSING: ReadonlyMap<string, string> = new Map([
  ['{', '}'],
  ['[', ']'],
  ['"', '"'],
])
