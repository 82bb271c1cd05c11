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
  return wayOf(text) !== 'none'
}

/** How a text is read: as Python spells JSON, which needs no value to be built, in another way, or not at all. */
function wayOf(text: string): 'respelled' | 'loaded' | 'none' {
  const close = CLOSING.get(text.charAt(0))
  if (text === '' || (close !== undefined && (text.length < 2 || !text.endsWith(close)))) return 'none'
  if (respell(text) !== null) return 'respelled'
  return attempt(() => loads(text)).kind === 'returned' ? 'loaded' : 'none'
}

/**
 * What a text is as JSON, for every reader of JSON: `loads` also accepts NaN and Infinity, which are none. It must have no
 * white space around it. Linear.
 */
export function jsonKind(text: string): 'object' | 'other' | 'none' {
  const way = wayOf(text)
  // What can be respelled holds neither.
  if (way === 'none' || (way === 'loaded' && holdsNoValue(text))) return 'none'
  return text.startsWith('{') ? 'object' : 'other'
}

/** Whether JSON that `loads` accepts holds NaN or Infinity, outside of its strings. */
export function holdsNoValue(json: string): boolean {
  // Two searches for a text are many times faster than one for a pattern.
  if (!json.includes('NaN') && !json.includes('Infinity')) return false
  const watch = jsonWatch()
  readJsonOn(watch, json)
  return watch.hasNoValue
}

const CLOSING: ReadonlyMap<string, string> = new Map([
  ['{', '}'],
  ['[', ']'],
  ['"', '"'],
])
