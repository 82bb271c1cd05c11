import { dumps } from '@callspec/python'
import type { BodyCall } from './grammar.ts'
import { afterSpace, beforeSpace } from './edges.ts'
import { followString, newJsonWatch } from './json-watch.ts'

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
export function readJsonCalls(members: CallMembers): (text: string) => readonly BodyCall[] | null {
  return (text) => {
    const json = text.slice(afterSpace(text), beforeSpace(text))
    if (!isJson(json)) return null
    const calls: BodyCall[] = []
    for (const object of json.startsWith('[') ? piecesOf(json) : [json]) {
      if (!object.startsWith('{')) return null
      calls.push(callOf(object, members))
    }
    return calls
  }
}

/** An empty name stands for none that is a text, empty arguments for none. */
function callOf(object: string, members: CallMembers): BodyCall {
  const pieces = piecesOf(object)
  const given = new Map<string, string>()
  for (let at = 0; at + 1 < pieces.length; at += 2) given.set(textIn(pieces[at]) ?? '', pieces[at + 1] ?? '')
  const key = members.arguments.find((each) => given.has(each))
  return {
    name: textIn(given.get(members.name)) ?? '',
    arguments: key === undefined ? '' : (given.get(key) ?? ''),
    id: members.id === undefined ? null : textIn(given.get(members.id)),
  }
}

/** Null for JSON that is no text. */
function textIn(json: string | undefined): string | null {
  if (json?.startsWith('"') !== true) return null
  const value: unknown = JSON.parse(json)
  return typeof value === 'string' ? value : null
}

/** Arguments as they stand inside a JSON body: what is no JSON becomes a JSON text. */
export function argumentsInBody(text: string): string {
  return isJson(text) ? text : dumps(text)
}

/**
 * What stands between the outermost brackets of a list or an object, piece by piece: values, or keys and values in turn.
 *
 *   > {"a": [1, 2], "b": "x,y"}
 *         ^       ^    ^         pieces end here
 */
function piecesOf(json: string): readonly string[] {
  const pieces: string[] = []
  const watch = newJsonWatch()
  let start = 1
  const cut = (end: number): void => {
    const piece = json.slice(start, end)
    const [from, to] = [afterSpace(piece), beforeSpace(piece)]
    if (from < to) pieces.push(piece.slice(from, to))
    start = end + 1
  }
  for (let at = 1; at < json.length - 1;) {
    if (watch.isInString) {
      at = followString(watch, json, at)
      continue
    }
    const unit = json[at]
    if (unit === '"') watch.isInString = true
    else if (unit === '[' || unit === '{') watch.depth += 1
    else if (unit === ']' || unit === '}') watch.depth -= 1
    else if ((unit === ',' || unit === ':') && watch.depth === 0) cut(at)
    at++
  }
  cut(json.length - 1)
  return pieces
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
