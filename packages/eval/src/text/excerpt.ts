/** One line of at most 160 characters. */
export function excerpt(text: string): string {
  // A page of megabytes need not be read to its end for its first line.
  const line = text.slice(0, 4000).replaceAll(/\s+/g, ' ').trim()
  return shortened(line, 160)
}

/** The text as it stands, of at most `length` characters: for what somebody wrote. Looks at no more than twice as many. */
export function shortened(text: string, length = 60): string {
  const characters = [...text.slice(0, 2 * length + 2)]
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : characters.join('')
}

/** The beginning of a text that a server gave, on one line, in quotation marks. */
export function quoted(text: string): string {
  return JSON.stringify(excerpt(text.slice(0, 80)))
}
