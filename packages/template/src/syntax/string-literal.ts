/**
 * What the inside of a quoted string means, as Jinja reads it: Python's codec `unicode-escape` on a text whose characters
 * beyond ASCII were written as escapes before. Unknown escapes stay as they are, a backslash before a line feed takes
 * both away. Named characters (`\N{...}`) are refused: Python has the names, this package has not.
 *
 * @returns the text, or what Python says is wrong with it
 */
export function readStringLiteral(inside: string): { readonly text: string } | { readonly problem: string } {
  if (!inside.includes('\\')) return { text: inside }
  let problem: string | null = null
  const text = inside.replace(ESCAPE, (escape: string) => {
    const read = meaning(escape.slice(1))
    if (read !== null) return read
    problem ??= PROBLEMS[escape.charAt(1)] ?? 'unknown Unicode character name'
    return ''
  })
  return problem === null ? { text } : { problem }
}

const ESCAPE = /\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-7]{1,3}|[^])/gu

const PROBLEMS: Readonly<Record<string, string>> = {
  x: 'truncated \\xXX escape',
  u: 'truncated \\uXXXX escape',
  U: 'truncated \\UXXXXXXXX escape',
  N: 'malformed \\N character escape',
}

const SHORT: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

/** What an escape stands for, given without its backslash; null for one that is broken. */
function meaning(escape: string): string | null {
  const short = SHORT[escape]
  if (short !== undefined) return short
  if (/^[0-7]/.test(escape)) return String.fromCharCode(Number.parseInt(escape, 8))
  if (/^[xuU]./.test(escape)) return codePoint(Number.parseInt(escape.slice(1), 16))
  if (escape in PROBLEMS) return null
  // The character was an escape of its own when the backslash met it: '\é' is '\\xe9', a backslash and three letters.
  return /^[\0-\x7f]/.test(escape) ? `\\${escape}` : `\\${asciiEscape(escape)}`
}

function codePoint(code: number): string | null {
  return code > 0x10ffff ? null : String.fromCodePoint(code)
}

/** `é` as `xe9`, `嗯` as `u55ef`. */
function asciiEscape(char: string): string {
  const code = char.codePointAt(0) ?? 0
  const hex = code.toString(16)
  if (code < 0x100) return `x${hex.padStart(2, '0')}`
  return code < 0x10000 ? `u${hex.padStart(4, '0')}` : `U${hex.padStart(8, '0')}`
}
