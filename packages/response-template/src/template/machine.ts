import { className, isList, pyCompare } from '@callspec/python'
import type { PyValue } from '@callspec/python'
import { PatternLimitError } from '../regex/search.ts'
import type { Effort } from '../regex/search.ts'
import { largest } from '../regex/shape.ts'
import { typedCalls } from './cast.ts'
import type { TemplateReader, ToolSchemas } from './cast.ts'
import { contentValue } from './contents.ts'
import { TemplateRaise } from './fault.ts'
import { delimiterFinder } from './find-delimiter.ts'
import type { DelimiterMatch } from './find-delimiter.ts'
import type { Delimiter, ResponseTemplate, TemplateField } from './response-template.ts'
import { transformed } from './transform.ts'
import { watchesOf } from './watch.ts'
import type { Watch, Watched, Watches } from './watch.ts'

/** What a reader emits while a reply arrives. `isDirty`: the text is not what its field will hold. */
export type TemplateEvent =
  | { readonly type: 'open'; readonly field: string }
  | { readonly type: 'chunk'; readonly field: string; readonly text: string; readonly isDirty: boolean }
  | { readonly type: 'close'; readonly field: string; readonly value: PyValue }
  /** vLLM only: the region closed and its value could not be read. */
  | { readonly type: 'malformed'; readonly field: string; readonly message: string }

/** A reply that is being read. The texts of regions are given out as soon as no delimiter can begin in them. */
export interface Machine {
  readonly template: ResponseTemplate
  readonly implicit: TemplateField | null
  readonly watches: Watches
  readonly schemas: ToolSchemas
  readonly reader: TemplateReader
  /** How much of the text before `at` delimiters can look at. */
  readonly lookBehind: number
  readonly output: Map<string, PyValue>
  readonly malformed: string[]
  /** Of all patterns, in the whole stream. */
  readonly effort: Effort
  buffer: string
  /** Offset in the buffer of what has not been given to a region. */
  at: number
  /** How much was not certain when the last piece had been read. */
  held: number
  current: TemplateField | null
  isOpened: boolean
  body: string[]
  captures: ReadonlyMap<string, string>
  events: TemplateEvent[]
}

/** A machine that has read nothing. `output` holds the defaults. */
export function newMachine(
  template: ResponseTemplate,
  settings: { readonly schemas: ToolSchemas; readonly reader: TemplateReader; readonly output: Map<string, PyValue> },
): Machine {
  const implicit = template.fields.find((field) => field.open === null) ?? null
  const sides = template.fields.flatMap(({ open, close }) => [open, close])
  const looks = sides.map((side) => (side?.kind === 'pattern' ? side.pattern.lookBehind : 0))
  return {
    template,
    implicit,
    watches: watchesOf(template, implicit),
    ...settings,
    lookBehind: largest(looks),
    malformed: [],
    effort: { work: 0, length: 0 },
    buffer: '',
    at: 0,
    held: 0,
    current: implicit,
    isOpened: false,
    body: [],
    captures: NO_CAPTURES,
    events: [],
  }
}

const NO_CAPTURES: ReadonlyMap<string, string> = new Map()
/** Text that has been given out is kept up to this length before it is cut off. */
const KEPT = 256

/** From this length on, text that is held back is not searched again for each piece, */
const LONG_HOLD = 512
/** but when as much more has arrived as this part of it: a stream in small pieces takes linear time. */
const MORE_HELD = 1 / 16

/** Reads the next piece of a text as far as it is certain what it means. @throws TemplateRaise as `processText` */
export function readPiece(machine: Machine, text: string): void {
  addText(machine, text)
  const length = machine.buffer.length - machine.at
  if (machine.held > LONG_HOLD && length < machine.held * (1 + MORE_HELD)) return
  const rest = length === text.length ? text : machine.buffer.slice(machine.at)
  const clear = watchNow(machine).clearLength(rest)
  if (clear < 0) processText(machine, false)
  else if (clear > 0) {
    machine.at += clear
    if (machine.current !== null) giveText(machine, machine.current, rest.slice(0, clear))
  }
  machine.held = machine.buffer.length - machine.at
}

/** Adds text to what is read. */
export function addText(machine: Machine, text: string): void {
  const kept = machine.lookBehind + 2
  if (machine.at > KEPT + kept) {
    machine.buffer = machine.buffer.slice(machine.at - kept)
    machine.at = kept
  }
  machine.buffer += text
  machine.effort.length += text.length
}

type Found = Watched & { readonly match: DelimiterMatch }

/**
 * Reads as far as it is certain what the text means, or to its end (spec §2).
 *
 * @throws TemplateRaise where the reference raises, or would never return
 */
export function processText(machine: Machine, isFinal: boolean): void {
  const finders: Finders = new Map()
  // Two matches of nothing at one place, in turn, never end; in between only as many fields as there are can change.
  let standing = 0
  const patience = 2 * machine.template.fields.length + 4
  while (machine.at < machine.buffer.length) {
    const { best, hold } = nextDelimiter(machine, finders, isFinal)
    if (best === null) {
      give(machine, isFinal ? machine.buffer.length : hold)
      break
    }
    const before = machine.at
    give(machine, best.match.start)
    machine.at = best.match.end
    if (best.isOpener) openField(machine, best)
    else {
      const wasOpened = machine.isOpened
      closeCurrent(machine)
      if (best.match.start === best.match.end && !wasOpened) return
    }
    standing = machine.at === before ? standing + 1 : 0
    if (standing > patience) {
      throw new TemplateRaise(
        'never-returns',
        `An opener and a closer both match nothing at offset ${machine.at}.`,
        'Hang',
      )
    }
  }
  if (isFinal) closeCurrent(machine)
}

function nextDelimiter(
  machine: Machine,
  finders: Finders,
  isFinal: boolean,
): { readonly best: Found | null; readonly hold: number } {
  let hold = machine.buffer.length
  let best: Found | null = null
  for (const watched of watchNow(machine).delimiters) {
    const match = search(machine, finders, watched.delimiter, isFinal)
    if (match === null) continue
    if (match.isOpenEnded && !isFinal) hold = Math.min(hold, match.start)
    else if (best === null || isBefore({ ...watched, match }, best)) best = { ...watched, match }
  }
  return { best: best !== null && !isFinal && best.match.start >= hold ? null : best, hold }
}

function watchNow({ current, implicit, watches }: Machine): Watch {
  return (current === null || current === implicit ? null : watches.inside.get(current)) ?? watches.outside
}

type Finders = Map<Delimiter, (from: number) => DelimiterMatch | null>

function search(machine: Machine, finders: Finders, delimiter: Delimiter, isFinal: boolean): DelimiterMatch | null {
  let find = finders.get(delimiter)
  if (find === undefined) {
    find = delimiterFinder(delimiter, machine.buffer, { isFinal, effort: machine.effort })
    finders.set(delimiter, find)
  }
  try {
    return find(machine.at)
  } catch (error) {
    if (!(error instanceof PatternLimitError)) throw error
    const source = delimiter.kind === 'pattern' ? delimiter.pattern.source : ''
    throw new TemplateRaise('pattern-limit', `${source}: ${error.message}`, 'Limit')
  }
}

/** The earlier one; of two at one place the longer; then an opener; then the field with the smaller name. */
function isBefore(left: Found, right: Found): boolean {
  if (left.match.start !== right.match.start) return left.match.start < right.match.start
  if (left.match.end !== right.match.end) return left.match.end > right.match.end
  if (left.isOpener !== right.isOpener) return left.isOpener
  return pyCompare(left.field.name, right.field.name) < 0
}

/** Gives the text up to `end` to the current region. Text outside of every region is lost, as in the reference. */
function give(machine: Machine, end: number): void {
  const { at } = machine
  if (end <= at) return
  machine.at = end
  if (machine.current !== null) giveText(machine, machine.current, machine.buffer.slice(at, end))
}

function giveText(machine: Machine, current: TemplateField, text: string): void {
  const { events } = machine
  if (!machine.isOpened) {
    machine.isOpened = true
    events.push({ type: 'open', field: current.name })
  }
  machine.body.push(text)
  const isDirty = current.content === 'json' || current.content === 'xml-inline' || current.content === 'kv-lines'
  events.push({ type: 'chunk', field: current.name, text, isDirty })
}

function openField(machine: Machine, { field, match }: Found): void {
  closeCurrent(machine)
  machine.current = field
  machine.captures = match.captures
  machine.isOpened = true
  machine.events.push({ type: 'open', field: field.name })
}

function closeCurrent(machine: Machine): void {
  const { current, implicit, captures, body } = machine
  if (current !== null && machine.isOpened) {
    const event = closeField(machine, current, { captures, text: body.join('') })
    machine.events.push(event)
  }
  machine.current = implicit
  machine.isOpened = false
  machine.body = []
  machine.captures = NO_CAPTURES
}

function closeField(
  machine: Machine,
  field: TemplateField,
  region: { readonly captures: ReadonlyMap<string, string>; readonly text: string },
): TemplateEvent {
  try {
    const content = contentValue(field.content, region.text, field.contentArguments)
    const value = typedCalls(transformed(field, content, region.captures), machine.schemas, machine.reader)
    keepValue(machine, field, value)
    return { type: 'close', field: field.name, value }
  } catch (error) {
    if (!(error instanceof TemplateRaise) || machine.reader !== 'vllm' || !SKIPPED_BY_VLLM.has(error.type)) throw error
    machine.malformed.push(field.name)
    return { type: 'malformed', field: field.name, message: error.message }
  }
}

const SKIPPED_BY_VLLM = new Set(['KeyError', 'TypeError', 'ValueError', 'error', 'Limit'])

function keepValue(machine: Machine, field: TemplateField, value: PyValue): void {
  const { output } = machine
  const before = output.get(field.name)
  if (field.join !== null) {
    if (typeof value !== 'string') {
      const got = className(value)
      throw new TemplateRaise(
        'join-non-string',
        `Field '${field.name}': 'join' requires each match to parse to a string, got ${got}.`,
      )
    }
    output.set(field.name, before === undefined || before === null ? value : joined(before, field.join, value))
  } else if (field.isRepeated) {
    if (before === undefined) output.set(field.name, [value])
    else if (isList(before)) appendTo(before, value)
    else {
      const got = className(before)
      throw new TemplateRaise('repeat-default', `'${got}' object has no attribute 'append'`, 'AttributeError')
    }
  } else output.set(field.name, value)
}

function joined(before: PyValue, join: string, value: string): string {
  if (typeof before === 'string') return before + join + value
  throw new TemplateRaise('other', `unsupported operand type(s) for +: '${className(before)}' and 'str'`, 'TypeError')
}

/** Lists of an output are its own, or those of defaults that several replies share (see `readReply`). */
function appendTo(list: readonly PyValue[], value: PyValue): void {
  ;(list as PyValue[]).push(value)
}
