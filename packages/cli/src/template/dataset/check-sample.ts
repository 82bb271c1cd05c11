import type { PyDict, PyValue } from '@callspec/python'
import { visibleWhiteSpace, quoted } from '../../terminal.ts'
import { callsOfMessage, functionOf } from '../check/message-calls.ts'
import type { TurnChooser } from './choose-turns.ts'
import type { DatasetTemplate } from './dataset-template.ts'
import type { Tally } from './finding.ts'
import { findLostMessages } from './lost-messages.ts'
import { readTurn } from './read-turn.ts'
import { turnsOf } from './sample.ts'
import type { Sample } from './sample.ts'

/** What a data set is checked with. */
export interface DatasetCheck {
  readonly template: DatasetTemplate
  readonly chooser: TurnChooser
  readonly tally: Tally
}

/**
 * Looks at one conversation: as a whole, then at the prompts of its turns and what the model said after them.
 *
 * The whole conversation, without a generation prompt, is rendered once, and again only where something read from a reply
 * is not what stood in the message.
 */
export function checkSample(sample: Sample, { template, chooser, tally }: DatasetCheck): void {
  const { messages, where } = sample
  tally.saw('conversations')
  tally.saw('all turns', turnsOf(sample).length)
  const whole = template.render(sample, { messages, generationPrompt: false })
  if (whole.kind === 'raised') {
    const { type, message } = whole.error
    tally.found({ rule: 'refused', where, message: null, detail: `${type}: ${quoted(message, 120)}` })
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

interface Turn {
  readonly index: number
  readonly whole: string
}

/** The message as it was read; the message itself where nothing changed, null where it could not be read. */
function checkTurn(sample: Sample, { index, whole }: Turn, { template, chooser, tally }: DatasetCheck): PyDict | null {
  const { messages, where } = sample
  const message = messages[index]
  if (message === undefined) return null
  tally.saw('turns')
  const prompt = template.render(sample, { messages: messages.slice(0, index), generationPrompt: true })
  if (prompt.kind === 'raised') {
    const { type, message: why } = prompt.error
    tally.found({ rule: 'prompt-refused', where, message: index, detail: `${type}: ${quoted(why, 120)}` })
    return null
  }
  chooser.spend(prompt.text.length)
  if (!whole.startsWith(prompt.text)) {
    tally.found({ rule: 'prompt-not-prefix', where, message: index, detail: partingText(prompt.text, whole) })
    return null
  }
  const reply = replyAt(sample, { index, whole }, { start: prompt.text.length, template })
  if (reply === null) return null
  const calls = callsOfMessage(message)
  tally.saw('calls', calls.length)
  const reading = readTurn({ prompt: prompt.text, reply, message }, sample, template.formats)
  for (const call of reading?.unread ?? []) {
    const name = functionOf(call).name
    const detail = `${typeof name === 'string' ? quoted(name) : 'a call'} in "${quoted(reply, 100)}"`
    tally.found({ rule: 'call-not-read', where, message: index, detail })
  }
  if (reading === null || reading.unread.length > 0) return null
  tally.saw('replies')
  return isSameMessage(reading.message, message) ? message : reading.message
}

/** What stands between the prompt and the end of the turn. */
function replyAt(
  { messages }: Sample,
  { index, whole }: Turn,
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
  const text = again.kind === 'rendered' ? again.text : ''
  if (text === whole) return
  const detail =
    again.kind === 'raised' ? `${again.error.type}: ${quoted(again.error.message)}` : partingText(whole, text)
  const [first = null] = [...replaced.keys()].toSorted((left, right) => left - right)
  tally.found({ rule: 'reply-not-same', where: sample.where, message: first, detail })
}

const SHOWN = 30

/** Where two texts part for the first time, with what stands there. */
function partingText(before: string, after: string): string {
  let at = 0
  while (at < before.length && before[at] === after[at]) at += 1
  const from = Math.max(0, at - 15)
  const part = (text: string): string => visibleWhiteSpace(text.slice(from, at + SHOWN))
  return `from character ${at} on: ${part(before)} | ${part(after)}`
}

function isSameMessage(left: PyDict, right: PyDict): boolean {
  return left.size === right.size && [...left].every(([key, value]) => isSame(value, right.get(key)))
}

/** By the order of keys as well: templates show it. */
function isSame(left: PyValue, right: PyValue | undefined): boolean {
  if (Array.isArray(left) && Array.isArray(right))
    return (
      left.length === right.length && left.every((item: PyValue, at) => isSame(item, right[at] as PyValue | undefined))
    )
  if (left instanceof Map && right instanceof Map) {
    const keys = [...right.keys()] as readonly PyValue[]
    return (
      left.size === right.size &&
      [...left].every(
        ([key, value], at) => keys[at] === key && isSame(value as PyValue, right.get(key) as PyValue | undefined),
      )
    )
  }
  return Object.is(left, right)
}
