/** Small readers of JSON text that both `loads` and `loadsJson5` are made of. All offsets are UTF-16. */

/** The offset after the decimal digits that begin at `at`. A loop, because a regular expression keeps a trace of each. */
export function afterDigits(text: string, at: number): number {
  let end = at
  while (isDigit(text.charCodeAt(end))) end++
  return end
}

/** The offset after at most `count` hexadecimal digits that begin at `at`. */
export function afterHexDigits(text: string, at: number, count: number): number {
  let end = at
  while (end < at + count && isHexDigit(text.charCodeAt(end))) end++
  return end
}

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

export function isHexDigit(code: number): boolean {
  return isDigit(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66)
}

/** The UTF-16 unit that the four hexadecimal digits at `at` spell. */
export function unitAt(text: string, at: number): string {
  return String.fromCharCode(Number.parseInt(text.slice(at, at + 4), 16))
}

/** The white space of JSON: space, line feed, carriage return, tab. */
export function isJsonSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}
