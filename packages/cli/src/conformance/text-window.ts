import { displayWidth } from '../columns.ts'

/** Two excerpts of one line each, and the column at which they part; null where no place is meant. */
export interface Excerpts {
  readonly expected: string
  readonly actual: string
  readonly caret: number | null
}

/** Excerpts that are longer than `room`, cut to what surrounds the place at which they part. */
export function cutAround({ expected, actual, caret }: Excerpts, room: number): Excerpts {
  if (caret === null || Math.max(displayWidth(expected), displayWidth(actual)) <= room)
    return { expected, actual, caret }
  const lead = expected.slice(0, indexAt(expected, caret))
  // Both begin alike, so that both lose the same.
  const kept = displayWidth(lead) <= room / 2 ? lead : `"…${lead.slice(afterColumns(lead, room / 2))}`
  const rest = (text: string): string => cutEnd(kept + text.slice(lead.length), room)
  return { expected: rest(expected), actual: rest(actual), caret: displayWidth(kept) }
}

/** Where the last `room` columns of a text begin, an opening `"…` included. */
function afterColumns(text: string, room: number): number {
  return indexAt(text, displayWidth(text) - Math.floor(room) + 2)
}

function cutEnd(text: string, room: number): string {
  return displayWidth(text) <= room ? text : `${text.slice(0, indexAt(text, room - 2))}…"`
}

/** How many code units take at most so many columns. */
function indexAt(text: string, columns: number): number {
  let [index, width] = [0, 0]
  for (const character of text) {
    width += displayWidth(character)
    if (width > columns) break
    index += character.length
  }
  return index
}
