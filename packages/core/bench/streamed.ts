import { replyDeltas } from '../src/reply/reply-deltas.ts'
import type { Format, Reply } from '../src/index.ts'

/** A text as a model sends it: four UTF-16 units at a time. */
export function inDeltas(text: string): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / 4) }, (_, index) => text.slice(4 * index, 4 * index + 4))
}

/** Pushes all chunks into a strict reader, with a snapshot after every 64 of them and one at the end. */
export function streamed(format: Format, chunks: readonly string[]): Reply {
  const reader = format.createReader(STRICT)
  let left = 64
  for (const chunk of chunks) {
    reader.push(chunk)
    left--
    if (left > 0) continue
    reader.snapshot()
    left = 64
  }
  return reader.snapshot()
}

/** Pushes all chunks into a strict reader, with one snapshot at the end. */
export function pushed(format: Format, chunks: readonly string[]): Reply {
  const reader = format.createReader(STRICT)
  for (const chunk of chunks) reader.push(chunk)
  return reader.snapshot()
}

/** The same with deltas after every chunk; gives how many there are. */
export function pushedWithDeltas(format: Format, chunks: readonly string[]): number {
  const reader = format.createReader(STRICT)
  const deltas = replyDeltas()
  let count = 0
  for (const chunk of chunks) count += deltas.next(reader.push(chunk)).length
  return count + deltas.end(reader.end()).length
}

const STRICT = { version: 'strict' } as const

/**
 * What readers are measured against: a scanner that looks for markers in each chunk, with the end of the one before
 * in front, and joins the pieces between them at the end. It gives nothing in between and strips nothing.
 */
export function naiveScan(markers: readonly string[], chunks: readonly string[]): readonly string[] {
  const first = markers[0]?.charAt(0) ?? ''
  const longest = Math.max(...markers.map((marker) => marker.length))
  const pieces: string[] = []
  let piece: string[] = []
  let held = ''
  for (const chunk of chunks) {
    const text = held + chunk
    held = ''
    let from = 0
    for (let at = text.indexOf(first); at >= 0; at = text.indexOf(first, Math.max(from, at + 1))) {
      const place = at
      const marker = markers.find((known) => text.startsWith(known, place))
      if (marker !== undefined) {
        piece.push(text.slice(from, at))
        pieces.push(piece.join(''))
        piece = []
        from = at + marker.length
      } else if (text.length - at < longest && markers.some((known) => known.startsWith(text.slice(place)))) {
        piece.push(text.slice(from, at))
        held = text.slice(at)
        from = text.length
        break
      }
    }
    if (from < text.length) piece.push(from === 0 ? text : text.slice(from))
  }
  return [...pieces, piece.join('') + held]
}
