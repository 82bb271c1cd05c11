/** One line of at most 160 characters. */
export function excerpt(text: string): string {
  // The text may be an HTML page of megabytes.
  const line = text.slice(0, 4000).replaceAll(/\s+/g, ' ').trim()
  return shortened(line, 160)
}

/** The text, shortened to `length` characters. */
export function shortened(text: string, length = 60): string {
  const characters = [...text.slice(0, 2 * length + 2)]
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : characters.join('')
}

/** The beginning of a server's text, on one line, in quotation marks. */
export function quotedExcerpt(text: string): string {
  return JSON.stringify(excerpt(text.slice(0, 80)))
}

/** Caches the last answer of a function: several scorers read the same reply in a row. */
export function onceEach<T>(read: (text: string) => T): (text: string) => T {
  let last: { readonly text: string; readonly answer: T } | null = null
  return (text) => {
    if (last?.text !== text) last = { text, answer: read(text) }
    return last.answer
  }
}
