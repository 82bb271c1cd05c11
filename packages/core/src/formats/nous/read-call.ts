import type { IssueCode } from '../../format.ts'
import type { FunctionCall } from '../../messages/message.ts'
import type { Profile } from '../../profile.ts'
import {
  dumps,
  loads,
  loadsJson5,
  respellCall,
  strip,
  isDict,
  truthy,
  Raise,
  holdsNoValue,
  isJson,
} from '@callspec/python'
import type { PyValue } from '@callspec/python'
import type { Note } from '../issue.ts'
import type { Span } from '../span.ts'
import { contains, memberOf, withMember } from './member.ts'
import { extractFn } from './partial.ts'
import { CODE_CLOSE, CODE_OPEN } from './tokens.ts'

/** How the body of a call is read. */
export interface CallContext {
  readonly profile: Profile
  readonly codeMode: boolean
  readonly note?: Note | undefined
}

/**
 * Reads what stands between the tags of a call (spec §7.3).
 *
 * @param span where the body stands, for issues
 * @returns null for a body that the reference passes over in silence
 * @throws Raise for bodies that the reference fails on: numbers, texts and lists with both words, names that are not
 *   texts, and in older versions everything that is not JSON
 */
export function readCallBody(body: string, span: Span, context: CallContext): FunctionCall | null {
  // Most calls are spelled as Python spells JSON; then the arguments are a piece of the body, and no value is built.
  const quick = context.codeMode ? null : respellCall(strip(body))
  if (quick !== null) {
    const { name, argumentsText, isObject, size } = quick
    noteMembers({ name, isObject, count: size }, span, context)
    return { name, arguments: argumentsText }
  }
  const value = readValue(body, span, context)
  return value.kind === 'guessed' ? value.call : callIn(value.value, span, context)
}

type BodyValue =
  { readonly kind: 'read'; readonly value: PyValue } | { readonly kind: 'guessed'; readonly call: FunctionCall }

function readValue(body: string, span: Span, { profile, codeMode, note }: CallContext): BodyValue {
  if (codeMode && body.includes(CODE_OPEN) && body.includes(CODE_CLOSE)) {
    // As in the reference: code mode has no second try.
    return { kind: 'read', value: noting('call-not-json', { span, note }, () => readCodeCall(body, profile)) }
  }
  const text = strip(body)
  try {
    const value = readJson(text, profile)
    if (note && profile.nousCallReader === 'json5' && !isJson(text)) note('call-not-strict-json', span)
    return { kind: 'read', value }
  } catch (error) {
    if (!(error instanceof Raise)) throw error
    note?.('call-not-json', span)
    if (profile.nousBrokenCall === 'raise') throw error
    const call = extractFn(text, profile)
    // As in the reference: the call is handed on even when no name was found.
    if (call.name === '') note?.('empty-name', span)
    return { kind: 'guessed', call }
  }
}

/** JSON, then blocks of code; the last block becomes the argument `code`, with the newlines around it. */
function readCodeCall(body: string, profile: Profile): PyValue {
  const [json = '', ...blocks] = body.split(CODE_OPEN)
  let call = readJson(json, profile)
  for (const block of blocks) {
    const { owner, value } = memberOf(call, 'arguments')
    call = new Map([...owner, ['arguments', withMember(value, 'code', block.replaceAll(CODE_CLOSE, ''))]])
  }
  return call
}

function readJson(text: string, profile: Profile): PyValue {
  return profile.nousCallReader === 'strict' ? loads(text) : loadsJson5(text)
}

function callIn(value: PyValue, span: Span, { profile, note }: CallContext): FunctionCall | null {
  const members = noting('call-without-name', { span, note }, () => membersOf(value, profile))
  if (members === null) {
    note?.('call-without-name', span)
    return null
  }
  const { name, args, count } = members
  if (typeof name !== 'string') {
    note?.('name-not-text', span)
    throw new Raise('ValidationError', 'Input should be a valid string')
  }
  noteMembers({ name, isObject: isDict(args), count }, span, { note })
  // Nesting too deep, or an int too long, for Python to print.
  const text = noting('call-not-json', { span, note }, () => dumps(args))
  // NaN and Infinity, which Python reads and prints.
  if (note && holdsNoValue(text)) note('arguments-not-json', span)
  return { name, arguments: text }
}

function noteMembers(
  { name, isObject, count }: { readonly name: string; readonly isObject: boolean; readonly count: number },
  span: Span,
  { note }: Pick<CallContext, 'note'>,
): void {
  if (name === '') note?.('empty-name', span)
  if (!isObject) note?.('arguments-not-object', span)
  if (count > 2) note?.('members-dropped', span)
}

interface Members {
  readonly name: PyValue
  readonly args: PyValue
  readonly count: number
}

function membersOf(value: PyValue, { nousMissingKeys }: Profile): Members | null {
  if (nousMissingKeys !== 'key-error' && !truthy(value)) return null
  if (nousMissingKeys === 'dropped' && !hasBoth(value)) return null
  const { owner, value: name } = memberOf(value, 'name')
  return { name, args: memberOf(value, 'arguments').value, count: owner.size }
}

function hasBoth(value: PyValue): boolean {
  return contains(value, 'name') && contains(value, 'arguments')
}

/** Runs `work`, and takes down an issue when it raises. */
function noting<T>(code: IssueCode, at: { readonly span: Span; readonly note: Note | undefined }, work: () => T): T {
  try {
    return work()
  } catch (error) {
    at.note?.(code, at.span)
    throw error
  }
}
