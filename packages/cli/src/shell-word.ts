/** A text as one word of a shell command line, quoted where that is needed. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replace(/'/g, () => `'\\''`)}'`
}
