/** Finds the literal markers of a format in text that arrives in pieces. */
export interface MarkerScanner {
  /**
   * The first marker at or after `from`, or the place from which on the text may still become one. Runs over the text
   * between `from` and the answer, and no further.
   */
  readonly find: (text: string, from: number) => FoundMarker
}

/** What a search came upon. */
export interface FoundMarker {
  /** Where it begins; the length of the text where nothing was found. */
  readonly at: number
  /** The marker, whole; null for an end of the text that later text may turn into one, and for nothing. */
  readonly marker: string | null
}

/**
 * A scanner for a set of markers. No marker may be the beginning of another one, for what has been found would depend on
 * what follows.
 *
 * What stands before the answer can never become part of a marker: a caller hands it on, keeps the rest of the text, and
 * asks again with the next piece behind it. The rest is shorter than the longest marker.
 */
export function markerScanner(markers: readonly string[]): MarkerScanner {
  checkMarkers(markers)
  const [first = ''] = markers[0] ?? ''
  if (first === '') return { find: (text) => ({ at: text.length, marker: null }) }
  const firsts = firstUnits(markers)
  const findFar = markers.every((marker) => marker.startsWith(first))
    ? oneFirstUnit(markers, first)
    : manyFirstUnits(markers)
  return {
    find: (text, from) => {
      // The next marker is near, as a rule, or the chunk short: then a search by the engine costs more than looking.
      const near = Math.min(text.length, from + NEAR)
      for (let at = from; at < near; at++) {
        const unit = text.charCodeAt(at)
        if (firsts[unit < BEYOND_ASCII ? unit : BEYOND_ASCII] === 0) continue
        const found = foundAt(markers, text, at)
        if (found !== null) return found
      }
      return near < text.length ? findFar(text, near) : { at: text.length, marker: null }
    },
  }
}

/** So many characters are looked at one by one. */
const NEAR = 16

/** By code unit whether a marker may begin with it. The last one stands for all that are not ASCII. */
function firstUnits(markers: readonly string[]): Uint8Array {
  const firsts = new Uint8Array(BEYOND_ASCII + 1)
  for (const marker of markers) firsts[Math.min(marker.charCodeAt(0), BEYOND_ASCII)] = 1
  return firsts
}

const BEYOND_ASCII = 0x80

/** The marker that stands here, or may: then the text ends in it. */
function foundAt(markers: readonly string[], text: string, at: number): FoundMarker | null {
  const left = text.length - at
  for (const marker of markers) {
    if (left < marker.length) {
      if (marker.startsWith(text.slice(at))) return { at, marker: null }
    } else if (text.startsWith(marker, at)) return { at, marker }
  }
  return null
}

/** One search by the engine finds the places where any of the markers can stand. */
function oneFirstUnit(markers: readonly string[], first: string): MarkerScanner['find'] {
  // NaN for a marker of one unit, behind which anything may stand.
  const seconds = markers.map((marker) => marker.charCodeAt(1))
  const isShort = seconds.some(Number.isNaN)
  return (text, from) => {
    for (let at = text.indexOf(first, from); at >= 0; at = text.indexOf(first, at + 1)) {
      // A text full of first units would make four comparisons of each.
      if (!isShort && at + 1 < text.length && !seconds.includes(text.charCodeAt(at + 1))) continue
      const found = foundAt(markers, text, at)
      if (found !== null) return found
    }
    return { at: text.length, marker: null }
  }
}

function manyFirstUnits(markers: readonly string[]): MarkerScanner['find'] {
  const longest = Math.max(...markers.map((marker) => marker.length))
  // Escapes what a pattern would take for more than itself.
  const any = new RegExp(markers.map((marker) => marker.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g')
  return (text, from) => {
    any.lastIndex = from
    const found = any.exec(text)
    if (found !== null) return { at: found.index, marker: found[0] }
    for (let at = Math.max(from, text.length - longest + 1); at < text.length; at++) {
      const half = foundAt(markers, text, at)
      if (half !== null) return half
    }
    return { at: text.length, marker: null }
  }
}

function checkMarkers(markers: readonly string[]): void {
  for (const marker of markers) {
    const isAmbiguous = markers.some((other) => other !== marker && other.startsWith(marker))
    if (isAmbiguous || marker === '') throw new Error(`callspec: "${marker}" cannot be told from the others`)
  }
}
