import { InputError } from '@callspec/core'
import type { FormatMarkers } from '@callspec/core'

/** What stands in a stream where a marker was missed: it is taken out of what was read. No model writes it. */
export const GAP = '\ue0f7\ue0f8\ue0f9'

/** Changes the pieces of one reply as they come. */
export type ChunkBug = (chunk: string) => string

/**
 * The mistake of that name, for one stream.
 *
 * @throws InputError for a name that none has
 */
export function chunkBug(name: string, markers: FormatMarkers): ChunkBug {
  const found = BUGS.get(name)
  if (found === undefined) throw new InputError('mutant', `has an unknown mistake "${name}" about chunks.`)
  return found(markers)
}

const BUGS: ReadonlyMap<string, (markers: FormatMarkers) => ChunkBug> = new Map([
  ['whole-calls-lost', wholeCallsLost],
  ['second-call-lost', secondCallLost],
  ['marker-cut-missed', markerCutMissed],
  ['rest-behind-call-lost', restLost],
  ['half-characters', () => halfCharacters()],
  ['blank-chunks-lost', () => (chunk) => (chunk.trim() === '' ? '' : chunk)],
])

/** A call that comes in one delta: a parser that waits for the next one to tell it never does. */
function wholeCallsLost(markers: FormatMarkers): ChunkBug {
  const { open, close } = around(markers)
  return (chunk) => {
    const start = chunk.indexOf(open)
    const end = start === -1 ? -1 : chunk.indexOf(close, start)
    return end === -1 ? chunk : chunk.slice(0, start) + chunk.slice(end + close.length)
  }
}

/** The end of a call and the beginning of the next one in one group of tokens. */
function secondCallLost(markers: FormatMarkers): ChunkBug {
  const { open, close } = around(markers)
  let isLosing = false
  return (chunk) => {
    if (isLosing) {
      const end = chunk.indexOf(close)
      if (end === -1) return ''
      isLosing = false
      return chunk.slice(end + close.length)
    }
    const end = chunk.indexOf(close)
    const next = end === -1 ? -1 : chunk.indexOf(open, end)
    if (next === -1) return chunk
    const over = chunk.indexOf(close, next)
    isLosing = over === -1
    return chunk.slice(0, next) + (isLosing ? '' : chunk.slice(over + close.length))
  }
}

/** What is held back is one character too short for a marker of which only the last one is missing. */
function markerCutMissed(markers: FormatMarkers): ChunkBug {
  const { open } = around(markers)
  const almost = open.slice(0, -1)
  return (chunk) => (chunk.endsWith(almost) ? chunk.slice(0, -1) + GAP + chunk.slice(-1) : chunk)
}

/** What shares a delta with the end of a call is thrown away with it. */
function restLost(markers: FormatMarkers): ChunkBug {
  const { close } = around(markers)
  return (chunk) => {
    const end = chunk.lastIndexOf(close)
    return end === -1 ? chunk : chunk.slice(0, end + close.length)
  }
}

function halfCharacters(): ChunkBug {
  let isOpen = false
  return (chunk) => {
    const joined = isOpen ? chunk.replace(/^[\udc00-\udfff]/, '\ufffd') : chunk
    isOpen = /[\ud800-\udbff]$/.test(chunk)
    return isOpen ? joined.slice(0, -1) + '\ufffd' : joined
  }
}

/** The first marker of a call and the last one; what no marker ends, the end of its arguments does. */
function around({ callStart, callEnd }: FormatMarkers): { readonly open: string; readonly close: string } {
  return { open: callStart[0] ?? '{', close: callEnd.at(-1) ?? '}' }
}
