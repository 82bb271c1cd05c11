/** `text.capitalize()`: the first letter large, all others small. */
export function capitalize(text: string): string {
  const [first = ''] = text
  return titleLetter(first) + lowerRest(text.slice(first.length))
}

/** `text.title()`: a letter that follows no letter becomes large, the others small. */
export function title(text: string): string {
  let result = ''
  let follows = false
  for (const char of text) {
    const isCased = CASED.test(char)
    result += !isCased ? char : follows ? char.toLowerCase() : titleLetter(char)
    follows = isCased
  }
  return result
}

/** `text.swapcase()`. */
export function swapcase(text: string): string {
  let result = ''
  for (const char of text) {
    result += /\p{Lu}/u.test(char) ? char.toLowerCase() : /\p{Ll}/u.test(char) ? char.toUpperCase() : char
  }
  return result
}

/** `text.casefold()` for what lower case alone does not fold. */
export function casefold(text: string): string {
  return text.toLowerCase().replaceAll('ß', 'ss').replaceAll('ς', 'σ')
}

const CASED = /[\p{Lu}\p{Ll}\p{Lt}\p{Lowercase}\p{Uppercase}]/u

/** `ß` becomes `Ss`, and of a digraph only the first half is large. */
function titleLetter(char: string): string {
  const digraph = DIGRAPHS[char]
  if (digraph !== undefined) return digraph
  const [first = '', ...rest] = char.toUpperCase()
  return first + rest.join('').toLowerCase()
}

const DIGRAPHS: Readonly<Record<string, string>> = Object.fromEntries(
  ['\u01c4\u01c5\u01c6', '\u01c7\u01c8\u01c9', '\u01ca\u01cb\u01cc', '\u01f1\u01f2\u01f3'].flatMap((row) => {
    const [large = '', middle = '', small = ''] = row
    return [large, middle, small].map((char) => [char, middle])
  }),
)

/** JavaScript writes a sigma by its neighbours as Python does, but needs to see what stands before. */
function lowerRest(rest: string): string {
  return `A${rest}`.toLowerCase().slice(1)
}
