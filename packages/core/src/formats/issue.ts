import type { Issue, IssueCode } from '../format.ts'
import type { Span } from './span.ts'

/** Takes down what a reader of the reply should know. Spans are offsets into the text that is being read. */
export type Note = (code: IssueCode, span: Span) => void

/** The longest piece of a text that a message quotes. */
export const MAX_QUOTE = 60

/** What happened, in one sentence; the quoted text and its position stand before it. */
const SENTENCES: { readonly [K in IssueCode]: string } = {
  'argument-list':
    'These arguments follow other arguments of the same call; they were read as one more call of the tool.',
  'arguments-not-json': 'The arguments are not JSON. They were handed on as they are.',
  'arguments-not-object': 'The arguments are not a JSON object. They were handed on all the same.',
  'call-at-start': 'A call at the very start of the text is not recognised. It needs a line before it.',
  'call-dropped': 'This call was dropped: only the first call of a reply counts, unless parallel calls are on.',
  'call-not-closed': 'The call is not closed. What was found of it so far was read; the rest may be cut off.',
  'call-not-json': 'The call is not JSON. Name and arguments were guessed from its text.',
  'call-not-strict-json': 'The call is JSON5, not JSON. It was read all the same.',
  'call-without-arguments': 'The call has no arguments.',
  'call-without-name': 'The call lacks a name or arguments and cannot be made.',
  'choice-not-supported': 'The format cannot force a tool. Use the choice "auto".',
  'empty-name': 'The name of the tool is empty.',
  'empty-reply': 'The reply is empty, and the reference fails on an empty reply.',
  'marker-removed': 'A marker, or the beginning of one, was removed from the end of the text.',
  'members-dropped': 'Members other than name and arguments were dropped.',
  'name-not-text': 'The name of the tool is not a text.',
  'partial-stop-word': 'The end of the text is a stop word without its last token and was removed.',
  'stop-word-in-text': 'A stop word stands in the text; the reply should have ended before it.',
  'text-after-call-dropped': 'Text after a call was dropped.',
  'text-dropped': 'Text was dropped.',
}

/** An issue with a message for people: which format, what text, where, what happened. */
export function issueAt(format: string, code: IssueCode, text: string, span: Span): Issue {
  const { start, end } = span
  return quotingIssue(format, code, { span, head: text.slice(start, Math.min(end, start + MAX_QUOTE)) })
}

/** A piece of a text of which only the beginning is at hand: all of it, or at least `MAX_QUOTE` characters. */
export interface Quoted {
  readonly span: Span
  readonly head: string
}

/** The issue that `issueAt` makes of the whole text. */
export function quotingIssue(format: string, code: IssueCode, { span: { start, end }, head }: Quoted): Issue {
  const quote = end > start ? `"${shorten(head, end - start)}" at ${start}–${end}` : `at ${start}`
  return { code, message: `${format}: ${quote}: ${SENTENCES[code]}`, start, end }
}

/** A piece of `length` characters that begins with `head`, at most 60 of them. */
function shorten(head: string, length: number): string {
  return length <= MAX_QUOTE ? head.slice(0, length) : `${head.slice(0, MAX_QUOTE - 1)}…`
}
