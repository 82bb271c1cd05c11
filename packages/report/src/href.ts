/** A text as part of an address. */
export function encodedInHref(text: string): string {
  return encodeURIComponent(wellFormed(text))
}

const LONE = /[\ud800-\udfff]/gu

/** Lone surrogates cannot stand in an address. */
export function wellFormed(text: string): string {
  return text.replaceAll(LONE, () => '\ufffd')
}
