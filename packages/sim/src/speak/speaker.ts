import type { EndLabel } from '@callspec/labels'
import type { Manner } from '../spoken-formats.ts'
import type { Reference } from '../reference.ts'
import type { CallText } from '../render.ts'

/** A message as it comes over the wire. */
export interface WireMessage {
  readonly role: string
  readonly content: string
}

/** The model's input. */
export interface Prompt {
  readonly messages: readonly WireMessage[]
  /** Whether tools are offered next to the messages, in the native form. */
  readonly hasTools: boolean
  /** The whole prompt, if it is one text. */
  readonly raw?: string
  /** Texts of the system of known tasks that are in it; absent where no task has earlier turns. */
  readonly systems?: readonly string[]
}

/** The properties of a format that faults use. */
export interface FormatShape {
  /** Whether arguments are JSON, or each value is a text or a literal of its own. */
  readonly carries: 'json' | 'text'
  /** Whether the name of a call is part of its JSON. */
  readonly wrapsName: boolean
  /** Whether a reply may hold several calls. */
  readonly several: boolean
  /** Whether the calls of a reply are pieces of one value, which is read whole or not at all. */
  readonly together: boolean
  readonly thought: { readonly open: string; readonly close: string } | null
  /** The text after the arguments of the last call, and the markers in it. */
  readonly tail: string
  readonly closers: readonly string[]
  readonly callStart: string
  /** Tokens that mean something to its readers. */
  readonly special: readonly string[]
  /** Whether a text is a section with marks of its own: bare text after a call may cost the call. */
  readonly sections: boolean
  /** Whether its reader takes a call whose last marker breaks off. */
  readonly readsHalfClosed: boolean
  /** Whether the format marks results, so that a model can invent one. */
  readonly invents: boolean
  /** Whether a result that a model invents begins with a stop word. */
  readonly stopsAtResult: boolean
  /** Whether a reply is calls or prose, never both. */
  readonly callsAlone: boolean
  /** Whether calls count only if no text follows them. */
  readonly callsLast: boolean
}

/** The part that a reply must have: all of it, or the number of a state, the arguments of a call, the answer. */
export type Part =
  | { readonly kind: 'whole' }
  | { readonly kind: 'state'; readonly states: readonly string[] }
  | { readonly kind: 'arguments' }
  | { readonly kind: 'answer' }

/** The part of replies that are requested as a whole. */
export const WHOLE: Part = { kind: 'whole' }

export interface PromptReading {
  /** Everything that the host sent from the question on, as one text. */
  readonly conversation: string
  /** The host's results for the calls so far, in order. */
  readonly results: (reference: Reference) => readonly string[]
  readonly part: Part
  /** How much of the prompt was known word for word, and how much round each result; absent: formats are tried first. */
  readonly known?: { readonly prompt: number; readonly result: number }
}

/** A model's output, before a server makes a completion of it. */
export interface Said {
  readonly text: string
  /** Calls in the native form; none where calls are text. */
  readonly calls: readonly CallText[]
  /** The model's reasoning before it, or null. The server decides how to send it. */
  readonly thought: string | null
}

/** How a simulated model understands and speaks a format. */
export interface Speaker {
  /** The version of the reference whose host is expected to read it: what a host makes of a broken reply depends on it. */
  readonly host: string
  /** Null if the prompt is not of this format. */
  readonly read: (prompt: Prompt) => PromptReading | null
  /** What follows the question, unless nothing does. */
  readonly afterQuestion: string
  /** How many calls a reply has room for: all of a planned turn, or one. */
  readonly width: 'turn' | 'one'
  readonly calls: (calls: readonly CallText[], part: Part) => Said
  /** The text before calls; absent if it is written without marks, on a separate line. */
  readonly preamble?: (text: string) => string
  /** A whole reply that ends the episode, and how it then ends. */
  readonly final: (text: string, part: Part) => Said
  readonly end: EndLabel
  /** Whether the name of a call is part of its JSON. */
  readonly wrapsName: boolean
  readonly asksInParts: boolean
  /** A result and an answer that a model writes by itself; null where results are no text. */
  readonly invented: string | null
  /** A reply that breaks off so early that no host can read a call: after a few letters of the first mark. */
  readonly brokenOff: string
  /** A reply that means a call which neither a host nor anybody else can read; the host goes on as if it were text. */
  readonly unreadable: string
  readonly mistakenFor: Manner
  /** The properties that faults use; absent if it is not a separate format. */
  readonly shape?: FormatShape
}

/** A reply that is text and nothing else. */
export function plain(text: string): Said {
  return { text, calls: [], thought: null }
}

/**
 * The text between a host's marks. A recorded result is skipped as a whole: a mark inside it is the tool's, not the
 * host's (task T04 has three of them).
 */
export function between(
  text: string,
  {
    open,
    closes,
    recorded,
  }: { readonly open: string; readonly closes: readonly string[]; readonly recorded: readonly string[] },
): readonly string[] {
  const found: string[] = []
  let at = text.indexOf(open)
  while (at >= 0) {
    const start = at + open.length
    const known = recorded.find(
      (result) => isWhole(text, start + result.length, closes) && text.startsWith(result, start),
    )
    const ends = closes.map((close) => text.indexOf(close, start + (known?.length ?? 0))).filter((end) => end >= 0)
    const end = ends.length === 0 ? text.length : Math.min(...ends)
    found.push(text.slice(start, end))
    at = text.indexOf(open, end)
  }
  return found
}

function isWhole(text: string, end: number, closes: readonly string[]): boolean {
  return end === text.length || closes.some((close) => text.startsWith(close, end))
}
