/** A quotation is that long at most. */
const LONGEST = 60

/**
 * A part of a text as evidence: in quotes, on one line, at most 60 characters, with its offset in UTF-16 units.
 *
 * @param length how much of it is meant; to the end of the text unless given
 */
export function at(text: string, offset: number, length: number = text.length - offset): string {
  return `${quote(text.slice(offset, offset + length))} at ${offset}`
}

/** A text in quotes, on one line, at most 60 characters. */
export function quote(text: string): string {
  return quoted(text.slice(0, LONGEST), { isCut: text.length > LONGEST })
}

function quoted(text: string, { isCut }: { readonly isCut: boolean }): string {
  return `${JSON.stringify(text)}${isCut ? '…' : ''}`
}

/** Where `part` stands in the whole reply; readers see it without its thinking, so their offsets are others. */
export function offsetIn(whole: string, part: string): number {
  return Math.max(0, whole.indexOf(part.slice(0, LONGEST)))
}
