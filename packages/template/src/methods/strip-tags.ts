/** The text of HTML without comments and tags, white space made single, entities read: `Markup.striptags`. */
export function stripTags(html: string): string {
  const bare = without(without(html, '<!--', '-->'), '<', '>')
  return unescapeText(
    bare
      .split(/[\s\x1c-\x1f\x85]+/)
      .filter((word) => word !== '')
      .join(' '),
  )
}

/** As often as there is a beginning with an end behind it, both and what lies between go. */
function without(text: string, open: string, close: string): string {
  let result = ''
  let from = 0
  for (let at = text.indexOf(open); at >= 0; at = text.indexOf(open, from)) {
    const end = text.indexOf(close, at + open.length)
    if (end < 0) break
    result += text.slice(from, at)
    from = end + close.length
  }
  return result + text.slice(from)
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '\u00a9',
  reg: '\u00ae',
  hellip: '\u2026',
  mdash: '\u2014',
  ndash: '\u2013',
}

/** The text with its entities read: numbers, and the names that are common. */
export function unescapeText(text: string): string {
  return text.replace(
    /&(?:#(\d+)|#[xX]([\da-fA-F]+)|(\w+));/g,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? whole) : whole
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
    },
  )
}
