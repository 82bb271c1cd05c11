import type { IssueItem, IssueWeight } from '../reply/item.ts'

/** The codes of issues of replies that a grammar reads. */
export type GrammarIssueCode =
  | 'argument-in-value'
  | 'arguments-not-json'
  | 'arguments-not-object'
  | 'body-not-readable'
  | 'call-after-stop'
  | 'call-in-code'
  | 'call-in-quote'
  | 'call-in-text'
  | 'call-in-thought'
  | 'call-without-arguments'
  | 'call-without-name'
  | 'call-not-closed'
  | 'calls-empty'
  | 'calls-not-closed'
  | 'calls-not-readable'
  | 'cut'
  | 'head-not-readable'
  | 'key-twice'
  | 'key-without-value'
  | 'line-feeds-missing'
  | 'marker-in-text'
  | 'markers-missing'
  | 'stop-token-left'
  | 'text-after-stop'
  | 'text-dropped'
  | 'thought-not-closed'
  | 'value-ends-in-marker'
  | 'value-not-closed'
  | 'value-not-json'

/** How much an issue matters, and what it says. */
interface IssueKind {
  readonly weight: IssueWeight
  readonly message: string
}

/** The issues of replies that a grammar reads. */
export const GRAMMAR_ISSUES: { readonly [Code in GrammarIssueCode]: IssueKind } = {
  'argument-in-value': {
    weight: 'harm',
    message:
      'A value contains the opening tag of another argument of the tool: a closing tag is probably missing before it.',
  },
  'arguments-not-json': { weight: 'harm', message: 'The arguments are not JSON; they are passed on as written.' },
  'arguments-not-object': { weight: 'harm', message: 'The arguments are JSON, but not an object.' },
  'body-not-readable': { weight: 'harm', message: 'No calls could be read here; the text was dropped.' },
  'call-after-stop': {
    weight: 'note',
    message:
      'A call follows a marker that ends the turn: the model wrote the result before it itself. The call was dropped.',
  },
  'call-in-code': { weight: 'note', message: 'A call is in code.' },
  'call-in-quote': { weight: 'note', message: 'A call is in a quote.' },
  'call-in-text': { weight: 'note', message: 'This looks like a call but is not one; it stays text.' },
  'call-in-thought': {
    weight: 'note',
    message: 'A call is in a thought that has no closing tag; it is part of the thought.',
  },
  'call-without-arguments': { weight: 'harm', message: 'The call has no arguments; an empty object is assumed.' },
  'call-without-name': { weight: 'harm', message: 'The call has no readable name; it was dropped.' },
  'call-not-closed': { weight: 'harm', message: 'The call ended without its closing marker.' },
  'calls-empty': { weight: 'note', message: 'The list of calls is empty.' },
  'calls-not-closed': { weight: 'note', message: 'The calls have no closing marker; more of them may have been cut.' },
  'calls-not-readable': { weight: 'harm', message: 'No calls could be read here; the text was left as it is.' },
  cut: { weight: 'harm', message: 'The reply ends here before it is complete.' },
  'head-not-readable': { weight: 'harm', message: 'The head of a message cannot be read; all of it is read as text.' },
  'key-twice': { weight: 'note', message: 'The argument appears twice; the last value counts.' },
  'key-without-value': { weight: 'harm', message: 'An argument has no value; it was dropped.' },
  'line-feeds-missing': {
    weight: 'note',
    message:
      'The format writes two line feeds before this marker; a server may have removed them. The calls are read anyway.',
  },
  'marker-in-text': { weight: 'note', message: 'A marker of calls appears in the text, where it has no meaning.' },
  'markers-missing': {
    weight: 'harm',
    message: 'The reply contains no marker of the format; all of it is read as text.',
  },
  'stop-token-left': { weight: 'note', message: 'A stop token was left in the reply, which ends there.' },
  'text-after-stop': { weight: 'note', message: 'Text after a stop token was dropped.' },
  'text-dropped': { weight: 'harm', message: 'Text that does not belong here was dropped.' },
  'thought-not-closed': {
    weight: 'harm',
    message: 'The thought has no closing tag before these calls; they end it.',
  },
  'value-ends-in-marker': {
    weight: 'harm',
    message: 'A value ends in its own closing tag: the tag was probably written twice.',
  },
  'value-not-closed': {
    weight: 'harm',
    message: 'A value has no closing tag; it was read up to the end of the call.',
  },
  'value-not-json': { weight: 'harm', message: 'A value must be JSON and is not; it is read as a string.' },
}

/** The longest piece of a reply that an issue quotes, in UTF-16 units. */
export const QUOTED = 60

/** The issue `code` about a place, of which `head` is the beginning. `detail` is a sentence about this place. */
export function grammarIssue(
  code: GrammarIssueCode,
  { start, end, head }: { readonly start: number; readonly end: number; readonly head: string },
  detail = '',
): IssueItem {
  const { weight, message } = GRAMMAR_ISSUES[code]
  const quoted = head.length > QUOTED ? `${head.slice(0, QUOTED - 1)}…` : head
  const place = end > start ? `${JSON.stringify(quoted)} at ${start}–${end}` : `at ${start}`
  return {
    kind: 'issue',
    code,
    weight,
    message: `${place}: ${message}${detail === '' ? '' : ` ${detail}`}`,
    start,
    end,
  }
}

/** A key or a name as a message quotes it. */
export function shortText(text: string): string {
  return JSON.stringify(text.length > QUOTED ? `${text.slice(0, QUOTED - 1)}…` : text)
}
