import { visible } from '@callspec/conformance'
import { isList } from '@callspec/python'
import type { PyValue } from '@callspec/python'

const MOST_SHOWN = 200

/** What a failure is about, on one line with visible white space; nothing for what is no text. */
export function inputLine(text: PyValue | undefined): readonly string[] {
  return typeof text === 'string' ? [line('input', visible(text.slice(0, MOST_SHOWN * 2)))] : []
}

/** The pieces of a stream, each in quotes: where they end may be what matters. Nothing for what is no list. */
export function chunksLine(chunks: PyValue | undefined): readonly string[] {
  if (!isList(chunks)) return []
  const shown = chunks.slice(0, MOST_SHOWN).map((chunk) => `"${visible(String(chunk).slice(0, MOST_SHOWN))}"`)
  return [line('chunks', shown.join(' '))]
}

/** What a reader said about a text, on one line. */
export function issueLine({ code, message }: { readonly code: string; readonly message: string }): string {
  return line('issue', visible(`${code}: ${message}`))
}

function line(name: string, text: string): string {
  const characters = [...text]
  const shown = characters.length > MOST_SHOWN ? `${characters.slice(0, MOST_SHOWN - 1).join('')}…` : text
  return `  ${name.padEnd(9)} ${shown}`
}
