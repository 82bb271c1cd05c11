import type { Issue, IssueCode } from '../format.ts'
import type { IssueItem, IssueWeight } from '../reply/item.ts'

/**
 * How much the issues of the formats of Qwen-Agent matter. Prose that the reference drops behind a call touches no call, and
 * neither do members that nobody asked for.
 */
const WEIGHTS: { readonly [Code in IssueCode]: IssueWeight } = {
  'argument-list': 'harm',
  'arguments-not-json': 'harm',
  'arguments-not-object': 'harm',
  'call-at-start': 'harm',
  'call-dropped': 'harm',
  'call-not-closed': 'harm',
  'call-not-json': 'harm',
  'call-not-strict-json': 'harm',
  'call-without-arguments': 'harm',
  'call-without-name': 'harm',
  'choice-not-supported': 'harm',
  'empty-name': 'harm',
  'empty-reply': 'note',
  'marker-removed': 'harm',
  'members-dropped': 'note',
  'name-not-text': 'harm',
  'partial-stop-word': 'note',
  'stop-word-in-text': 'note',
  'text-after-call-dropped': 'note',
  'text-dropped': 'harm',
}

const BY_CODE: ReadonlyMap<string, IssueWeight> = new Map(Object.entries(WEIGHTS))

/** An issue with its weight; a code that nobody knows, such as one of a user's format, is a harm. */
export function issueItem({ code, message, start, end }: Issue): IssueItem {
  return { kind: 'issue', weight: BY_CODE.get(code) ?? 'harm', code, message, start, end }
}
