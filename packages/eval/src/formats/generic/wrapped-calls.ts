import { isDict, isList, dumps, toPlain } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { readLenientJson, readStrictJson } from '../../reading/lenient-json.ts'
import { oncePerFormat } from './read-format.ts'
import { callRegions } from './regions.ts'
import type { CallRegion } from './regions.ts'
import type { CallItem, Format, FormatMarkers } from '@callspec/core'
import type { Repair } from '../../reading/call-block.ts'
import type { RepairedText } from './repaired-text.ts'

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
  /** The member that has the arguments. */
  readonly key: string
  /** Whether several calls are in one list. */
  readonly isList: boolean
}

/** Null for a format with the name before the JSON, and for one without JSON. */
export const wrapperOf: (format: Format) => Wrapper | null = oncePerFormat((format) => {
  const written = format.write([{ kind: 'call', name: 'probe', arguments: '{"callspec": 0}', id: null }])
  const [, key] = /"(\w+)":\s*\{\s*"callspec"/.exec(written) ?? []
  const isInside = /"name":\s*"probe"/.test(written)
  return key === undefined || !isInside ? null : { key, isList: /\[\s*\{/.test(written) }
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
    pieces.push(text.slice(at, region.start), format.write(calls))
    at = region.end
  }
  return { text: [...pieces, text.slice(at)].join(''), repairs: [...repairs] }
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
  const json = withoutPartialMarker(text.slice(region.opened, region.bodyEnd).trim(), markers.callEnd)
  const read = readLenientJson(json)
  if (read === null) return null
  const repairs = new Set<Repair>([...(region.isClosed ? [] : (['close-tag'] as const)), ...read.repairs])
  const values: readonly PyValue[] = isList(read.value) ? read.value : [read.value]
  if (isList(read.value) && !wrapper.isList) repairs.add('call-list')
  const calls: CallItem[] = []
  for (const value of values) {
    const call = callOf(value, wrapper, repairs)
    if (call === null) return null
    calls.push(call)
  }
  return repairs.size === 0 || calls.length === 0 ? null : { calls, repairs: [...repairs] }
}

const ALIASES = ['arguments', 'parameters', 'input', 'args'] as const

/** The call that an object means, with its repairs added to those given; null for none. */
function callOf(value: PyValue, { key }: Wrapper, repairs: Set<Repair>): CallItem | null {
  const name = isDict(value) ? value.get('name') : undefined
  if (!isDict(value) || typeof name !== 'string' || name === '') return null
  const id = value.get('id')
  const args = argumentsIn(value, key, repairs)
  if (args === null) return null
  return { kind: 'call', name, arguments: dumps(withNull(args)), id: typeof id === 'string' ? id : null }
}

function argumentsIn(value: PyDict, key: string, repairs: Set<Repair>): PyDict | null {
  const given = value.get(key)
  if (given !== undefined) {
    if (isDict(given)) return given
    const inner = typeof given === 'string' ? readStrictJson(given) : undefined
    if (inner === undefined || !isDict(inner)) return null
    repairs.add('double-encoding')
    return inner
  }
  const alias = value.get(ALIASES.find((other) => isDict(value.get(other) ?? null)) ?? '')
  if (alias !== undefined && isDict(alias)) {
    repairs.add('arguments-alias')
    return alias
  }
  const flat: PyDict = new Map([...value].filter(([member]) => member !== 'name'))
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
