import type { ReplyEvent } from '../reply/event.ts'
import { shortText } from './calls.ts'
import { grammarIssue, QUOTED } from './issues.ts'
import { newReading, tell } from './reading.ts'
import type { Reading } from './reading.ts'
import { endText, takeText } from './text.ts'

/**
 * From its first marker of calls on, a thought is read a second time as what stands behind its closing tag, in case that tag
 * never comes.
 *
 *   > Hm. <tool_call>\n<function=f>\n</function>\n</tool_call>
 *         ^                                                     from here on, if the reply ends here
 */
export function readingOfDraft(reading: Reading): Reading | null {
  const { draft, state, context, gathered } = reading
  if (draft === null || state.afterThought === null) return null
  const second = newReading(state.afterThought, context)
  second.text = gathered
  second.base = draft
  second.run = { start: draft, whole: null }
  return second
}

/** Takes the text of a thought that may hold calls. Where they would count, it waits for the closing tag. */
export function takeDraft(reading: Reading, end: number): void {
  const { text, at, asText, state } = reading
  const taken = text.slice(at, end)
  reading.gathered += taken
  if (asText !== null) asText.text += taken
  if (!state.callsCount) takeText(reading, end)
}

/**
 * Ends a thought at its closing tag: what seemed a call in it was a draft.
 *
 *   > Hm. <tool_call>\n<function=f>\n</function>\n</tool_call> No.</think>
 *                                                                 ^
 */
export function endThought(reading: Reading): void {
  if (reading.draft !== null) release(reading, reading.gathered)
  endText(reading)
}

/**
 * Ends a thought without a closing tag. Where the format says so, calls that end it count; all others are reported.
 *
 * @returns whether calls ended it
 *
 *   > Hm. <tool_call>\n<function=f>\n</function>\n</tool_call>
 *         ^                                                      a call
 *   > Hm. <tool_call>\n<function=f>\n</function>\n</tool_call> or rather
 *         ^                                                                a draft: the model went on thinking
 */
export function endOpenThought(reading: Reading): boolean {
  const { draft, gathered, state } = reading
  const second = reading.asText ?? readingOfDraft(reading)
  if (draft === null || second === null || second.run === null) {
    endThought(reading)
    return false
  }
  second.context.finish(second)
  const events = second.events ?? []
  const { start } = second.run
  const whole = wholeCall(events, start)
  const last = whole ?? second.run.whole
  const quoted = (from: number): { readonly start: number; readonly end: number; readonly head: string } => ({
    start: from,
    end: draft + gathered.length,
    head: gathered.slice(from - draft, from - draft + QUOTED + 1),
  })
  if (state.callsCount && whole !== null && !hasProse(second) && !events.some(isDoubt)) {
    release(reading, gathered.slice(0, start - draft))
    endText(reading)
    tell(reading, grammarIssue('thought-not-closed', quoted(start)))
    for (const event of events) tell(reading, event)
    return true
  }
  endThought(reading)
  if (last !== null)
    tell(reading, grammarIssue('call-in-thought', quoted(last.start), `Name: ${shortText(last.name)}.`))
  return false
}

/**
 * Calls with text before them: the calls before that text were drafts.
 *
 *   > <tool_call>…</tool_call> No, rather <tool_call>…</tool_call>
 *                                         ^                         this one may count
 */
export function beginRun(reading: Reading, start: number): void {
  const { run, events } = reading
  if (run === null) return
  reading.run = { start, whole: wholeCall(events ?? [], run.start) ?? run.whole }
  reading.events = null
}

/** Says what a thought has held back. */
function release(reading: Reading, thought: string): void {
  const { text, at, state } = reading
  reading.gathered = ''
  reading.draft = null
  if (!state.callsCount) return
  reading.text = thought
  reading.at = 0
  takeText(reading, thought.length)
  reading.text = text
  reading.at = at
}

/** The first call that has its end. */
function wholeCall(
  events: readonly ReplyEvent[],
  start: number,
): { readonly name: string; readonly start: number } | null {
  let name: string | null = null
  for (const event of events) {
    if (event.kind === 'call') ({ name } = event)
    if (event.kind === 'call-end' && name !== null) return { name, start }
  }
  return null
}

/** Whether the model went on with prose behind the calls. */
function hasProse({ state, hasText }: Reading): boolean {
  return (state.kind === 'text' || state.kind === 'reasoning') && hasText
}

/** A call that was repaired is none to make, when it may be a draft. One behind it that was cut changes nothing. */
function isDoubt(event: ReplyEvent): boolean {
  return event.kind === 'issue' && event.weight === 'harm' && event.code !== 'cut'
}
