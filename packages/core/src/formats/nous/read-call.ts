import {
  Raise,
  className,
  dumps,
  holdsNoValue,
  isDict,
  isJson,
  isList,
  loads,
  loadsJson5,
  pyLength,
  pySlice,
  respellCall,
  strip,
  truthy,
  unreachable,
} from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { IssueCode } from '../../qwen-agent/issues.ts'
import type { FunctionCall } from '../../messages/message.ts'
import type { Profile } from '../../profile.ts'
import type { Note } from '../../qwen-agent/issues.ts'
import type { Span } from '../../qwen-agent/span.ts'
import { ARGUMENTS_START, CODE_CLOSE, CODE_OPEN, NAME_END, NAME_END_QUOTE, NAME_START } from './tokens.ts'

/** How the body of a call is read. */
interface CallContext {
  readonly profile: Profile
  readonly codeMode: boolean
  readonly note?: Note | undefined
}

/**
 * Reads the text between the tags of a call (spec §7.3).
 *
 * @param span the place of the body, for issues
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

/** Name and arguments of a call that is not closed or not JSON, as far as they can be guessed. */
export interface PartialCall {
  readonly name: string
  readonly arguments: string
}

/**
 * Guesses name and arguments from the text of a call (spec §7.4, `extract_fn`). The spacing must be exactly as taught,
 * and neither may be at the very start (spec Q12).
 */
export function extractFn(text: string, profile: Profile): PartialCall {
  const nameAt = text.indexOf(NAME_START)
  const argumentsAt = text.indexOf(ARGUMENTS_START)
  return {
    name: nameAt > 0 ? nameIn(text, nameAt + NAME_START.length, profile) : '',
    arguments: argumentsAt > 0 ? argumentsIn(text.slice(argumentsAt + ARGUMENTS_START.length), profile) : '',
  }
}

function nameIn(text: string, start: number, { nousPartialName }: Profile): string {
  const isNewer = nousPartialName === 'separator-or-nothing'
  // As in the reference: older versions take the first separator of the text, even one before the name.
  const end = text.indexOf(NAME_END, isNewer ? start : 0)
  if (end >= 0) return text.slice(start, Math.max(start, end))
  if (isNewer) return ''
  const rest = text.slice(start)
  const quote = nousPartialName === 'separator-or-quote' ? rest.indexOf(NAME_END_QUOTE) : -1
  return quote < 0 ? rest : rest.slice(0, quote)
}

function argumentsIn(text: string, { nousPartialCall }: Profile): string {
  switch (nousPartialCall) {
    case 'keep-all':
    case 'nothing':
      return text
    case 'drop-five-characters':
      return isLongerThan(text, 5) ? pySlice(text, 0, -5) : ''
    case 'drop-one-character': {
      // As in the reference: the last character is dropped, whether it is the closing brace of the call or not.
      const stripped = strip(text)
      return isLongerThan(stripped, 2) ? pySlice(stripped, 0, -1) : ''
    }
    default:
      return unreachable(nousPartialCall)
  }
}

/** Whether there are more code points; counts them only where it could matter. */
function isLongerThan(text: string, count: number): boolean {
  return text.length > 2 * count || pyLength(text) > count
}

/**
 * `value[key]` of Python for a text as key, with the map that it was found in.
 *
 * @throws Raise `KeyError` for a map without the key, `TypeError` for anything that is not a map
 */
export function memberOf(value: PyValue, key: string): { readonly owner: PyDict; readonly value: PyValue } {
  if (typeof value === 'string') throw new Raise('TypeError', `string indices must be integers, not 'str'`)
  if (isList(value)) throw new Raise('TypeError', 'list indices must be integers or slices, not str')
  if (!isDict(value)) throw new Raise('TypeError', `'${className(value)}' object is not subscriptable`)
  const member = value.get(key)
  if (member === undefined) throw new Raise('KeyError', `'${key}'`)
  return { owner: value, value: member }
}

/**
 * `key in value` of Python for a text as key: a member of a map, an element of a list, a part of a text.
 *
 * @throws Raise `TypeError` for numbers and booleans
 */
export function contains(value: PyValue, key: string): boolean {
  if (typeof value === 'string' || isList(value)) return value.includes(key)
  if (isDict(value)) return value.has(key)
  throw new Raise('TypeError', `argument of type '${className(value)}' is not iterable`)
}

/**
 * The map with `value[key] = member` done, in place of the old member or at the end.
 *
 * @throws Raise `TypeError` for anything that is not a map
 */
function withMember(value: PyValue, key: string, member: PyValue): PyDict {
  if (isList(value)) throw new Raise('TypeError', 'list indices must be integers or slices, not str')
  if (!isDict(value)) throw new Raise('TypeError', `'${className(value)}' object does not support item assignment`)
  return new Map([...value, [key, member]])
}
