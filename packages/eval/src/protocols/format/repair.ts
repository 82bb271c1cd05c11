import type { Format } from '@callspec/core'
import { dumps } from '@callspec/python'
import type { Repair } from '../../reading/call-block.ts'
import { readLenientJson, readStrictJson } from '../../reading/lenient-json.ts'
import { callRegions } from './regions.ts'

/** A text with its repairs made, so that the format's own reader can read it. */
export interface Repaired {
  readonly text: string
  readonly repairs: readonly Repair[]
}

/** Puts right what a person would: the case of markers, JSON that is nearly JSON, closing markers that are missing at the end. */
export function repaired(format: Format, given: string): Repaired {
  const cased = withCase(format, given)
  const read = format.traits.typedValues ? { text: cased, repairs: [] } : withJson(format, cased)
  const closed = withClosers(format, read.text)
  return {
    text: closed,
    repairs: [
      ...(cased === given ? [] : (['tag-case'] as const)),
      ...read.repairs,
      ...(closed === read.text ? [] : (['close-tag'] as const)),
    ],
  }
}

/** The markers of a format that are long enough to be meant, in whatever case they are written. */
export function anyCase(
  { markers }: Format,
  kinds: readonly ('callStart' | 'callInner' | 'callEnd' | 'others')[],
): RegExp {
  const texts = kinds.flatMap((kind) => markers[kind]).filter((marker) => /[a-z]{3}/i.test(marker))
  return texts.length === 0 ? /(?!)/g : new RegExp(texts.map(escaped).join('|'), 'gi')
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, (sign) => `\\${sign}`)
}

function withCase(format: Format, text: string): string {
  const { markers } = format
  const exact = [...markers.callStart, ...markers.callInner, ...markers.callEnd, ...markers.others]
  return text.replaceAll(anyCase(format, ['callStart', 'callInner', 'callEnd', 'others']), (found) =>
    exact.includes(found) ? found : (exact.find((marker) => marker.toLowerCase() === found.toLowerCase()) ?? found),
  )
}

function withJson(format: Format, text: string): Repaired {
  const repairs = new Set<Repair>()
  const pieces: string[] = []
  let at = 0
  for (const { body, bodyEnd } of callRegions(format, text)) {
    const json = text.slice(body, bodyEnd)
    const kept = json.trimEnd()
    const value = readStrictJson(kept) === undefined ? readLenientJson(kept) : null
    if (value === null) continue
    for (const repair of value.repairs) repairs.add(repair)
    pieces.push(text.slice(at, body), dumps(value.value))
    at = body + kept.length
  }
  return { text: [...pieces, text.slice(at)].join(''), repairs: [...repairs] }
}

/** What the format writes behind the arguments of a last call; where a part of it is missing, the rest is added. */
function withClosers(format: Format, text: string): string {
  const last = callRegions(format, text).at(-1)
  if (last === undefined) return text
  const body = text.trimEnd()
  const closed = tailsOf(format).map((tail) => withTail(format, { body, from: last.body, tail }))
  return closed.find((each) => each !== null && each !== body) ?? text
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

const PROBE = 'probe text'

/** What stands behind the last value of a reply that is one call; where values are texts, also behind a call without any. */
function tailsOf(format: Format): readonly string[] {
  const behind = (args: string, place: string): string => {
    const written = format.write([{ kind: 'call', name: 'probe', arguments: args, id: null }])
    return written.slice(written.indexOf(place) + place.length)
  }
  const tail = behind(`{"a": "${PROBE}"}`, PROBE)
  return format.traits.typedValues ? [tail, behind('{}', 'probe').replace(/^[^<]*/, '')] : [tail.replace(/^"\s*\}/, '')]
}
