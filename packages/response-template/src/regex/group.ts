import type { RegexNode } from './node.ts'
import { regexError } from './regex-cursor.ts'
import type { RegexCursor, RegexFlags } from './regex-cursor.ts'

/** Reads what begins with `(`; null for a comment or flags of the whole pattern. */
export function readGroup(cursor: RegexCursor): RegexNode | null {
  const { source } = cursor
  if (source.startsWith('(*', cursor.at)) return readVerb(cursor)
  if (!source.startsWith('(?', cursor.at)) {
    cursor.at++
    return captured(cursor, null)
  }
  for (const [opener, read] of OPENERS) {
    if (!source.startsWith(opener, cursor.at)) continue
    cursor.at += opener.length
    return read(cursor)
  }
  return readFlags(cursor)
}

type ReadGroup = (cursor: RegexCursor) => RegexNode | null

/** What follows an opener; longer openers first. */
const OPENERS: readonly (readonly [opener: string, read: ReadGroup])[] = [
  ['(?#', skipComment],
  ['(?:', body],
  ['(?>', (cursor) => ({ kind: 'atomic', body: body(cursor) })],
  ['(?=', (cursor) => look(cursor, { isBehind: false, isNegative: false })],
  ['(?!', (cursor) => look(cursor, { isBehind: false, isNegative: true })],
  ['(?<=', (cursor) => look(cursor, { isBehind: true, isNegative: false })],
  ['(?<!', (cursor) => look(cursor, { isBehind: true, isNegative: true })],
  ['(?P=', (cursor) => reference(cursor, ')')],
  ['(?P>', recursion],
  ['(?&', recursion],
  ['(?R)', () => ({ kind: 'unsupported', what: 'recursion' })],
  ['(?P<', (cursor) => captured(cursor, readName(cursor, '>'))],
  ['(?<', (cursor) => captured(cursor, readName(cursor, '>'))],
  ['(?|', branchReset],
  ['(?(', conditional],
]

function body(cursor: RegexCursor): RegexNode {
  const opened = cursor.at
  const flags = cursor.flags
  const node = cursor.parseChoice()
  cursor.flags = flags
  if (cursor.source[cursor.at] !== ')') throw regexError('missing )', Math.max(opened, cursor.at))
  cursor.at++
  return node
}

function look(cursor: RegexCursor, shape: { isBehind: boolean; isNegative: boolean }): RegexNode {
  return { kind: 'look', body: body(cursor), ...shape }
}

/** A group that remembers what it matched. A name that is used again means the same group. */
function captured(cursor: RegexCursor, name: string | null): RegexNode {
  const known = name === null ? undefined : cursor.names.get(name)
  const index = known ?? cursor.groupCount++
  if (name !== null) cursor.names.set(name, index)
  return { kind: 'group', index, name, body: body(cursor) }
}

const NAME = /^[\p{Alphabetic}_][\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]*$/u

function readName(cursor: RegexCursor, closer: string): string {
  const end = cursor.source.indexOf(closer, cursor.at)
  const name = cursor.source.slice(cursor.at, end < 0 ? undefined : end)
  if (name === '') throw regexError('missing group name', cursor.at)
  if (end < 0) throw regexError(`missing ${closer}`, cursor.source.length)
  if (!NAME.test(name)) throw regexError('bad character in group name', cursor.at)
  cursor.at = end + closer.length
  return name
}

/** A reference to a group by name or number, up to `closer`. */
export function reference(cursor: RegexCursor, closer: string): RegexNode {
  const at = cursor.at
  const end = cursor.source.indexOf(closer, at)
  if (end < 0) throw regexError(`missing ${closer}`, cursor.source.length)
  const text = cursor.source.slice(at, end)
  if (/^\d+$/.test(text)) {
    cursor.at = end + closer.length
    return numbered(cursor, Number(text), at)
  }
  const name = readName(cursor, closer)
  const index = cursor.names.get(name)
  if (index !== undefined) return { kind: 'reference', index, isFolded: cursor.flags.isFolded }
  cursor.references.push({ group: name, at })
  return { kind: 'unsupported', what: 'a reference to a group that follows' }
}

/** A reference to a group by its number. */
export function numbered(cursor: RegexCursor, index: number, at: number): RegexNode {
  if (index === 0) throw regexError('invalid group reference', at)
  cursor.references.push({ group: index, at })
  return { kind: 'reference', index, isFolded: cursor.flags.isFolded }
}

function recursion(cursor: RegexCursor): RegexNode {
  const at = cursor.at
  cursor.references.push({ group: readName(cursor, ')'), at })
  return { kind: 'unsupported', what: 'recursion' }
}

function branchReset(cursor: RegexCursor): RegexNode {
  body(cursor)
  return { kind: 'unsupported', what: 'a branch reset' }
}

function conditional(cursor: RegexCursor): RegexNode {
  const at = cursor.at
  const end = cursor.source.indexOf(')', at)
  const group = end < 0 ? '' : cursor.source.slice(at, end)
  const number = /^\d+$/.test(group) ? Number(group) : cursor.names.get(group)
  if (number === undefined) throw regexError('unknown group', at)
  cursor.references.push({ group: number, at })
  cursor.at = end + 1
  const node = body(cursor)
  const options = node.kind === 'choice' ? node.options : [node]
  if (options.length > 2) throw regexError('conditional has more than two branches', at)
  const empty: RegexNode = { kind: 'sequence', items: [] }
  return { kind: 'conditional', index: number, yes: options[0] ?? empty, no: options[1] ?? empty }
}

function skipComment(cursor: RegexCursor): null {
  const end = cursor.source.indexOf(')', cursor.at)
  if (end < 0) throw regexError('missing )', cursor.source.length)
  cursor.at = end + 1
  return null
}

function readVerb(cursor: RegexCursor): RegexNode {
  const verb = /^\(\*(?:PRUNE|SKIP|FAIL|F)\)/.exec(cursor.source.slice(cursor.at, cursor.at + 10))
  if (verb === null) throw regexError('nothing to repeat', cursor.at + 1)
  cursor.at += verb[0].length
  return { kind: 'unsupported', what: 'a verb such as (*FAIL)' }
}

const FLAGS = /^\(\?([aiLmsxufwbepr]|V[01])*(-[imsx]+)?([:)])/

/** `(?i)` counts for the whole pattern, `(?i:…)` for its part. */
function readFlags(cursor: RegexCursor): RegexNode | null {
  const match = FLAGS.exec(cursor.source.slice(cursor.at, cursor.at + 40))
  if (match === null) {
    if (/^\(\?\d+\)/.test(cursor.source.slice(cursor.at, cursor.at + 12))) {
      cursor.at = cursor.source.indexOf(')', cursor.at) + 1
      return { kind: 'unsupported', what: 'recursion' }
    }
    throw regexError('unknown extension', cursor.at + 1)
  }
  const [whole, , off = '', end] = match
  const on = whole.slice(2, whole.length - off.length - 1)
  cursor.at += whole.length
  const flags = changed(cursor.flags, on, off)
  if (end === ')') {
    cursor.wholeFlags = changed(cursor.wholeFlags ?? cursor.flags, on, off)
    cursor.flags = flags
    return null
  }
  const outer = cursor.flags
  cursor.flags = flags
  const node = body(cursor)
  cursor.flags = outer
  return node
}

function changed(flags: RegexFlags, on: string, off: string): RegexFlags {
  const value = (letter: string, before: boolean): boolean =>
    off.includes(letter) ? false : before || on.includes(letter)
  return {
    isFolded: value('i', flags.isFolded),
    isMultiline: value('m', flags.isMultiline),
    isDotAll: value('s', flags.isDotAll),
    isVerbose: value('x', flags.isVerbose),
  }
}
