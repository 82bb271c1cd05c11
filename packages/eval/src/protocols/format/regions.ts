import type { Format, FormatMarkers } from '@callspec/core'
import { balancedEnd } from '../../text/balanced.ts'

/** Where a call stands, from its first marker on. */
export interface CallRegion {
  readonly start: number
  /** Where its JSON begins; where values stand as text, where its first marker ends. */
  readonly body: number
  /** Where the body ends: at the next marker, or with the text. */
  readonly bodyEnd: number
  /** Behind the marker that ends the call. */
  readonly end: number
  /** Whether a marker ends it, or its format has none. */
  readonly isClosed: boolean
}

/** The calls of a text by their markers. A marker inside JSON is text. Linear. */
export function callRegions({ markers, traits }: Format, text: string): readonly CallRegion[] {
  const found: CallRegion[] = []
  const next = nearest(text)
  for (let from = 0; ;) {
    const start = next(markers.callStart, from)
    if (start === null) return found
    const body = traits.typedValues ? start.end : jsonStart(text, start.end, markers)
    const inside = traits.typedValues ? body : (balancedEnd(text, bracketAt(text, body), text.length) ?? body)
    const again = next(markers.callStart, inside)
    const close = next(markers.callEnd, inside)
    const isClosed = close !== null && (again === null || close.start < again.start)
    const bodyEnd = isClosed ? close.start : (again?.start ?? text.length)
    const isOpen = !isClosed && markers.callEnd.length > 0
    const behind = !isClosed && !isOpen && inside > body ? inside : bodyEnd
    const end = Math.max(isClosed ? close.end : behind, start.end)
    found.push({ start: start.start, body: Math.min(body, bodyEnd), bodyEnd, end, isClosed: !isOpen })
    from = end
  }
}

/** The text without and around calls belongs to them where it is nothing but markers and white space. */
export function widened(
  { markers, stops }: Format,
  text: string,
  { start, end }: CallRegion,
): { start: number; end: number } {
  const own = [...markers.others, ...markers.callEnd].filter((marker) => marker.length > 2)
  // A result begins with what hands over to the tools: it belongs to no call.
  const around = own.filter((marker) => !stops.handOver.includes(marker))
  let [from, to] = [start, end]
  for (;;) {
    const before = text.slice(0, from).trimEnd()
    const marker = around.find((each) => before.endsWith(each))
    if (marker === undefined) break
    from = before.length - marker.length
  }
  for (;;) {
    const at = to + (text.length - to - text.slice(to).trimStart().length)
    const marker = around.find((each) => text.startsWith(each, at))
    if (marker === undefined) return { start: from, end: to }
    to = at + marker.length
  }
}

interface Place {
  readonly start: number
  readonly end: number
}

/** Finds the first of some markers; each marker is looked for once for every place where it stands. */
function nearest(text: string): (markers: readonly string[], from: number) => Place | null {
  const known = new Map<string, number>()
  const placeOf = (marker: string, from: number): number => {
    const last = known.get(marker)
    if (last !== undefined && (last < 0 || last >= from)) return last
    const at = text.indexOf(marker, from)
    known.set(marker, at)
    return at
  }
  return (markers, from) => {
    let best: Place | null = null
    for (const marker of markers) {
      const start = placeOf(marker, from)
      if (start >= 0 && (best === null || start < best.start)) best = { start, end: start + marker.length }
    }
    return best
  }
}

/** Behind the last marker that stands before the JSON, or where the first bracket stands. */
function jsonStart(text: string, from: number, { callInner, callStart, callEnd }: FormatMarkers): number {
  let start = from
  for (let at = from; at < text.length; at += 1) {
    const inner = callInner.find((marker) => text.startsWith(marker, at))
    if (inner !== undefined) {
      start = at + inner.length
      at = start - 1
    } else if (isBracket(text[at]) || [...callStart, ...callEnd].some((marker) => text.startsWith(marker, at)))
      return start > from ? start : at
  }
  return start
}

function bracketAt(text: string, from: number): number {
  const match = /\S/.exec(text.slice(from, from + 16))
  return isBracket(match?.[0]) ? from + (match?.index ?? 0) : text.length
}

function isBracket(sign: string | undefined): boolean {
  return sign === '{' || sign === '['
}
