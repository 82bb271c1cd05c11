import { addArguments, shortText } from './calls.ts'
import { afterSpace, beforeSpace } from './edges.ts'
import { grammarIssue } from './issues.ts'
import { offsetOf, QUOTED_MOST, tell } from './reading.ts'
import type { Reading } from './reading.ts'

/**
 * Takes the text up to `end`. White space waits for what follows it: alone, or at a trimmed edge, it is no text.
 *
 *   > Noon.\n<tool_call>
 *            ^   the line feed belongs to the marker where the state is trimmed, and to the text elsewhere
 *   > <think>\nHm.
 *              ^     at the edge of a trimmed text it is none of it
 */
export function takeText(reading: Reading, end: number): void {
  const { text, at, state, hasText } = reading
  const solid = beforeSpace(text, end, at)
  if (solid === at) {
    reading.space += text.slice(at, end)
    return
  }
  const isEdge = state.isTrimmed && !hasText
  say(reading, isEdge ? text.slice(afterSpace(text, at), solid) : reading.space + text.slice(at, solid))
  reading.hasText = true
  reading.space = text.slice(solid, end)
}

function say(reading: Reading, text: string): void {
  if (text === '') return
  const kind = reading.state.kind === 'reasoning' ? 'reasoning' : 'text'
  const { channel, hasText } = reading
  if (hasText && channel === null) return tell(reading, { kind, text })
  // What stands behind a marker is a text of its own, whatever stood before it.
  const begins = hasText ? {} : ({ begins: true } as const)
  tell(reading, { kind, text, ...(channel === null ? {} : { channel }), ...begins })
}

/**
 * White space at the end of a text stays, unless it belongs to the markers; alone it is no text.
 *
 *   > Noon. <|im_end|>
 *           ^            `Noon. `
 *   >  <|im_end|>
 *      ^            nothing was said
 */
export function endText(reading: Reading): void {
  if (reading.hasText && !reading.state.isTrimmed && reading.space !== '') say(reading, reading.space)
  reading.space = ''
}

/** Ends a text, and says which calls its code has shown: not before, for an issue inside of a text would cut it in two. */
export function endProse(reading: Reading): void {
  endText(reading)
  for (const issue of reading.shown ?? []) tell(reading, issue)
  reading.shown = null
  reading.fence = null
  reading.gathered = ''
}

/**
 * Begins or ends code in a text, at its fence.
 *
 *   > ```json\n{"name": "f", "arguments": {}}\n```
 *                                             ^   a call that the code shows: it is reported
 */
export function passFence(reading: Reading, marker: string): void {
  const { fence, gathered, context } = reading
  const here = offsetOf(reading)
  reading.fence = fence === null ? here : null
  reading.gathered = ''
  if (fence === null || !gathered.startsWith(marker + JSON_CODE)) return
  const calls = context.compiled.grammar.readCalls?.(gathered.slice(marker.length + JSON_CODE.length)) ?? []
  const names = calls.flatMap(({ name, arguments: given }) => (name !== '' && given.startsWith('{') ? [name] : []))
  if (names.length === 0) return
  const place = { start: fence, end: here + marker.length, head: (gathered + marker).slice(0, QUOTED_MOST) }
  const detail = `${names.length > 1 ? 'Names' : 'Name'}: ${names.slice(0, NAMED).map(shortText).join(', ')}.`
  reading.shown ??= []
  reading.shown.push(grammarIssue('call-in-code', place, detail))
}

const JSON_CODE = 'json'

/** So many calls of one fence are named. */
const NAMED = 5

/**
 * Takes arguments up to `end`. They have no white space at their ends, unless they are a text of their own.
 *
 *   > [ARGS] {"a": 1} [TOOL_CALLS]
 *            ^       ^               from the first caret to the second
 *   > <|message|> print(1)\n<|call|>
 *                ^          ^          white space and all
 */
export function takeJson(reading: Reading, end: number): void {
  const { text, at, state, call, space } = reading
  const isWholeText = state.isWholeText
  const hasBegun = isWholeText || (call !== null && call.json !== '')
  const start = hasBegun ? at : afterSpace(text, at, end)
  const solid = beforeSpace(text, end, start)
  if (solid > start) {
    addArguments(reading, (hasBegun ? space : '') + text.slice(start, solid))
    reading.space = text.slice(solid, end)
  } else if (hasBegun) reading.space += text.slice(at, end)
}

/**
 * Ends arguments that are a text of their own. White space waits: alone it stands for no arguments.
 *
 *   > <|message|>  <|call|>
 *                ^           none were given
 */
export function endWholeText(reading: Reading): void {
  if (!reading.state.isWholeText || reading.call === null) return
  addArguments(reading, reading.call.json === '' ? '{}' : reading.space)
  reading.space = ''
}
