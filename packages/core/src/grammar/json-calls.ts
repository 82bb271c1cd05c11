import { dumps } from '@callspec/python'
import { kindOfJson } from './calls.ts'
import type { BodyCall } from './grammar.ts'
import { afterSpace, beforeSpace } from './edges.ts'

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
    if (kindOfJson(text) === 'none') return null
    const start = afterSpace(text)
    if (text[start] !== '[') return text[start] === '{' ? [callAt(text, start, members).call] : null
    const calls: BodyCall[] = []
    for (let at = afterSpace(text, start + 1); text[at] !== ']'; at = afterComma(text, at)) {
      if (text[at] !== '{') return null
      const { call, end } = callAt(text, at, members)
      calls.push(call)
      at = end
    }
    return calls
  }
}

/** A piece of a JSON text, which is known to be one. */
interface Piece {
  readonly start: number
  readonly end: number
}

/**
 * The call that the object at `start` is: an empty name stands for none that is a text, empty arguments for none.
 *
 *   > {"name": "f", "arguments": {"a": [1, 2]}}
 *                                              ^ end
 */
function callAt(text: string, start: number, members: CallMembers): { readonly call: BodyCall; readonly end: number } {
  let [name, id]: [Piece | null, Piece | null] = [null, null]
  let given: Piece | null = null
  let rank = Infinity
  let at = afterSpace(text, start + 1)
  while (text[at] !== '}') {
    const key = textIn(text, { start: at, end: stringEnd(text, at) }) ?? ''
    const from = afterSpace(text, afterSpace(text, stringEnd(text, at)) + 1)
    const value = { start: from, end: valueEnd(text, from) }
    if (key === members.name) name = value
    else if (key === members.id) id = value
    const order = members.arguments.indexOf(key)
    if (order >= 0 && order <= rank) [given, rank] = [value, order]
    at = afterComma(text, value.end)
  }
  const call = {
    name: name === null ? '' : (textIn(text, name) ?? ''),
    arguments: given === null ? '' : text.slice(given.start, given.end),
    id: id === null ? null : textIn(text, id),
  }
  return { call, end: at + 1 }
}

/** Null for JSON that is no text. */
function textIn(json: string, { start, end }: Piece): string | null {
  if (json[start] !== '"') return null
  const inner = json.slice(start + 1, end - 1)
  if (!inner.includes('\\')) return inner
  const value: unknown = JSON.parse(json.slice(start, end))
  return typeof value === 'string' ? value : null
}

/** Arguments as they stand inside a JSON body: what is no JSON becomes a JSON text. */
export function argumentsInBody(text: string): string {
  return kindOfJson(text) === 'none' ? dumps(text) : text
}

/** Where the next element begins, or the closing bracket stands. */
function afterComma(text: string, from: number): number {
  const at = afterSpace(text, from)
  return text[at] === ',' ? afterSpace(text, at + 1) : at
}

/** Where the value ends that begins at `start`. */
function valueEnd(text: string, start: number): number {
  let [at, depth] = [start, 0]
  for (;;) {
    const unit = text[at]
    if (unit === '"') {
      at = stringEnd(text, at)
      if (depth === 0) return at
      continue
    }
    if (unit === '{' || unit === '[') depth += 1
    else if (unit === '}' || unit === ']') {
      // > {"a": 12}
      //           ^   the end of a number, too
      if (depth === 0) return beforeSpace(text, at, start)
      depth -= 1
      if (depth === 0) return at + 1
    } else if (unit === undefined || (unit === ',' && depth === 0)) return beforeSpace(text, at, start)
    at++
  }
}

/** Where the string ends that begins at `start`: behind a quote with an even number of backslashes before it. */
function stringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = at
    while (text.charCodeAt(slashes - 1) === BACKSLASH) slashes--
    if ((at - slashes) % 2 === 0) return at + 1
  }
  return text.length
}

const BACKSLASH = 0x5c
