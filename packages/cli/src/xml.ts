import { inert } from './terminal.ts'

const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/**
 * Any text for XML 1.0, in a text or between double quotes. XML has no way to write most control characters, so they are
 * shown as `\uXXXX`; so are U+FFFE and U+FFFF.
 */
export function xmlText(text: string): string {
  return inert(text)
    .replace(/[\uFFFE\uFFFF]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
    .replace(/[&<>"]/g, (character) => MARKUP[character] ?? character)
    .replace(/\n/g, () => '&#10;')
    .replace(/\t/g, () => '&#9;')
}
