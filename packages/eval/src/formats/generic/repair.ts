import type { Format, CallItem, FormatMarkers } from '@callspec/core'
import type { PyDict, PyValue } from '@callspec/python'
import { balancedEnd, dumps, isDict, isList, toPlain } from '@callspec/python'
import type { Repair } from '../../reading/call-block.ts'
import type { LenientValue } from '../../reading/lenient-json.ts'
import { readLenientJson, readStrictJson } from '../../reading/lenient-json.ts'
import type { CallRegion } from './read-format.ts'
import { oncePerFormat, callRegions } from './read-format.ts'
import type { RepairedText } from './spelling.ts'
import { withSpelling } from './spelling.ts'

/**
 * Puts right what a person would: the spelling of markers, JSON that is nearly JSON or names the members of a call otherwise,
 * markers that are missing at the end.
 */
export function repaired(format: Format, given: string): RepairedText {
  const spelled = withSpelling(format, given)
  const wrapper = wrapperOf(format)
  const steps =
    wrapper === null ? [withJson, withClosers] : [(_: Format, text: string) => withWrapped(format, wrapper, text)]
  return steps.reduce<RepairedText>(({ text, repairs }, step) => {
    const next = step(format, text)
    return { text: next.text, repairs: [...repairs, ...next.repairs] }
  }, spelled)
}

function withJson(format: Format, text: string): RepairedText {
  if (format.traits.typedValues) return { text, repairs: [] }
  const repairs = new Set<Repair>()
  const pieces: string[] = []
  const end = endOfArguments(format)
  let at = 0
  for (const { body, bodyEnd } of callRegions(format, text)) {
    const json = text.slice(body, bodyEnd)
    const kept = withoutMarkerEnd(json.trimEnd(), end)
    const value = readStrictJson(kept) === undefined ? readLenientJson(kept) : null
    if (value === null) continue
    for (const repair of value.repairs) repairs.add(repair)
    pieces.push(text.slice(at, body), dumps(withNull(value.value)))
    at = body + kept.length
  }
  return { text: [...pieces, text.slice(at)].join(''), repairs: [...repairs] }
}

/** Text between the arguments and the marker that ends their call, such as the end of a fence. It is not part of the JSON. */
function endOfArguments(format: Format): string {
  const [tail = ''] = tailsOf(format)
  const ends = format.markers.callEnd.map((marker) => tail.indexOf(marker)).filter((at) => at >= 0)
  return ends.length === 0 ? '' : tail.slice(0, Math.min(...ends)).trim()
}

function withoutMarkerEnd(text: string, end: string): string {
  return end !== '' && text.endsWith(end) ? text.slice(0, -end.length).trimEnd() : text
}

/** What the format writes after the arguments of a last call. If a part is missing, it is added. */
function withClosers(format: Format, text: string): RepairedText {
  const last = callRegions(format, text).at(-1)
  if (last === undefined) return { text, repairs: [] }
  const body = text.trimEnd()
  const closed = tailsOf(format).map((tail) => withTail(format, { body, from: last.body, tail }))
  const whole = closed.find((each) => each !== null && each !== body) ?? null
  return whole === null ? { text, repairs: [] } : { text: whole, repairs: ['close-tag'] }
}

interface Unclosed {
  readonly body: string
  /** Where the values of the last call begin. */
  readonly from: number
  readonly tail: string
}

/** Null where the values may go on. */
function withTail(format: Format, { body, from, tail }: Unclosed): string | null {
  for (let length = tail.length; length >= 0; length -= 1) {
    const there = tail.slice(0, length).trimEnd()
    if (!body.endsWith(there)) continue
    const values = body.slice(from, body.length - there.length)
    return endsValues(format, { there, values }) ? body + tail.slice(there.length) : null
  }
  return null
}

/** Where no marker says that the last value is complete, it has to be seen by itself. */
function endsValues(
  { traits, markers }: Format,
  { there, values }: { readonly there: string; readonly values: string },
): boolean {
  const closers = [...markers.callInner, ...markers.callEnd, ...markers.others]
  if (closers.some((marker) => marker.length > 2 && there.includes(marker))) return true
  return !traits.typedValues && readStrictJson(values.trim()) !== undefined
}

/**
 * Whether a text ends before the arguments of its last call do. What can be read of them after repairs may be a part: a number without
 * its last digits, a list without its last elements.
 */
export function endsInArguments(format: Format, given: string): boolean {
  const { text } = withSpelling(format, given)
  const last = callRegions(format, text).at(-1)
  if (last === undefined || text.slice(last.bodyEnd).trim() !== '') return false
  const { callEnd, callInner, callStart, others } = format.markers
  const json = text.slice(last.opened).trim()
  // The start of another argument does not prove that this one is missing.
  if (format.traits.typedValues)
    return callEnd.length > 0 && !endsWithin(json, callEnd, [...callInner, ...callStart, ...others])
  if (!/[{[]/.test(json)) return endsWithin(given.trimEnd(), callInner)
  const wrapper = wrapperOf(format)
  if (wrapper === null) return isUnclosed(text.slice(last.body))
  if (!isUnclosed(json)) return false
  // One bracket is missing. It is that of the call, unless the call has no object of its own for the arguments.
  return !json.endsWith('}') || withWrapped(format, wrapper, text).repairs.includes('flat-arguments')
}

/** Whether JSON can be read only after a bracket is appended. */
export function isUnclosed(json: string): boolean {
  const text = json.trim()
  const read = readLenientJson(text)
  return read?.repairs.includes('closing-bracket') === true && balancedEnd(text, text.search(/[{[]/)) === null
}

/** Whether a text ends with one of the markers, or with its first characters; not with those that one of the others has, too. */
function endsWithin(text: string, markers: readonly string[], others: readonly string[] = []): boolean {
  return markers.some((given) => {
    const marker = given.trim()
    // One letter is no sign of a word.
    const least = /^\w/.test(marker) ? 2 : 1
    for (let length = marker.length; length >= least; length -= 1) {
      const head = marker.slice(0, length)
      if (text.endsWith(head)) return length === marker.length || !others.some((other) => other.startsWith(head))
    }
    return false
  })
}

const PROBE = 'probe text'

/** The text after the last value of a reply with one call; in formats with text values, also after a call without values. */
const tailsOf: (format: Format) => readonly string[] = oncePerFormat((format) => {
  const behind = (args: string, place: string): string => {
    const written = format.write([{ kind: 'call', name: 'probe', arguments: args, id: null }])
    return written.slice(written.indexOf(place) + place.length)
  }
  const tail = behind(`{"a": "${PROBE}"}`, PROBE)
  return format.traits.typedValues ? [tail, behind('{}', 'probe').replace(/^[^<]*/, '')] : [tail.replace(/^"\s*\}/, '')]
})

/**
 * Data with `null` where a model wrote NaN or undefined: formats write what is no JSON as a text, which would be something
 * else again, and `null` is no value either.
 */
export function withNull(value: PyDict): PyDict
export function withNull(value: PyValue): PyValue
export function withNull(value: PyValue): PyValue {
  if (isList(value)) return value.map((item) => withNull(item))
  if (isDict(value)) return new Map([...value].map(([key, member]) => [key, withNull(member)] as const))
  return Number.isNaN(toPlain(value)) ? null : value
}

/** The shape of calls in a format whose JSON contains the name. */
export interface Wrapper {
  /** The member that has the name; null if the name is itself the member that has the arguments. */
  readonly name: string | null
  /** The member that has the arguments; empty if the name is it. */
  readonly key: string
  /** Whether several calls are in one list. */
  readonly isList: boolean
}

/** Null for a format with the name before the JSON, and for one without JSON. */
export const wrapperOf: (format: Format) => Wrapper | null = oncePerFormat((format) => {
  const written = format.write([{ kind: 'call', name: 'probe', arguments: '{"callspec": 0}', id: null }])
  const isList = /\[\s*\{/.test(written)
  const [, key] = /"(\w+)":\s*\{\s*"callspec"/.exec(written) ?? []
  const [, name] = /"(\w+)":\s*"probe"/.exec(written) ?? []
  if (key === 'probe') return { name: null, key: '', isList }
  return key === undefined || name === undefined ? null : { name, key, isList }
})

/** Rewrites calls whose JSON is nearly valid, uses other member names, or is not closed. */
export function withWrapped(format: Format, wrapper: Wrapper, text: string): RepairedText {
  const repairs = new Set<Repair>()
  const pieces: string[] = []
  let at = 0
  for (const region of callRegions(format, text)) {
    const read = readRegion(format, wrapper, { text, region })
    if (read === null) continue
    for (const repair of read.repairs) repairs.add(repair)
    const calls = read.calls.map((call) => ({ ...call, arguments: withEscapes(call.arguments, format.markers) }))
    pieces.push(text.slice(at, region.start), writeAll(format, calls))
    at = region.end
  }
  return { text: [...pieces, text.slice(at)].join(''), repairs: [...repairs] }
}

/** Several calls are written one after the other where no reply of the format holds them: then it is not read either. */
function writeAll(format: Format, calls: readonly CallItem[]): string {
  return format.traits.severalCalls ? format.write(calls) : calls.map((call) => format.write([call])).join('')
}

interface ReadRegion {
  readonly calls: readonly CallItem[]
  readonly repairs: readonly Repair[]
}

/** Null for what needs no repair, and for what no repair helps. */
function readRegion(
  { markers }: Format,
  wrapper: Wrapper,
  { text, region }: { readonly text: string; readonly region: CallRegion },
): ReadRegion | null {
  const body = text.slice(region.opened, region.bodyEnd).trim()
  const json = withoutPartialMarker(body, [...markers.callEnd, ...markers.others])
  const isClosed = region.isClosed && json === body
  const read = readLenientJson(json) ?? (wrapper.isList ? withListEnd(json) : null)
  if (read === null) return null
  const repairs = new Set<Repair>([...(isClosed ? [] : (['close-tag'] as const)), ...read.repairs])
  const values: readonly PyValue[] = isList(read.value) ? read.value : [read.value]
  if (isList(read.value) && !wrapper.isList) repairs.add('call-list')
  const calls: CallItem[] = []
  for (const value of values) {
    const call = callItemOf(value, wrapper, repairs)
    if (call === null) return null
    calls.push(call)
  }
  return repairs.size === 0 || calls.length === 0 ? null : { calls, repairs: [...repairs] }
}

/** A list that breaks off behind the arguments of its last call: two brackets are missing. */
function withListEnd(json: string): LenientValue | null {
  const read = readLenientJson(`${json}}]`)
  if (read === null || read.repairs.includes('closing-bracket')) return null
  return { value: read.value, repairs: [...read.repairs, 'closing-bracket'] }
}

const ARGUMENT_KEYS = ['arguments', 'parameters', 'input', 'args'] as const

/** The call that an object means, with its repairs added to those given; null for none. */
function callItemOf(value: PyValue, wrapper: Wrapper, repairs: Set<Repair>): CallItem | null {
  if (!isDict(value)) return null
  if (wrapper.name === null) return keyedCall(value)
  const name = value.get(wrapper.name)
  if (typeof name !== 'string' || name === '') return null
  const id = value.get('id')
  const args = argumentsIn(value, { name: wrapper.name, key: wrapper.key }, repairs)
  if (args === null) return null
  return { kind: 'call', name, arguments: dumps(withNull(args)), id: typeof id === 'string' ? id : null }
}

/** A call of one member: its name with its arguments. */
function keyedCall(value: PyDict): CallItem | null {
  const [[name, args] = ['', null], ...others] = value
  if (name === '' || !isDict(args) || others.length > 0) return null
  return { kind: 'call', name, arguments: dumps(withNull(args)), id: null }
}

function argumentsIn(
  value: PyDict,
  { name, key }: { readonly name: string; readonly key: string },
  repairs: Set<Repair>,
): PyDict | null {
  const given = value.get(key)
  if (given !== undefined) {
    if (isDict(given)) return given
    const inner = typeof given === 'string' ? readStrictJson(given) : undefined
    if (inner === undefined || !isDict(inner)) return null
    repairs.add('double-encoding')
    return inner
  }
  const alias = value.get(ARGUMENT_KEYS.find((other) => isDict(value.get(other) ?? null)) ?? '')
  if (alias !== undefined && isDict(alias)) {
    repairs.add('arguments-alias')
    return alias
  }
  const flat: PyDict = new Map([...value].filter(([member]) => member !== name))
  if (flat.size === 0) return null
  repairs.add('flat-arguments')
  return flat
}

/** JSON without markers in its strings: no reader ends the call there. */
function withEscapes(json: string, { callStart, callEnd }: FormatMarkers): string {
  return [...callStart, ...callEnd].reduce((text, marker) => {
    const first = `\\u${marker.charCodeAt(0).toString(16).padStart(4, '0')}`
    return text.replaceAll(marker, () => first + marker.slice(1))
  }, json)
}

/** Without a marker that breaks off: `</tool_cal`. */
function withoutPartialMarker(text: string, markers: readonly string[]): string {
  for (const marker of markers) {
    for (let length = Math.min(marker.length - 1, text.length); length > 1; length -= 1) {
      if (text.endsWith(marker.slice(0, length))) return text.slice(0, -length).trim()
    }
  }
  return text
}
