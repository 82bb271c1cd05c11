import type { AssistantMessage, Issue, IssueCode } from '../../format.ts'
import type { FunctionCall } from '../../messages/message.ts'
import type { Profile } from '../../profile.ts'
import type { PyDict } from '@callspec/python'
import { isSpace, Raise } from '@callspec/python'
import { MAX_QUOTE, quotingIssue } from '../issue.ts'
import { hasNonSpace } from '../span.ts'
import type { Span } from '../span.ts'
import { bodyOf, guessCall, newOpenCall, readOn } from './open-call.ts'
import type { OpenCall } from './open-call.ts'
import { readCallBody } from './read-call.ts'
import { TOOL_CALL_OPEN } from './tokens.ts'

/** How calls are read. */
export interface CallReading {
  readonly profile: Profile
  readonly codeMode: boolean
  readonly examined: (characters: number) => void
}

/**
 * The part of a reply in which calls are looked for, read as far as it has come: what `readText` of `parse` does, in
 * steps. Offsets are those of the reply.
 */
export interface Region {
  /** What is known of the calls, apart from the one that is being written. */
  messages: AssistantMessage[]
  issues: Issue[]
  /** The number of the next call, and the `extra` that has it; one for all snapshots, for making maps takes long. */
  nextId: number
  extra: PyDict | null
  /** The thought before the region; empty where there is none. */
  readonly thought: string
  /** Text that is not in a message yet; null where there is none. */
  kept: string | null
  piece: Piece
}

/** Which piece is being written. */
type Piece =
  /**
   * Before the first call.
   *
   *   > Let me look.
   *                 ^   of white space alone there is no message once a call follows
   */
  | { readonly kind: 'text'; hasNonSpace: boolean }
  /**
   * Between the tags of a call.
   *
   *   > <tool_call>\n{"name": "clock", "argu
   *                                         ^   should the reply end here, name and arguments are guessed
   *   > <tool_call>\n{"name": "a"}\n<tool_call>
   *                                            ^   another one ends it as the end of the reply does
   */
  | { readonly kind: 'call'; readonly open: number; readonly call: OpenCall }
  /**
   * Behind the end of a call.
   *
   *   > <tool_call>{"name": "clock", "arguments": {}}</tool_call> There you
   *                                                                        ^   the reference drops it
   */
  | Tail
  /**
   * Behind a call on which the reference raises, in the versions that do: it reads nothing more.
   *
   *   > <tool_call>{"a": 1}</tool_call>
   *                                    ^   KeyError: no name
   */
  | { readonly kind: 'raised'; readonly raise: Raise }

/** What stands behind the end of a call. */
interface Tail {
  readonly kind: 'tail'
  /** From its first character that is no white space to its last; null as long as there is none. */
  extent: Span | null
  /** The beginning of that text, as long as issues quote. */
  head: string
}

/** The region behind a thought, or the whole reply. */
export function newRegion(thought: string): Region {
  return {
    messages: [],
    issues: [],
    nextId: 1,
    extra: null,
    thought,
    kept: null,
    piece: { kind: 'text', hasNonSpace: false },
  }
}

/** A region that can go on without changing this one. */
export function copyOf(region: Region): Region {
  const { piece } = region
  return {
    ...region,
    messages: [...region.messages],
    issues: [...region.issues],
    piece: piece.kind === 'call' ? { ...piece, call: { ...piece.call } } : { ...piece },
  }
}

/**
 * Adds text without a tag to the piece that is being written.
 *
 *   > <tool_call>{"name": "clock"
 *                         ^      ^   to the call, which looks at it when somebody asks
 */
export function addText(region: Region, text: string, at: number): void {
  const { piece } = region
  if (piece.kind === 'call') piece.call.unread += text
  else if (piece.kind === 'tail') growTail(piece, text, at)
  else if (piece.kind === 'text' && !piece.hasNonSpace)
    piece.hasNonSpace = hasNonSpace(text, { start: 0, end: text.length })
}

/**
 * Begins a call at `open`; `before` is the reply up to there.
 *
 *   > Let me look.<tool_call>
 *                 ^             the text before it is kept for a message, which comes with the call
 *   > \n<tool_call>
 *       ^             white space alone is none
 */
export function beginCall(
  region: Region,
  open: number,
  { before, reading }: { before: string; reading: CallReading },
): void {
  const { piece } = region
  if (piece.kind === 'raised') return
  if (piece.kind === 'text') region.kept = piece.hasNonSpace ? before : emptyAsNull(region.thought)
  endPiece(region, { end: open, rest: '', reading })
  region.piece = { kind: 'call', open, call: newOpenCall() }
  if (reading.profile.functionIds) region.extra ??= new Map().set('function_id', String(region.nextId))
}

/**
 * Ends the call that is being written at `close`, where its closing tag begins.
 *
 *   > <tool_call>{"name": "noon", "arguments": {}}</tool_call>
 *                                                 ^              a call is read, or it raises
 */
export function endCall(region: Region, close: number, reading: CallReading): void {
  const { piece } = region
  if (piece.kind !== 'call') return
  const body = bodyOf(piece.call)
  const span = { start: piece.open + TOOL_CALL_OPEN.length, end: close }
  const note = (code: IssueCode, at: Span): void => {
    region.issues.push(quotingIssue('nous', code, { span: at, head: body.slice(0, MAX_QUOTE) }))
  }
  reading.examined(PASSES * body.length)
  flush(region, reading)
  region.piece = { kind: 'tail', extent: null, head: '' }
  try {
    const call = readCallBody(body, span, { ...reading, note })
    if (call !== null) emitCall(region, call)
  } catch (error) {
    if (!(error instanceof Raise)) throw error
    region.piece = { kind: 'raised', raise: error }
  }
}

/** Ends the region at `end`, with `rest`, the beginning of a tag, as its last text. */
export function endRegion(region: Region, { end, rest, reading }: PieceEnd): void {
  endPiece(region, { end, rest, reading })
  if (region.piece.kind !== 'raised') flush(region, reading)
}

interface PieceEnd {
  readonly end: number
  readonly rest: string
  readonly reading: CallReading
}

/**
 * Ends a tail with its issue, and a call that was never closed with what can be guessed of it; other pieces need no end.
 *
 *   > <tool_call>{"name": "a", "arg
 *                                  ^   a call `a`, its arguments empty
 *   > <tool_call> \n
 *                   ^   no call: there is nothing to guess from
 */
function endPiece(region: Region, { end, rest, reading }: PieceEnd): void {
  const { piece } = region
  if (piece.kind === 'tail') noteTail(region, piece, { start: end - rest.length, end }, rest)
  if (piece.kind !== 'call') return
  const { open, call } = piece
  reading.examined(readOn(call))
  const head = (TOOL_CALL_OPEN + call.start + rest).slice(0, MAX_QUOTE)
  region.issues.push(quotingIssue('nous', 'call-not-closed', { span: { start: open, end }, head }))
  if (!call.hasNonSpace && rest === '') return
  const guess = guessCall(call, rest)
  if (guess.name === '') return
  flush(region, reading)
  emitCall(region, guess)
}

function noteTail(region: Region, tail: Tail, span: Span, rest: string): void {
  const grown: Tail = { ...tail }
  if (rest !== '') growTail(grown, rest, span.start)
  if (grown.extent === null) return
  region.issues.push(quotingIssue('nous', 'text-after-call-dropped', { span: grown.extent, head: grown.head }))
}

/**
 * White space at the edges of a tail is nothing that was dropped.
 *
 *   > </tool_call> \n There.
 *                     ^   the extent begins at the T
 */
function growTail(tail: Tail, text: string, at: number): void {
  let from = 0
  if (tail.extent === null) {
    while (from < text.length && isSpace(text.charCodeAt(from))) from++
    if (from === text.length) return
  }
  if (tail.head.length < MAX_QUOTE) tail.head += text.slice(from, from + MAX_QUOTE)
  let end = text.length
  while (end > from && isSpace(text.charCodeAt(end - 1))) end--
  if (end > from) tail.extent = { start: tail.extent?.start ?? at + from, end: at + end }
}

function emitCall(region: Region, call: FunctionCall): void {
  const { extra } = region
  // Written out, because copying a message with `...` takes longer than finding the call.
  if (extra === null) region.messages.push({ role: 'assistant', content: '', function_call: call })
  else region.messages.push({ role: 'assistant', content: '', function_call: call, extra })
  region.extra = null
  region.nextId++
}

function flush(region: Region, { profile }: CallReading): void {
  if (region.kept !== null) region.messages.push(textMessage(region.kept, profile))
  region.kept = null
}

/** A text of the reply as a message. */
export function textMessage(content: string, { functionIds }: Profile): AssistantMessage {
  return functionIds ? { role: 'assistant', content, extra: new Map() } : { role: 'assistant', content }
}

function emptyAsNull(text: string): string | null {
  return text === '' ? null : text
}

/** How often the body of a call is gone through at most, from stripping it to printing its arguments. */
const PASSES = 12
