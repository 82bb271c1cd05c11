import type { IssueItem, IssueWeight } from '../reply/item.ts'

/** The codes of issues of replies that a grammar reads. */
export type GrammarIssueCode =
  | 'argument-in-value'
  | 'arguments-not-json'
  | 'arguments-not-object'
  | 'body-not-readable'
  | 'call-after-stop'
  | 'call-in-code'
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

/** What an issue says of every place where it arises. */
interface IssueKind {
  readonly weight: IssueWeight
  readonly says: string
}

/** The issues of replies that a grammar reads: how much each matters, and what it says. */
export const GRAMMAR_ISSUES: { readonly [Code in GrammarIssueCode]: IssueKind } = {
  'argument-in-value': {
    weight: 'harm',
    says: 'A value contains the opening tag of another argument of the tool: a closing tag is probably missing before it.',
  },
  'arguments-not-json': { weight: 'harm', says: 'The arguments are no JSON; they were handed on as they stand.' },
  'arguments-not-object': { weight: 'harm', says: 'The arguments are JSON, but no object.' },
  'body-not-readable': { weight: 'harm', says: 'No calls could be read here; the text was dropped.' },
  'call-after-stop': {
    weight: 'note',
    says: 'A call follows a marker that ends the turn: the model wrote the result before it itself. The call was dropped.',
  },
  'call-in-code': {
    weight: 'note',
    says: 'A call is in a fence of JSON, without the markers of the format: it was left as text.',
  },
  'call-in-text': { weight: 'note', says: 'This names a call, and is none: it was left as text.' },
  'call-in-thought': { weight: 'note', says: 'A call is in a thought that has no closing tag: it was left there.' },
  'call-without-arguments': { weight: 'harm', says: 'The call has no arguments; none were assumed.' },
  'call-without-name': { weight: 'harm', says: 'The call has no name that can be read; it was dropped.' },
  'call-not-closed': { weight: 'harm', says: 'The call ended without its closing marker.' },
  'calls-empty': { weight: 'note', says: 'A list of calls stands here, and none is in it.' },
  'calls-not-closed': { weight: 'note', says: 'The calls have no closing marker; more of them may have been cut.' },
  'calls-not-readable': { weight: 'harm', says: 'No calls could be read here; the text was left as it is.' },
  cut: { weight: 'harm', says: 'The reply ends here before it is complete.' },
  'head-not-readable': { weight: 'harm', says: 'The head of a message cannot be read; all of it was taken for text.' },
  'key-twice': { weight: 'note', says: 'The argument stands twice; the last value counts.' },
  'key-without-value': { weight: 'harm', says: 'An argument has no value; it was dropped.' },
  'line-feeds-missing': {
    weight: 'note',
    says: 'The format writes two line feeds before this marker; a server may have stripped them. The calls are read all the same.',
  },
  'marker-in-text': { weight: 'note', says: 'A marker of calls stands in the text, where it means nothing.' },
  'markers-missing': {
    weight: 'harm',
    says: 'No marker of the format stands in the reply; all of it was taken for text.',
  },
  'stop-token-left': { weight: 'note', says: 'A stop token was left in the reply; it ends there.' },
  'text-after-stop': { weight: 'note', says: 'Text behind a stop token was dropped.' },
  'text-dropped': { weight: 'harm', says: 'Text that does not belong here was dropped.' },
  'thought-not-closed': {
    weight: 'harm',
    says: 'The thought has no closing tag before these calls; they end it.',
  },
  'value-ends-in-marker': {
    weight: 'harm',
    says: 'A value ends in its own closing tag: the tag was probably written twice.',
  },
  'value-not-closed': {
    weight: 'harm',
    says: 'A value has no closing tag; it was read up to the end of the call.',
  },
  'value-not-json': { weight: 'harm', says: 'A value has to be JSON and is none; it was read as a text.' },
}

/** The longest piece of a reply that an issue quotes, in UTF-16 units. */
export const QUOTED = 60

/** The issue `code` about a place, of which `head` is the beginning. `detail` is a sentence about this place. */
export function grammarIssue(
  code: GrammarIssueCode,
  { start, end, head }: { readonly start: number; readonly end: number; readonly head: string },
  detail = '',
): IssueItem {
  const { weight, says } = GRAMMAR_ISSUES[code]
  const quoted = head.length > QUOTED ? `${head.slice(0, QUOTED - 1)}…` : head
  const place = end > start ? `${JSON.stringify(quoted)} at ${start}–${end}` : `at ${start}`
  return { kind: 'issue', code, weight, message: `${place}: ${says}${detail === '' ? '' : ` ${detail}`}`, start, end }
}
