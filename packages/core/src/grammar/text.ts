import { addArguments } from './calls.ts'
import type { CompiledState } from './compile.ts'
import { afterSpace, beforeSpace } from './edges.ts'
import type { Reading } from './reading.ts'

/** What decides how a text is taken. */
export type TextState = Pick<CompiledState, 'is' | 'state'>

/** White space waits for what follows it: alone, or at a trimmed edge, it is no text. */
export function takeText(reading: Reading, { is, state }: TextState, text: string): void {
  const end = beforeSpace(text)
  if (end === 0) {
    reading.space += text
    return
  }
  const isEdge = state.isTrimmed === true && !reading.hasText
  emit(reading, is, isEdge ? text.slice(afterSpace(text), end) : reading.space + text.slice(0, end))
  reading.hasText = true
  reading.space = text.slice(end)
}

function emit(reading: Reading, is: TextState['is'], text: string): void {
  if (text === '') return
  // What stands behind a marker is a text of its own, whatever stood before it.
  const begins = reading.hasText ? {} : ({ begins: true } as const)
  const channel = reading.channel === null ? {} : { channel: reading.channel }
  reading.events.push({ kind: is === 'reasoning' ? 'reasoning' : 'text', text, ...channel, ...begins })
}

/** White space at the end of a text stays, unless it belongs to the markers; alone it is no text. */
export function endText(reading: Reading, { is, state }: TextState): void {
  if (reading.hasText && state.isTrimmed !== true && reading.space !== '') emit(reading, is, reading.space)
  reading.space = ''
}

/** Arguments have no white space at their ends, unless they are a text of their own. */
export function takeJson(reading: Reading, { state }: TextState, text: string): void {
  const hasBegun = reading.call !== null && reading.call.json !== ''
  if (state.isWholeText === true) return takeWhole(reading, text)
  const start = hasBegun ? 0 : afterSpace(text)
  const end = Math.max(start, beforeSpace(text))
  if (end > start) {
    addArguments(reading, (hasBegun ? reading.space : '') + text.slice(start, end))
    reading.space = text.slice(end)
  } else if (hasBegun) reading.space += text
}

/** White space waits: alone it stands for no arguments. */
function takeWhole(reading: Reading, text: string): void {
  const end = beforeSpace(text)
  if (end > 0) addArguments(reading, reading.space + text.slice(0, end))
  reading.space = end > 0 ? text.slice(end) : reading.space + text
}

/**
 * Ends arguments that are a text of their own.
 *
 *   > <|message|>  <|call|>
 *                ^           none were given
 */
export function endWholeText(reading: Reading, { state }: TextState): void {
  if (state.isWholeText !== true || reading.call === null) return
  addArguments(reading, reading.call.json === '' ? '{}' : reading.space)
  reading.space = ''
}
