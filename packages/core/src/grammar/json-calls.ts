import { dumps } from '@callspec/python'
import type { BodyCall, FoundBody, ReadCalls } from './grammar.ts'
import { afterSpace } from './edges.ts'
import { isReadByParse, kindOfJson, passString, passValue } from './json-scan.ts'
import type { JsonScan } from './json-scan.ts'

/** Which members of a JSON object make it a call. Others are passed over; of one that stands twice the last counts. */
export interface CallMembers {
  readonly name: string
  /** The first of these that the object has. */
  readonly arguments: readonly string[]
  readonly id?: string
}

/**
 * Reads a body that is one JSON value: a list of calls, or a single call. Arguments are handed on as they stand. Null for
 * what is no JSON, or no list of objects.
 */
export function readJsonCalls(members: CallMembers): ReadCalls {
  const at = (text: string, from: number): FoundBody => {
    const scan: JsonScan = { text, at: afterSpace(text, from), hasUnseen: false }
    const calls: BodyCall[] = []
    const isList = text.charCodeAt(scan.at) === OPEN_BRACKET
    const isRead = isList ? passList(scan, members, calls) : passCall(scan, members, calls)
    const isJson = isRead && (!scan.hasUnseen || isReadByParse(text.slice(from, scan.at)))
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
 *                     ^   no JSON: an element is missing
 *   > [{"name": "f"}, 1]
 *                     ^    JSON, but no list of objects
 */
function passList(scan: JsonScan, members: CallMembers, calls: BodyCall[]): boolean {
  const { text } = scan
  scan.at = afterSpace(text, scan.at + 1)
  if (take(scan, CLOSE_BRACKET)) return true
  do {
    scan.at = afterSpace(text, scan.at)
    if (!passCall(scan, members, calls)) return false
    scan.at = afterSpace(text, scan.at)
  } while (take(scan, COMMA))
  return take(scan, CLOSE_BRACKET)
}

/** Passes a character if it stands here. */
function take(scan: JsonScan, unit: number): boolean {
  const isThere = scan.text.charCodeAt(scan.at) === unit
  if (isThere) scan.at++
  return isThere
}

/** A piece of a JSON text, which is known to be one. */
interface Piece {
  readonly start: number
  readonly end: number
}

/**
 * Passes an object, which is a call: an empty name stands for none that is a text, empty arguments for none.
 *
 *   > {"name": "f", "arguments": {"a": [1, 2]}}
 *     ^                                        ^   from here to there
 */
function passCall(scan: JsonScan, members: CallMembers, calls: BodyCall[]): boolean {
  const { text } = scan
  let [name, id]: [Piece | null, Piece | null] = [null, null]
  let given: Piece | null = null
  let rank = Infinity
  if (!take(scan, OPEN_BRACE)) return false
  scan.at = afterSpace(text, scan.at)
  for (let isFirst = true; !take(scan, CLOSE_BRACE); isFirst = false) {
    if (!isFirst) {
      if (!take(scan, COMMA)) return false
      scan.at = afterSpace(text, scan.at)
    }
    const key = passMember(scan)
    if (key === null) return false
    const value = { start: key.valueStart, end: scan.at }
    const order = members.arguments.indexOf(key.name)
    if (key.name === members.name) name = value
    else if (key.name === members.id) id = value
    else if (order >= 0 && order <= rank) [given, rank] = [value, order]
    scan.at = afterSpace(text, scan.at)
  }
  calls.push({
    name: name === null ? '' : (textIn(text, name) ?? ''),
    arguments: given === null ? '' : text.slice(given.start, given.end),
    id: id === null ? null : textIn(text, id),
  })
  return true
}

/**
 * Passes a member; null where none stands.
 *
 *   > {"name": "f"}
 *      ^          ^   from here to there
 *   > {name: "f"}
 *      ^            no JSON
 */
function passMember(scan: JsonScan): { readonly name: string; readonly valueStart: number } | null {
  const { text, at: start } = scan
  if (text.charCodeAt(start) !== QUOTE || !passString(scan)) return null
  const name = textIn(text, { start, end: scan.at }) ?? ''
  scan.at = afterSpace(text, scan.at)
  if (!take(scan, COLON)) return null
  const valueStart = afterSpace(text, scan.at)
  scan.at = valueStart
  return passValue(scan) ? { name, valueStart } : null
}

/**
 * Null for JSON that is no text, and for a long text that turns out to be no JSON.
 *
 *   > {"name": "f"}
 *              ^  ^
 *   > {"name": 1}
 *              ^^   null
 *   > {"name": "… f\q"}
 *              ^      ^   null: no escape of JSON, in a text that was jumped over
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
 * Arguments as they stand inside a JSON body: what is no JSON becomes a JSON text.
 *
 *   > {"name": "python", "arguments": "print(1)"}
 *                                     ^         ^   from `print(1)`
 */
export function argumentsInBody(text: string): string {
  return kindOfJson(text) === 'none' ? dumps(text) : text
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
