import type { AssistantMessage, ParseOutcome, StreamParser } from '../format.ts'
import type { ReplyEvent } from '../reply/event.ts'
import { issueItem } from './issue-item.ts'

/** Turns what a parser has settled into events. */
export interface SettledEvents {
  /** What has become certain since the last time. */
  readonly next: (parser: StreamParser) => readonly ReplyEvent[]
  /** Everything that was held back. */
  readonly end: (final: ParseOutcome) => readonly ReplyEvent[]
}

/** How much was told: whole messages, and characters of the next one (reasoning, content, arguments in a row). */
interface Told {
  messages: number
  characters: number
  isCallTold: boolean
}

/** Events of what a parser settles, told once. */
export function settledEvents(): SettledEvents {
  const told: Told = { messages: 0, characters: 0, isCallTold: false }
  return {
    next: (parser) => {
      const settled = parser.settled?.() ?? NOTHING
      if (settled.messages === told.messages && settled.characters <= told.characters) return []
      const snapshot = parser.snapshot()
      return snapshot.kind === 'rejected' ? [] : eventsUpTo(told, snapshot.messages, settled)
    },
    end: (final) => {
      if (final.kind === 'rejected') return [{ kind: 'rejected', error: final.error }, issueItem(final.issue)]
      const rest = eventsUpTo(told, final.messages, { messages: final.messages.length, characters: 0 })
      return [...rest, ...final.issues.map(issueItem)]
    },
  }
}

const NOTHING = { messages: 0, characters: 0 }

function eventsUpTo(
  told: Told,
  messages: readonly AssistantMessage[],
  settled: { readonly messages: number; readonly characters: number },
): readonly ReplyEvent[] {
  const events: ReplyEvent[] = []
  while (told.messages < settled.messages) {
    const message = messages[told.messages]
    if (message === undefined) break
    addEvents(events, { told, message, end: Infinity })
    if (message.function_call) events.push({ kind: 'call-end' })
    told.messages += 1
    told.characters = 0
    told.isCallTold = false
  }
  const message = messages[told.messages]
  if (message !== undefined) addEvents(events, { told, message, end: settled.characters })
  return events
}

interface Due {
  readonly told: Told
  readonly message: AssistantMessage
  /** How many characters of the message may be told. */
  readonly end: number
}

function addEvents(events: ReplyEvent[], { told, message, end }: Due): void {
  const { content, reasoning_content: given, function_call: call } = message
  const thought = typeof given === 'string' ? given : ''
  const next = (text: string, at: number): string => {
    const [from, to] = [Math.max(0, told.characters - at), Math.min(text.length, end - at)]
    if (to <= from) return ''
    told.characters = at + to
    return text.slice(from, to)
  }
  const reasoning = next(thought, 0)
  if (reasoning !== '') events.push({ kind: 'reasoning', text: reasoning })
  const text = next(content, thought.length)
  if (text !== '') events.push({ kind: 'text', text })
  const at = thought.length + content.length
  if (!call || end <= at) return
  if (!told.isCallTold) events.push({ kind: 'call', name: call.name, id: null })
  told.isCallTold = true
  const piece = next(call.arguments, at)
  if (piece !== '') events.push({ kind: 'arguments', text: piece })
}
