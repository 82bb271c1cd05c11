import { isDict, isWholeJson, jsonWatch, loads, Raise, readJsonOn } from '@callspec/python'
import type { PyDict } from '@callspec/python'

/** How often each character of a text may be looked at: texts come from programs under test, and braces may be nested. */
const MAX_LOOKS = 16

/**
 * The JSON objects that stand in a text, in their order, wherever they stand: on a line, in a list, between tags. Objects
 * inside of others are not told. Linear: where nested braces that are never closed would need more looks, the rest is left.
 */
export function jsonObjectsIn(text: string): readonly PyDict[] {
  const found: PyDict[] = []
  let looks = MAX_LOOKS * text.length
  for (let at = text.indexOf('{'); at !== -1 && looks > 0; at = text.indexOf('{', at)) {
    const end = endOfJson(text, at)
    looks -= end.at - at
    const value = end.isWhole ? objectOf(text.slice(at, end.at)) : null
    if (value !== null) found.push(value)
    at = value === null ? at + 1 : end.at
  }
  return found
}

/** Behind the JSON value that begins here, or where it is seen to be none. */
function endOfJson(text: string, from: number): { readonly at: number; readonly isWhole: boolean } {
  const watch = jsonWatch()
  for (let at = from; at < text.length; at += 1) {
    readJsonOn(watch, text.charAt(at))
    if (isWholeJson(watch)) return { at: at + 1, isWhole: true }
    if (watch.state === 'dead') return { at: at + 1, isWhole: false }
  }
  return { at: text.length, isWhole: false }
}

function objectOf(json: string): PyDict | null {
  try {
    const value = loads(json)
    return isDict(value) ? value : null
  } catch (error) {
    if (error instanceof Raise || error instanceof RangeError) return null
    throw error
  }
}
