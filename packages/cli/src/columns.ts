import stringWidth from 'string-width'

/** How many columns a terminal gives to one line of `inert` text. */
export function displayWidth(text: string): number {
  // Nothing is left of escape codes that could be counted or not.
  return stringWidth(text, { countAnsiEscapeCodes: true })
}

const graphemes = new Intl.Segmenter()

/** The text cut to `columns` columns, with `…` in place of its middle: names and paths often differ at their ends. */
export function fitColumns(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  const characters = Array.from(graphemes.segment(text), ({ segment }) => segment)
  const head = prefixOf(characters, Math.ceil((columns - 1) / 2))
  const tail = prefixOf(characters.toReversed(), columns - 1 - displayWidth(head.join('')))
  return `${head.join('')}…${tail.toReversed().join('')}`
}

/** As many characters as fit. */
function prefixOf(characters: readonly string[], columns: number): readonly string[] {
  let width = 0
  const end = characters.findIndex((character) => (width += displayWidth(character)) > columns)
  return characters.slice(0, Math.max(0, end))
}
