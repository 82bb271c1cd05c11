import type { Format } from '@callspec/core'
import { balancedEnd, dumps } from '@callspec/python'
import type { Repair } from '../../reading/call-block.ts'
import { readLenientJson, readStrictJson } from '../../reading/lenient-json.ts'
import { oncePerFormat } from './read-format.ts'
import { callRegions } from './regions.ts'
import type { RepairedText } from './repaired-text.ts'
import { withSpelling } from './spelling.ts'
import { withNull, withWrapped, wrapperOf } from './wrapped-calls.ts'

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
    const kept = withoutEnd(json.trimEnd(), end)
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

function withoutEnd(text: string, end: string): string {
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
