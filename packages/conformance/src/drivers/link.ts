import type { PyDict } from '@callspec/python'
import { MAX_RAW } from '../implementation.ts'
import { ProtocolError, readMessage } from '../protocol/messages.ts'
import { shortened } from '../visible.ts'
import { exitText, lastWords, startGroup } from './process-group.ts'

/** Something that happened on the line to a process. */
export type LinkEvent =
  | { readonly kind: 'message'; readonly message: PyDict; readonly raw: string }
  /** A line that is not a message. The process may still answer. */
  | { readonly kind: 'rubbish'; readonly reason: string; readonly raw: string }
  /** Nothing will come any more. */
  | { readonly kind: 'lost'; readonly reason: string }
  /** Nothing came in time. */
  | { readonly kind: 'silence' }

/** A process that is talked to in lines. */
export interface Link {
  send(line: string): void
  /** The next event; `silence` when there is none before `deadline` (`performance.now()`). */
  next(deadline: number): Promise<LinkEvent>
  /** Takes the next event if it is there already and `isWanted`. */
  takeIf(isWanted: (event: LinkEvent) => boolean): boolean
  /** The end of its stderr on one line, or an empty text. */
  lastWords(): string
  /** Closes its input and gives it a moment to end; then ends it. */
  end(): Promise<void>
  /** Ends it at once. */
  kill(): void
}

/** The longest line that is taken into memory. */
const MAX_LINE_BYTES: number = 16 * 1024 * 1024

/** So many lines may come unasked before the process is given up. */
const MAX_PENDING = 100

/** So long a process may take to end after its input was closed. */
const GRACE_MS = 1000

/** Starts a command and reads its stdout line by line. */
export function openLink(command: string): Link {
  const group = startGroup(command)
  const pending: LinkEvent[] = []
  let waiting: ((event: LinkEvent) => void) | null = null
  let lost: LinkEvent | null = null
  const emit = (event: LinkEvent): void => {
    if (lost !== null) return
    if (event.kind === 'lost') lost = event
    if (waiting === null) pending.push(event)
    else waiting(event)
    if (pending.length > MAX_PENDING) lose(`wrote more than ${MAX_PENDING} lines that nobody asked for`)
  }
  const lose = (reason: string): void => {
    emit({ kind: 'lost', reason })
    group.kill()
  }
  const split = createLineSplitter(
    { line: (bytes) => emit(eventOf(bytes)), tooLong: () => lose(`wrote a line of more than ${MAX_LINE_BYTES} bytes`) },
    MAX_LINE_BYTES,
  )
  group.stdout.on('data', split)
  group.stdout.on('error', () => undefined)
  const ended = group.ended.then((exit) => lose(exitText(exit)))
  const next = (deadline: number): Promise<LinkEvent> => {
    const first = pending.shift() ?? lost
    if (first !== null) return Promise.resolve(first)
    return new Promise((settle) => {
      const done = (event: LinkEvent): void => {
        clearTimeout(timer)
        waiting = null
        settle(event)
      }
      const timer = setTimeout(() => done({ kind: 'silence' }), Math.max(0, deadline - performance.now()))
      waiting = done
    })
  }
  return {
    send: (line) => group.stdin.write(`${line}\n`),
    next,
    takeIf: (isWanted) => {
      const [first] = pending
      if (first === undefined || !isWanted(first)) return false
      pending.shift()
      return true
    },
    lastWords: () => lastWords(group.stderrTail()),
    kill: group.kill,
    end: async () => {
      group.stdin.end()
      await Promise.race([ended, new Promise((settle) => setTimeout(settle, GRACE_MS).unref())])
      group.kill()
    },
  }
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function eventOf(bytes: Buffer): LinkEvent {
  let text: string
  try {
    text = UTF_8.decode(bytes)
  } catch {
    const raw = shortened(bytes.toString(), MAX_RAW)
    return { kind: 'rubbish', reason: 'wrote a line that is not UTF-8 to stdout', raw }
  }
  try {
    return { kind: 'message', message: readMessage(text), raw: shortened(text, MAX_RAW) }
  } catch (error) {
    if (error instanceof ProtocolError) return { kind: 'rubbish', reason: error.message, raw: shortened(text, MAX_RAW) }
    throw error
  }
}

const LINE_FEED = 0x0a

/** Where the lines of a stream go. */
export interface LineSink {
  /** One line without its line feed, as bytes. */
  line(bytes: Buffer): void
  /** A line has become longer than the limit. Nothing more comes after this. */
  tooLong(): void
}

/** Cuts chunks at line feeds; holds at most `limit` bytes of a line that is not over. */
export function createLineSplitter(sink: LineSink, limit: number): (chunk: Buffer) => void {
  let pieces: Buffer[] = []
  let held = 0
  let isOver = false
  const take = (piece: Buffer): void => {
    held += piece.length
    isOver = held > limit
    if (isOver) pieces = []
    else pieces.push(piece)
  }
  return (chunk) => {
    let start = 0
    while (!isOver) {
      const end = chunk.indexOf(LINE_FEED, start)
      take(chunk.subarray(start, end === -1 ? chunk.length : end))
      if (isOver || end === -1) break
      const line = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces)
      pieces = []
      held = 0
      start = end + 1
      sink.line(line)
    }
    if (isOver && held > 0) {
      held = 0
      sink.tooLong()
    }
  }
}
