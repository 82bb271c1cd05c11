import type { Repair } from './call-block.ts'

/**
 * Nearly-JSON with the signs that JSON5 does not know replaced: Python's True, False and None, full-width punctuation
 * and “quotes” outside strings, raw line breaks inside them. Says which of these it found. One pass, linear.
 */
export function rewriteLoose(text: string): { readonly text: string; readonly repairs: readonly Repair[] } {
  const found = new Set<Repair>()
  const out: string[] = []
  let at = 0
  while (at < text.length) {
    const character = text[at] ?? ''
    if (character === '"' || character === "'") at = copyString(text, at, { close: character, out, found })
    else if (character === '“' || character === '”') {
      found.add('full-width')
      at = copyString(text, at, { close: '”', out, found })
    } else if (FULL_WIDTH.has(character)) {
      found.add('full-width')
      out.push(FULL_WIDTH.get(character) ?? '')
      at += 1
    } else {
      const word = /[A-Za-z_$][\w$]*/y
      word.lastIndex = at
      const name = word.exec(text)?.[0] ?? character
      if (PYTHON.has(name)) found.add('python-literals')
      out.push(PYTHON.get(name) ?? name)
      at += name.length
    }
  }
  return { text: out.join(''), repairs: [...found] }
}

const PYTHON: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
])

const FULL_WIDTH: ReadonlyMap<string, string> = new Map([
  ['：', ':'],
  ['，', ','],
  ['｛', '{'],
  ['｝', '}'],
  ['［', '['],
  ['］', ']'],
])

interface StringCopy {
  readonly close: string
  readonly out: string[]
  readonly found: Set<Repair>
}

/** Copies the string that opens at `start`, and gives back where the text goes on. */
function copyString(text: string, start: number, { close, out, found }: StringCopy): number {
  const quote = close === '”' ? '"' : close
  out.push(quote)
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (character === close) {
      out.push(quote)
      return at + 1
    }
    if (character === '\\') {
      out.push(character, text[at + 1] ?? '')
      at += 1
    } else if (character === '\n' || character === '\r') {
      found.add('raw-newline')
      out.push(character === '\n' ? '\\n' : '\\r')
    } else out.push(character === quote ? `\\${quote}` : character)
  }
  return text.length
}
