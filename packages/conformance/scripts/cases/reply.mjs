// A reply is made of pieces, and so is its right answer: no reader is asked.

/** Prose. */
export const say = (text) => ({ text, items: [{ type: 'text', text }] })

/** What stands between pieces and means nothing. */
export const gap = (text) => ({ text, items: [] })

/** A piece that reads as these items. */
export const piece = (text, ...items) => ({ text, items })

export const callItem = (name, json, id) => ({
  type: 'call',
  ...(id === undefined ? {} : { id }),
  name,
  arguments: json,
})

/** The text that the pieces make. A text between them is a gap. */
export const textOf = (pieces) => pieces.map((each) => (typeof each === 'string' ? each : each.text)).join('')

/** What there is to read in them. */
export const itemsOf = (pieces) => pieces.flatMap((each) => (typeof each === 'string' ? [] : each.items))

/** Chunks of so many UTF-16 units. */
export function everyUnits(text, count) {
  const chunks = []
  for (let at = 0; at < text.length; at += count) chunks.push(text.slice(at, at + count))
  return chunks
}

/** Cut at these places. */
export function cutAt(text, places) {
  const ends = [...new Set(places)].filter((at) => at > 0 && at < text.length).sort((a, b) => a - b)
  return [...ends, text.length].map((end, index) => text.slice(index === 0 ? 0 : ends[index - 1], end))
}

/** Where each of the markers begins, and where it ends. */
export function placesOf(text, markers) {
  const places = []
  for (const marker of markers) {
    for (let at = text.indexOf(marker); at !== -1; at = text.indexOf(marker, at + 1))
      places.push({ start: at, end: at + marker.length })
  }
  return places
}
