import {
  afterSpace,
  dumps,
  isStandardJson,
  passJson,
  passJsonString,
  passJsonUnit,
  standardKind,
} from '@callspec/python'
import type { JsonScan } from '@callspec/python'
import type { BodyCall, FoundBody, ReadCalls } from './grammar.ts'

/** Which members of a JSON object make it a call. Others are ignored; the last of several with one name counts. */
export interface CallMembers {
  readonly name: string
  /** The first of these that the object has. */
  readonly arguments: readonly string[]
  readonly id?: string
}

/**
 * Reads a body that is one JSON value: a list of calls, or a single call. Arguments stay as written. Null for what is not JSON,
 * or not a list of objects.
 */
export function readJsonCalls(members: CallMembers): ReadCalls {
  const at = (text: string, from: number): FoundBody => {
    const scan: JsonScan = { text, at: afterSpace(text, from), hasUnseen: false }
    const calls: BodyCall[] = []
    const isList = text.charCodeAt(scan.at) === OPEN_BRACKET
    const isRead = isList ? passList(scan, members, calls) : passCall(scan, members, calls)
    const isJson = isRead && (!scan.hasUnseen || isStandardJson(text.slice(from, scan.at)))
    return { calls: isJson ? calls : null, end: scan.at }
  }
  const readCalls = (text: string): readonly BodyCall[] | null => {
    const { calls, end } = at(text, 0)
    return afterSpace(text, end) === text.length ? calls : null
  }
  return Object.assign(readCalls, { at })
}

/**
 * Passes a list of calls.
 *
 *   > [{"name": "f"}, {"name": "g"}]
 *     ^                             ^   from here to there
 *   > [{"name": "f"}, ]
 *                     ^   not JSON: an element is missing
 *   > [{"name": "f"}, 1]
 *                     ^    JSON, but not a list of objects
 */
function passList(scan: JsonScan, members: CallMembers, calls: BodyCall[]): boolean {
  scan.at++
  if (passJsonUnit(scan, CLOSE_BRACKET)) return true
  do {
    scan.at = afterSpace(scan.text, scan.at)
    if (!passCall(scan, members, calls)) return false
  } while (passJsonUnit(scan, COMMA))
  return passJsonUnit(scan, CLOSE_BRACKET)
}

/** Where a piece of a JSON text begins and ends. */
interface Piece {
  readonly start: number
  readonly end: number
}

/**
 * Passes an object, which is a call. A name that is not a text is empty, and so are arguments that are missing.
 *
 *   > {"name": "f", "arguments": {"a": [1, 2]}}
 *     ^                                        ^   from here to there
 */
function passCall(scan: JsonScan, members: CallMembers, calls: BodyCall[]): boolean {
  const { text } = scan
  let [name, id]: [string, string | null] = ['', null]
  let given: Piece | null = null
  let rank = Infinity
  if (text.charCodeAt(scan.at) !== OPEN_BRACE) return false
  scan.at++
  for (let isFirst = true; !passJsonUnit(scan, CLOSE_BRACE); isFirst = false) {
    if (!isFirst && !passJsonUnit(scan, COMMA)) return false
    const start = afterSpace(text, scan.at)
    scan.at = start
    if (text.charCodeAt(start) !== QUOTE || !passJsonString(scan)) return false
    const key = textIn(text, { start, end: scan.at }) ?? ''
    if (!passJsonUnit(scan, COLON)) return false
    const value = { start: afterSpace(text, scan.at), end: 0 }
    scan.at = value.start
    if (!passJson(scan)) return false
    value.end = scan.at
    const order = members.arguments.indexOf(key)
    if (key === members.name) name = textIn(text, value) ?? ''
    else if (key === members.id) id = textIn(text, value)
    else if (order >= 0 && order <= rank) [given, rank] = [value, order]
  }
  calls.push({ name, arguments: given === null ? '' : text.slice(given.start, given.end), id })
  return true
}

/**
 * The value of a JSON string. Null for JSON that is not a string, and for a long string that turns out not to be JSON.
 *
 *   > {"name": "f"}
 *              ^  ^
 *   > {"name": 1}
 *              ^^   null
 *   > {"name": "… f\q"}
 *              ^      ^   null: JSON has no such escape
 */
function textIn(json: string, { start, end }: Piece): string | null {
  if (json.charCodeAt(start) !== QUOTE) return null
  const inner = json.slice(start + 1, end - 1)
  if (!inner.includes('\\')) return inner
  try {
    const value: unknown = JSON.parse(json.slice(start, end))
    return typeof value === 'string' ? value : null
  } catch {
    return null
  }
}

/**
 * Arguments as they are written in a JSON body: text that is not JSON becomes a JSON string.
 *
 *   > {"name": "python", "arguments": "print(1)"}
 *                                     ^         ^   from `print(1)`
 */
export function argumentsInBody(text: string): string {
  return standardKind(text) === 'none' ? dumps(text) : text
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
