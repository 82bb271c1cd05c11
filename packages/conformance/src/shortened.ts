/** The first `count` characters, with `…` when there are more. Looks at no more than twice as many code units. */
export function shortened(text: string, count: number): string {
  const characters = [...text.slice(0, 2 * count + 2)]
  return characters.length > count ? `${characters.slice(0, count).join('')}…` : characters.join('')
}

/** `shortened` on one line: white space of any length is a blank. */
export function shortenedLine(text: string, count: number): string {
  return shortened(text.replace(/\s+/g, ' ').trim(), count)
}
