/** Text of somebody else within a sentence, in parentheses or before a semicolon: without the full stop that it may bring. */
export function clause(text: string): string {
  return text.replace(/(?<![.])[.]$/, '')
}

/** Text of somebody else, a message of a server for one, at the end of a sentence: with one full stop, whether it brings one or not. */
export function sentence(text: string): string {
  return /[.!?…。！？]["'”’)]?$/.test(text) ? text : `${text}.`
}
