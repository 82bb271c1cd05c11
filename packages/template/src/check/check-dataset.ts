import { isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { createTally, findLostMessages } from './dataset-finding.ts'
import type { DatasetDetail, DatasetResult, Tally } from './dataset-finding.ts'
import { readTurn } from './dataset-template.ts'
import type { DatasetTemplate } from './dataset-template.ts'
import { findMarkers } from './marker-in-text.ts'
import type { Sample, TurnChooser } from './sample.ts'
import { createTurnChooser, readSample, assistantTurns, callsOfMessage, functionOf } from './sample.ts'

/** Checks conversations one by one; memory does not grow with their number. */
export interface DatasetChecker {
  /**
   * @param line one line of the data set
   * @param where `FILE:LINE`
   * @throws InputError for a line without a conversation
   */
  check(line: string, where: string): void
  readonly result: DatasetResult
}

/** @param options.everyTurn whether to render the prompt of every turn, at any cost */
export function createDatasetChecker(
  template: DatasetTemplate,
  { everyTurn }: { readonly everyTurn: boolean },
): DatasetChecker {
  const chooser = createTurnChooser({ everyTurn })
  const { tally, result } = createTally()
  const check = (line: string, where: string): void =>
    checkSample(readSample(line, where), { template, chooser, tally })
  return { check, result }
}

interface DatasetCheck {
  readonly template: DatasetTemplate
  readonly chooser: TurnChooser
  readonly tally: Tally
}

/**
 * Checks one conversation: as a whole, then the prompts of its turns and the replies after them.
 *
 * The whole conversation, without a generation prompt, is rendered once, and again only if a message read from a reply
 * differs from the message of the conversation.
 */
function checkSample(sample: Sample, { template, chooser, tally }: DatasetCheck): void {
  const { messages, where } = sample
  tally.count('conversations')
  tally.count('all turns', assistantTurns(sample).length)
  findMarkers(sample, template.markers, tally)
  const whole = template.render(sample, { messages, generationPrompt: false })
  if (whole.kind === 'raised') {
    tally.add({ rule: 'refused', where, message: null, detail: { kind: 'raise', error: whole.error } })
    return
  }
  chooser.earn(whole.text.length)
  findLostMessages(sample, { text: whole.text, tally })
  const replaced = new Map<number, PyDict>()
  for (const index of chooser.order(sample)) {
    if (!chooser.mayGoOn()) break
    const read = checkTurn(sample, { index, whole: whole.text }, { template, chooser, tally })
    if (read !== null && read !== messages[index]) replaced.set(index, read)
  }
  if (replaced.size > 0) checkRoundTrip(sample, { replaced, whole: whole.text }, { template, chooser, tally })
}

interface RenderedTurn {
  readonly index: number
  readonly whole: string
}

/** The message as it was read; the message itself if nothing changed, null if it could not be read. */
function checkTurn(
  sample: Sample,
  { index, whole }: RenderedTurn,
  { template, chooser, tally }: DatasetCheck,
): PyDict | null {
  const { messages, where } = sample
  const message = messages[index]
  if (message === undefined) return null
  tally.count('turns')
  const prompt = template.render(sample, { messages: messages.slice(0, index), generationPrompt: true })
  if (prompt.kind === 'raised') {
    tally.add({ rule: 'prompt-refused', where, message: index, detail: { kind: 'raise', error: prompt.error } })
    return null
  }
  chooser.spend(prompt.text.length)
  if (!whole.startsWith(prompt.text)) {
    tally.add({ rule: 'prompt-not-prefix', where, message: index, detail: describeDifference(prompt.text, whole) })
    return null
  }
  const reply = replyAt(sample, { index, whole }, { start: prompt.text.length, template })
  if (reply === null) return null
  tally.count('calls', callsOfMessage(message).length)
  const reading = readTurn({ prompt: prompt.text, reply, message }, sample, template.formats)
  for (const call of reading?.unread ?? []) {
    const { name } = functionOf(call)
    const detail = { kind: 'call', name: typeof name === 'string' ? name : null, reply } as const
    tally.add({ rule: 'call-not-read', where, message: index, detail })
  }
  if (reading === null || reading.unread.length > 0) return null
  tally.count('replies')
  return sameInOrder(reading.message, message) ? message : reading.message
}

/** The text between the prompt and the end of the turn. */
function replyAt(
  { messages }: Sample,
  { index, whole }: RenderedTurn,
  { start, template: { turnEnd } }: { readonly start: number; readonly template: DatasetTemplate },
): string | null {
  const end = turnEnd === null ? -1 : whole.indexOf(turnEnd, start)
  if (end !== -1) return whole.slice(start, end)
  return index === messages.length - 1 ? whole.slice(start) : null
}

interface Replaced {
  readonly replaced: ReadonlyMap<number, PyDict>
  readonly whole: string
}

function checkRoundTrip(
  sample: Sample,
  { replaced, whole }: Replaced,
  { template, chooser, tally }: DatasetCheck,
): void {
  const messages = sample.messages.map((message, index) => replaced.get(index) ?? message)
  const again = template.render(sample, { messages, generationPrompt: false })
  chooser.spend(whole.length)
  if (again.kind === 'rendered' && again.text === whole) return
  const detail =
    again.kind === 'raised' ? ({ kind: 'raise', error: again.error } as const) : describeDifference(whole, again.text)
  const first = Math.min(...replaced.keys())
  tally.add({ rule: 'reply-not-same', where: sample.where, message: first, detail })
}

const CONTEXT = 15
const SHOWN_CHARACTERS = 30

function describeDifference(before: string, after: string): DatasetDetail {
  let at = 0
  while (at < before.length && before[at] === after[at]) at += 1
  const part = (text: string): string => text.slice(Math.max(0, at - CONTEXT), at + SHOWN_CHARACTERS)
  return { kind: 'difference', at, before: part(before), after: part(after) }
}

/** Compares the order of keys as well, since templates show it. */
function sameInOrder(left: PyValue, right: PyValue | undefined): boolean {
  if (right === undefined) return false
  if (isList(left))
    return isList(right) && left.length === right.length && left.every((item, at) => sameInOrder(item, right[at]))
  if (!isDict(left)) return Object.is(left, right)
  if (!isDict(right) || left.size !== right.size) return false
  const keys = [...right.keys()]
  return [...left].every(([key, value], at) => keys[at] === key && sameInOrder(value, right.get(key)))
}
