import type { CallSpelling } from './language.ts'
import type { CallFault } from './sample.ts'

/** A call to spell; `null` as arguments leaves them out, with the marker or the key before them. */
export interface SpellRequest {
  readonly name: string
  readonly arguments: string | null
}

/** The text of a call, as the format writes it. */
export function spellCall(spelling: CallSpelling, { name, arguments: text }: SpellRequest): string {
  const { beforeName, betweenNameAndArguments, afterArguments } = spelling
  if (text !== null) return beforeName + name + betweenNameAndArguments + text + afterArguments
  // Where the name stands in quotes, the one behind it stays.
  const quote = betweenNameAndArguments.startsWith('"') ? '"' : ''
  return beforeName + name + quote + afterArguments
}

/** The text of a call with something wrong about it. */
export function spellFaulty(
  spelling: CallSpelling,
  call: {
    readonly name: string
    readonly arguments: string
    readonly fault: CallFault | null
    readonly end: readonly string[]
  },
): string {
  switch (call.fault) {
    case 'no-arguments':
      return spellCall(spelling, { name: call.name, arguments: null })
    case 'null-arguments':
      return spellCall(spelling, { name: call.name, arguments: 'null' })
    case 'not-closed':
      return withoutEnd(spellCall(spelling, call), call.end)
    default:
      return spellCall(spelling, call)
  }
}

function withoutEnd(text: string, ends: readonly string[]): string {
  const end = ends.find((marker) => text.endsWith(marker))
  return end === undefined ? text : text.slice(0, text.length - end.length)
}
