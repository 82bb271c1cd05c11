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
  return readCallsBy((scan, calls) => passCall(scan, members, calls))
}

/** The same where an object has no members of fixed names: each key is the name of a call, its value the arguments. */
export function readKeyedCalls(): ReadCalls {
  return Object.assign(readCallsBy(passKeyedCalls), { isAnyObject: true as const })
}

/** Passes an object in which calls are, and adds them. */
type PassObject = (scan: JsonScan, calls: BodyCall[]) => boolean

function readCallsBy(passObject: PassObject): ReadCalls {
  const at = (text: string, from: number): FoundBody => {
    const scan: JsonScan = { text, at: afterSpace(text, from), hasUnseen: false }
    const calls: BodyCall[] = []
    const isList = text.charCodeAt(scan.at) === OPEN_BRACKET
    const isRead = isList ? passList(scan, passObject, calls) : passObject(scan, calls)
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
function passList(scan: JsonScan, passObject: PassObject, calls: BodyCall[]): boolean {
  scan.at++
  if (passJsonUnit(scan, CLOSE_BRACKET)) return true
  do {
    scan.at = afterSpace(scan.text, scan.at)
    if (!passObject(scan, calls)) return false
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
  const isPassed = passMembers(scan, (key, value) => {
    const order = members.arguments.indexOf(key)
    if (key === members.name) name = textIn(text, value) ?? ''
    else if (key === members.id) id = textIn(text, value)
    else if (order >= 0 && order <= rank) [given, rank] = [value, order]
  })
  if (isPassed) calls.push({ name, arguments: given === null ? '' : sliceOf(text, given), id })
  return isPassed
}

/**
 * Passes an object whose keys are names of calls.
 *
 *   > {"f": {"a": [1, 2]}}
 *     ^                   ^   from here to there
 */
function passKeyedCalls(scan: JsonScan, calls: BodyCall[]): boolean {
  return passMembers(scan, (name, value) => calls.push({ name, arguments: sliceOf(scan.text, value), id: null }))
}

/** Passes an object, and says each of its members. */
function passMembers(scan: JsonScan, onMember: (key: string, value: Piece) => void): boolean {
  const { text } = scan
  if (text.charCodeAt(scan.at) !== OPEN_BRACE) return false
  scan.at++
  for (let isFirst = true; !passJsonUnit(scan, CLOSE_BRACE); isFirst = false) {
    if (!isFirst && !passJsonUnit(scan, COMMA)) return false
    const start = afterSpace(text, scan.at)
    scan.at = start
    if (text.charCodeAt(start) !== QUOTE || !passJsonString(scan)) return false
    const key = textIn(text, { start, end: scan.at }) ?? ''
    if (!passJsonUnit(scan, COLON)) return false
    const from = afterSpace(text, scan.at)
    scan.at = from
    if (!passJson(scan)) return false
    onMember(key, { start: from, end: scan.at })
  }
  return true
}

function sliceOf(text: string, { start, end }: Piece): string {
  return text.slice(start, end)
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
