import type { ReplyEvent } from '../reply/event.ts'
import { becomeText } from './body.ts'
import { readingOfDraft } from './draft.ts'
import { closeAtGap } from './gap.ts'
import { copyOfReading, dropRead } from './reading.ts'
import type { Reading } from './reading.ts'
import { readOn } from './step.ts'

/**
 * Reads an open body of calls, a value, or a thought with calls in it, up to here as what it is should the reply end: for a snapshot. What was read is
 * kept and goes on with the next snapshot, for to read all of the body again for each would cost its square.
 *
 *   > <|python_tag|>{"a<|eot_id|>bcd
 *                                   ^   no call; the token ends the reply, and what stands behind it is dropped
 */
export function readAsText(reading: Reading): void {
  const { state, gathered } = reading
  const isBody = state.fallback !== null && (state.scan === 'json-body' || state.scan === 'python-body')
  if (!isBody && reading.gap === null && reading.draft === null) return
  const asText = reading.asText ?? (gathered === '' ? null : beginAsText(reading))
  if (asText === null) return
  reading.asText = asText
  readOn(asText)
  dropRead(asText)
  asText.events = asText.events === null ? null : joinedTexts(asText.events)
  // A body may stand in that text.
  readAsText(asText)
}

/**
 * A copy that goes on where the body began.
 *
 *   > functools[{"name": "f", "argu
 *              ^                      from here on it reads text, in which a marker may stand
 */
function beginAsText(reading: Reading): Reading {
  const draft = readingOfDraft(reading)
  if (draft !== null) return draft
  const { text, at } = reading
  const copy = { ...copyOfReading(reading), text: text.slice(0, at) }
  if (copy.gap === null) becomeText(copy)
  else closeAtGap(copy)
  return copy
}

/** The same events with one for each text, so that there are not more of them than the text has parts. */
function joinedTexts(events: readonly ReplyEvent[]): ReplyEvent[] {
  const joined: ReplyEvent[] = []
  for (const event of events) {
    const last = joined.at(-1)
    if (last?.kind === 'text' && event.kind === 'text' && event.begins !== true && last.channel === event.channel)
      joined[joined.length - 1] = { ...last, text: last.text + event.text }
    else if (last?.kind === 'arguments' && event.kind === 'arguments')
      joined[joined.length - 1] = { ...last, text: last.text + event.text }
    else joined.push(event)
  }
  return joined
}
