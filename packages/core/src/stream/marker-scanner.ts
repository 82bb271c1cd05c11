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
  return markers.every((marker) => marker.startsWith(first)) ? oneFirstUnit(markers, first) : manyFirstUnits(markers)
}

/** One search by the engine finds the places where any of the markers can stand. */
function oneFirstUnit(markers: readonly string[], first: string): MarkerScanner {
  const longest = longestOf(markers)
  // NaN for a marker of one unit, behind which anything may stand.
  const seconds = markers.map((marker) => marker.charCodeAt(1))
  const isShort = seconds.some(Number.isNaN)
  return {
    find: (text, from) => {
      for (let at = text.indexOf(first, from); at >= 0; at = text.indexOf(first, at + 1)) {
        // A text full of first units would make four comparisons of each.
        if (!isShort && at + 1 < text.length && !seconds.includes(text.charCodeAt(at + 1))) continue
        for (const marker of markers) if (text.startsWith(marker, at)) return { at, marker }
        if (text.length - at < longest && isBeginning(markers, text, at)) return { at, marker: null }
      }
      return { at: text.length, marker: null }
    },
  }
}

function manyFirstUnits(markers: readonly string[]): MarkerScanner {
  const longest = longestOf(markers)
  // Escapes what a pattern would take for more than itself.
  const any = new RegExp(markers.map((marker) => marker.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g')
  return {
    find: (text, from) => {
      any.lastIndex = from
      const found = any.exec(text)
      if (found !== null) return { at: found.index, marker: found[0] }
      for (let at = Math.max(from, text.length - longest + 1); at < text.length; at++)
        if (isBeginning(markers, text, at)) return { at, marker: null }
      return { at: text.length, marker: null }
    },
  }
}

function longestOf(markers: readonly string[]): number {
  return Math.max(0, ...markers.map((marker) => marker.length))
}

function isBeginning(markers: readonly string[], text: string, at: number): boolean {
  const end = text.slice(at)
  return markers.some((marker) => marker.startsWith(end))
}

function checkMarkers(markers: readonly string[]): void {
  for (const marker of markers) {
    const isAmbiguous = markers.some((other) => other !== marker && other.startsWith(marker))
    if (isAmbiguous || marker === '') throw new Error(`callspec: "${marker}" cannot be told from the others`)
  }
}
