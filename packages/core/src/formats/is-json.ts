import { loads } from '../python/json-loads.ts'
import { respell } from '../python/respell.ts'
import { attempt } from '../raise.ts'

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

const CLOSING: ReadonlyMap<string, string> = new Map([
  ['{', '}'],
  ['[', ']'],
  ['"', '"'],
])
