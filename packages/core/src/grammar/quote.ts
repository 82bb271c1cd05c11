import type { ReplyEvent } from '../reply/event.ts'

/** Whether the text so far has opened code or a quotation, in the signs of Markdown. */
export interface QuoteWatch {
  /** The present line of text. */
  line: string
  /** How many back-ticks opened the span of code that is open in the line; 0 for none. */
  span: number
  /** How many back-ticks the text ends in: further ones belong to the same run. */
  run: number
  /** Whether a fence is open. */
  fence: boolean
  /** The note about the last call: how it is only shown; null for a call in prose. */
  shown: 'call-in-code' | 'call-in-quote' | null
}

/** Takes an event of a reply. Linear in the text, in one piece or in many. */
export function watchEvent(watch: QuoteWatch, event: ReplyEvent): void {
  if (event.kind === 'text') for (const [piece] of event.text.matchAll(/`+|\n|[^`\n]+/g)) watchPiece(watch, piece)
  if (event.kind !== 'call') return
  const { fence } = watch
  // What follows the call begins a line, in the same span.
  watchPiece(watch, '')
  const { span, line } = watch
  watchPiece(watch, '\n')
  if (fence === watch.fence) watch.span = span
  watch.shown = watch.fence || watch.span > 0 ? 'call-in-code' : /^ *>/.test(line) ? 'call-in-quote' : null
}

/** Takes a run of back-ticks, a line feed, or text without either. A span ends with a run of the length that opened it. */
function watchPiece(watch: QuoteWatch, piece: string): void {
  const { run, span, line } = watch
  if (piece.startsWith('`')) watch.run += piece.length
  else {
    watch.span = span === 0 ? run : span === run ? 0 : span
    watch.run = 0
  }
  watch.line += piece
  if (piece === '\n') {
    watch.fence = watch.fence !== /^[ >]*(```|~~~)/.test(line)
    watch.line = ''
    watch.span = 0
  }
}
