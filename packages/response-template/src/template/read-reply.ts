import { isDict, isList, repr } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { allMatches } from '../regex/pattern.ts'
import { PatternLimitError } from '../regex/search.ts'
import { toolSchemas } from './cast.ts'
import type { TemplateReader } from './cast.ts'
import { TemplateRaise, faultOf } from './fault.ts'
import type { Fault, FaultStage } from './fault.ts'
import { addText, newMachine, processText, readPiece } from './machine.ts'
import type { Machine, TemplateEvent } from './machine.ts'
import type { Delimiter, ResponseTemplate } from './response-template.ts'

/** How a reply is read. */
export interface ReadSettings {
  /** The prompt. `''` if the reply is the whole message; absent or null is refused, as in the reference. */
  readonly prefix?: string | null | undefined
  /** The tools that were offered, to type arguments; any value that JSON can hold. */
  readonly tools?: PyValue | undefined
  /** Whose copy of the reader; transformers' if absent. */
  readonly reader?: TemplateReader | undefined
  /**
   * Lists in `defaults` grow from reply to reply, as in the reference. Otherwise each reply has a copy of its own.
   */
  readonly hasSharedDefaults?: boolean | undefined
}

/** What a reply became. */
export type ReadResult =
  | {
      readonly kind: 'read'
      readonly message: PyDict
      /** Fields whose value vLLM could not read and left out, in order. */
      readonly malformed: readonly string[]
    }
  | { readonly kind: 'raised'; readonly fault: Fault }

/** The events of one step of a stream, or why it raised: then its events are lost, and nothing more is read. */
export type StreamStep =
  | { readonly kind: 'events'; readonly events: readonly TemplateEvent[] }
  | { readonly kind: 'raised'; readonly fault: Fault }

/** A reply that arrives in pieces. */
export interface ReplyStream {
  /** Events of what the prompt has already written of the message. */
  readonly initial: StreamStep
  /** Reads a piece of the reply. */
  feed(text: string): StreamStep
  /** Reads what was held back; `result` is the message. */
  end(): { readonly step: StreamStep; readonly result: ReadResult }
}

/** Reads a whole reply: it is fed at once, and then ended. Never throws. */
export function readReply(template: ResponseTemplate, text: string, settings: ReadSettings): ReadResult {
  const stream = streamReply(template, settings)
  if (stream.initial.kind === 'raised') return stream.initial
  const step = stream.feed(text)
  return step.kind === 'raised' ? step : stream.end().result
}

/** Begins to read a reply that arrives in pieces. Never throws; a raise of the reference is data. */
export function streamReply(template: ResponseTemplate, settings: ReadSettings): ReplyStream {
  const machine = newMachine(template, {
    schemas: toolSchemas(settings.tools ?? null),
    reader: settings.reader ?? 'transformers',
    output: new Map(settings.hasSharedDefaults === true ? template.defaults : copiedDict(template.defaults)),
  })
  let fault: Fault | null = null
  let held = ''
  const run = (stage: FaultStage, work: () => void): StreamStep => {
    if (fault !== null) return { kind: 'raised', fault }
    try {
      machine.events = []
      work()
      return { kind: 'events', events: machine.events }
    } catch (error) {
      if (!(error instanceof TemplateRaise)) throw error
      fault = faultOf(stage, error)
      return { kind: 'raised', fault }
    }
  }
  let isEnded = false
  const refuseEnded = (): void => {
    if (isEnded) throw new TemplateRaise('finalized', 'ResponseParser has been finalized', 'RuntimeError')
  }
  return {
    initial: run('prefix', () => {
      readPiece(machine, partOfMessage(template.anchor, settings.prefix))
    }),
    feed: (text) =>
      run('feed', () => {
        refuseEnded()
        const whole = held + text
        held = endsInHighSurrogate(whole) ? whole.slice(-1) : ''
        readPiece(machine, held === '' ? whole : whole.slice(0, -1))
      }),
    end: () => {
      const step = run('finalize', () => {
        refuseEnded()
        isEnded = true
        addText(machine, held)
        processText(machine, true)
        refuseMissing(machine)
      })
      if (step.kind === 'raised') return { step, result: step }
      return { step, result: { kind: 'read', message: filledMembers(machine), malformed: machine.malformed } }
    },
  }
}

function copiedDict(dict: PyDict): PyDict {
  return new Map(Array.from(dict, ([key, value]) => [key, copied(value)] as const))
}

function copied(value: PyValue): PyValue {
  if (isList(value)) return value.map(copied)
  return isDict(value) ? copiedDict(value) : value
}

function endsInHighSurrogate(text: string): boolean {
  return (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800
}

/** What the prompt has after the last place that begins the message; all of it if it has no such place. */
function partOfMessage(anchor: Delimiter, prefix: string | null | undefined): string {
  if (prefix === undefined || prefix === null) {
    throw new TemplateRaise(
      'no-prefix',
      'The prompt is not given. Give the text that was sent to the model, or "" if the reply is all of the message.',
    )
  }
  return prefix.slice(anchorEnd(anchor, prefix) ?? 0)
}

/** Where the last match of the anchor in a prompt ends, or null if it has none. */
export function anchorEnd(anchor: Delimiter, prompt: string): number | null {
  if (anchor.kind === 'literals') return literalAnchorEnd(anchor.literals, prompt)
  try {
    let end: number | null = null
    for (const match of allMatches(anchor.pattern, prompt)) end = match.end
    return end
  } catch (error) {
    if (error instanceof PatternLimitError)
      throw new TemplateRaise('pattern-limit', `start_anchor_pattern: ${error.message}`, 'Limit')
    throw error
  }
}

function literalAnchorEnd(literals: readonly string[], prompt: string): number | null {
  let end: number | null = null
  for (let at = 0; ;) {
    let start = Infinity
    let length = 0
    for (const literal of literals) {
      const found = prompt.indexOf(literal, at)
      if (found < 0 || found >= start) continue
      start = found
      length = literal.length
    }
    if (length === 0) return end
    end = start + length
    at = end
  }
}

function refuseMissing({ template, output }: Machine): void {
  const missing = template.fields
    .filter((field) => !field.isOptional && !output.has(field.name))
    .map((field) => field.name)
  if (missing.length === 0) return
  throw new TemplateRaise(
    'missing-field',
    `Required response_template fields missing from parsed output: ${repr(missing)}`,
  )
}

/** The output without members that are empty and no defaults. */
function filledMembers({ template, output }: Machine): PyDict {
  return new Map(Array.from(output).filter(([name, value]) => template.defaults.has(name) || !isEmpty(value)))
}

function isEmpty(value: PyValue): boolean {
  if (value === null || value === '') return true
  if (isList(value)) return value.length === 0
  return isDict(value) && value.size === 0
}
