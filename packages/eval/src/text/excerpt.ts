/** One line of at most 160 characters. */
export function excerpt(text: string): string {
  // A page of megabytes need not be read to its end for its first line.
  const line = text.slice(0, 4000).replaceAll(/\s+/g, ' ').trim()
  return line.length <= 160 ? line : `${line.slice(0, 159)}…`
}

/** The text as it stands, of at most 60 UTF-16 units: for what somebody wrote. */
export function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

/** The beginning of a text that a server gave, on one line, in quotation marks. */
export function quoted(text: string): string {
  return JSON.stringify(excerpt(text.slice(0, 80)))
}
