import { comparable, compareAnswers } from '@callspec/conformance'
import type { ActualAnswer, Difference, ExpectedAnswer } from '@callspec/conformance'
import { formats } from '@callspec/core/qwen-agent'
import { fromPlain, isDict, isList } from '@callspec/python'
import type { FormatName, ParseOptions, ParseOutcome, PromptFormat } from '@callspec/core/qwen-agent'
import type { PlainValue, PyDict, PyValue } from '@callspec/python'

import type { MatcherResult } from './explain.ts'
import { matched, inputLine, issueLine } from './explain.ts'

/** A call as a test expects it; arguments as a value, or as the text of one. */
export interface ExpectedCall {
  readonly name: string
  readonly arguments: unknown
}

/**
 * What a text is expected to mean: its calls; or prose, reasoning and calls, of which only those given are compared; or
 * everything in order; or that it is rejected. An outcome of `parse` is one of these.
 */
export type ExpectedReading =
  | readonly ExpectedCall[]
  | { readonly content?: string; readonly reasoning?: string; readonly calls?: readonly ExpectedCall[] }
  | { readonly items: readonly ({ readonly type: 'text' | 'reasoning'; readonly text: string } | ExpectedItemCall)[] }
  | { readonly kind: 'rejected' }
  | ParseOutcome

/** A call among `items`. */
export interface ExpectedItemCall extends ExpectedCall {
  readonly type: 'call'
}

/** How a text is read; `profile` is `strict` unless given. */
export type ReadingOptions = Omit<ParseOptions, 'profile'> & { readonly profile?: string }

/**
 * Whether a text of a model means, in a format, what is expected. Without a profile the meaning counts: white space at
 * the ends of texts and the spelling of arguments do not. With the profile of a version every character does.
 *
 * @throws TypeError for what is no text, no format or no reading
 */
export function toParseAs(
  received: unknown,
  format: FormatName | PromptFormat,
  expected: ExpectedReading,
  options: ReadingOptions = {},
): MatcherResult {
  if (typeof received !== 'string') throw new TypeError('toParseAs: the received value is not a text.')
  const { profile = 'strict', ...rest } = options
  const { id, parse } = promptFormat(format)
  const outcome = parse(received, profile === 'strict' ? rest : { ...rest, profile })
  const what = {
    is: `${id} reads the text as it was not expected to`,
    isNot: `${id} reads the text otherwise than expected`,
    about: [...inputLine(received), ...issuesIn(outcome).map(issueLine)],
  }
  return matched(what, readingDifference(expected, outcome, profile))
}

/** The first ones: a broken text has many. */
function issuesIn(outcome: ParseOutcome): readonly { readonly code: string; readonly message: string }[] {
  return outcome.kind === 'rejected' ? [outcome.issue] : outcome.issues.slice(0, 3)
}

function promptFormat(format: FormatName | PromptFormat): PromptFormat {
  if (typeof format !== 'string') return format
  if (Object.hasOwn(formats, format)) return formats[format]
  throw new TypeError(`toParseAs: unknown format "${format}". Known formats: ${Object.keys(formats).join(', ')}.`)
}

function readingDifference(expected: ExpectedReading, outcome: ParseOutcome, profile: string): Difference | null {
  const topic = { op: 'parse', profile }
  const found = actualAnswer(outcome)
  const [, actual] = found.kind === 'returned' ? comparable(topic, [found, found]) : [null, found]
  if (isCalls(expected) && actual.kind === 'returned') {
    // Only the calls count, and they are counted alone.
    const calls = readingItems(actual.value).filter((item) => item.get('type') === 'call')
    const difference = compareAnswers(...comparable(topic, [flat({ calls: expected }), returned('items', calls)]))
    return difference === null ? null : { ...difference, path: difference.path.replace(/^items/, () => 'calls') }
  }
  const wanted = isCalls(expected) ? flat({ calls: expected }) : wantedAnswer(expected, actual)
  return compareAnswers(...comparable(topic, [wanted, found]))
}

function isCalls(expected: ExpectedReading): expected is readonly ExpectedCall[] {
  return Array.isArray(expected)
}

type Returned = Extract<ActualAnswer, { readonly kind: 'returned' }>

/** What is not given is taken from the answer. */
function wantedAnswer(
  expected: Exclude<ExpectedReading, readonly ExpectedCall[]>,
  actual: ActualAnswer,
): ExpectedAnswer {
  if ('kind' in expected) {
    return expected.kind === 'rejected'
      ? { kind: 'raised', error: dict({ type: 'rejected', message: '' }) }
      : { kind: 'returned', value: parsedReading(expected) }
  }
  if ('items' in expected) return { kind: 'returned', value: dict({ items: expected.items }) }
  const unknown = Object.keys(expected).find((key) => !['content', 'reasoning', 'calls'].includes(key))
  if (unknown !== undefined) {
    throw new TypeError(`toParseAs: "${unknown}" is no part of a reading. Known: content, reasoning, calls, items.`)
  }
  const items = actual.kind === 'returned' ? readingItems(actual.value) : []
  const text = (type: string): string =>
    items.flatMap((item) => (item.get('type') === type ? [item.get('text')] : [])).join('')
  return flat({
    content: expected.content ?? text('text'),
    reasoning: expected.reasoning ?? text('reasoning'),
    calls: expected.calls ?? items.filter((item) => item.get('type') === 'call'),
  })
}

function actualAnswer(outcome: ParseOutcome): ActualAnswer {
  if (outcome.kind === 'rejected') return { kind: 'raised', error: outcome.error }
  return { kind: 'returned', value: parsedReading(outcome) }
}

function parsedReading(outcome: Extract<ParseOutcome, { readonly kind: 'parsed' }>): PyDict {
  const items = outcome.messages.flatMap(({ content, reasoning_content: reasoning, function_call: call }) => [
    ...(typeof reasoning === 'string' ? [{ type: 'reasoning', text: reasoning }] : []),
    { type: 'text', text: content },
    ...(call ? [{ type: 'call', name: call.name, arguments: call.arguments }] : []),
  ])
  return dict({ items })
}

function flat(members: object): Returned {
  return { kind: 'returned', value: dict(members) }
}

function returned(key: string, value: PyValue): Returned {
  return { kind: 'returned', value: new Map([[key, value]]) }
}

function dict(value: object): PyDict {
  return new Map(Object.entries(value).map(([key, item]) => [key, fromPlain(item as PlainValue)]))
}

function readingItems(value: PyValue): readonly PyDict[] {
  const items = isDict(value) ? value.get('items') : null
  return isList(items) ? items.filter(isDict) : []
}
