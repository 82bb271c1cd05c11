import { dumps, literalCalls, attempt } from '@callspec/python'
import type { CallLayout } from '@callspec/python'
import type { BodyCall } from './grammar.ts'

/** Reads a body that consists of Python calls. Null for everything else, and for a number that is too long to write. */
export function readPythonCalls(layout: CallLayout): (text: string) => readonly BodyCall[] | null {
  return (text) => {
    const calls = literalCalls(text, layout)
    if (calls === null) return null
    const written = attempt(() =>
      calls.map(({ name, arguments: given }) => ({ name, arguments: jsonOf(dumps(given)), id: null })),
    )
    return written.kind === 'returned' ? written.value : null
  }
}

/** Half of a character, which no UTF-8 holds, stays the escape that it was. */
function jsonOf(json: string): string {
  return json.replaceAll(/\p{Surrogate}/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`)
}
