import { afterSpace, beforeSpace, dumps, standardKind, str } from '@callspec/python'
import type { Grammar, GrammarState, Transitions } from '../../grammar/grammar.ts'
import { jsonNumber } from '../../grammar/values.ts'
import { membersText } from '../../conversation/value-notation.ts'
import type { ItemSpelling } from '../../format/format.ts'

/** The special tokens in which the models of the family differ. */
interface GemmaMarks {
  /** Around a call. */
  readonly open: string
  readonly close: string
  /** On both sides of every string. */
  readonly quote: string
  /** Around a thought with its name; null without thoughts. */
  readonly thought: { readonly open: string; readonly close: string } | null
  readonly end: string
  /** What begins a result, and hands over to the tools. */
  readonly handOver: string
}

/** Gemma 4. */
export const GEMMA_4: GemmaMarks = {
  open: '<|tool_call>',
  close: '<tool_call|>',
  quote: '<|"|>',
  thought: { open: '<|channel>', close: '<channel|>' },
  end: '<turn|>',
  handOver: '<|tool_response>',
}

export const FUNCTION_GEMMA: GemmaMarks = {
  open: '<start_function_call>',
  close: '<end_function_call>',
  quote: '<escape>',
  thought: null,
  end: '<end_of_turn>',
  handOver: '<start_function_response>',
}

/** How replies are read: the same for all of the family, in marks of their own. */
export function grammarOf({ open, close, quote, thought, end, handOver }: GemmaMarks): Grammar {
  const opens: Transitions = { [open]: { to: 'call', opens: true } }
  const closes: Transitions = { [close]: { to: 'text', closes: true }, ...opens }
  const ends: Transitions = { [close]: { to: 'text', interrupts: true }, ...opens }
  return {
    start: 'text',
    ...(thought === null ? {} : { thought: 'thought' }),
    stops: [end, handOver],
    common: ['call:', 'thought\n'],
    states: {
      // > Let me look.<|tool_call>call:f{}<tool_call|>
      //   ^
      text: { kind: 'text', transitions: { ...opens, ...(thought === null ? {} : { [thought.open]: 'channel' }) } },
      ...(thought === null ? {} : channelStates(thought.close)),
      // > <|tool_call>call:f{}<tool_call|>
      //               ^
      call: { kind: 'nothing', transitions: { 'call:': 'name', ...closes } },
      // > <|tool_call>call:clock{}<tool_call|>
      //                    ^
      name: { kind: 'name', transitions: { '{': 'first', ...ends } },
      // > <|tool_call>call:clock{}<tool_call|>
      //                          ^    no arguments, or else a key
      first: { kind: 'nothing', transitions: { '}': 'end' }, fallback: 'key' },
      // > <|tool_call>call:clock{zone:<|"|>UTC<|"|>,hours:[12,24]}<tool_call|>
      //                          ^                  ^
      key: { kind: 'key', transitions: { ':': 'value', ',': 'key', '}': 'end', ...ends } },
      // > <|tool_call>call:clock{zone:<|"|>UTC<|"|>,hours:[12,24]}<tool_call|>
      //                               ^                   ^
      value: { kind: 'value', quote, transitions: { ',': 'key', '}': 'end', ...ends } },
      // > <|tool_call>call:clock{}<tool_call|>
      //                           ^
      end: { kind: 'nothing', transitions: closes },
    },
    readName: (text) => (/^[\p{L}\p{N}_.-]+$/u.test(text) ? { name: text, id: null } : null),
    readKey: (text) => withoutQuotes(text.slice(afterSpace(text)), quote),
    typeValue: (text) => jsonOfValue(text, quote),
  }
}

/** A thought is in a channel; a channel of another name is read as a thought, with its name. */
function channelStates(close: string): { readonly [name: string]: GrammarState } {
  const named: Transitions = { 'thought\n': 'thought', [close]: 'text' }
  return {
    // > <|channel>thought\n
    //             ^
    channel: { kind: 'nothing', mayBeTruncated: true, transitions: named, fallback: 'thought' },
    // > <|channel>thought\nEasy.\n<channel|>
    //                      ^
    thought: { kind: 'reasoning', isTrimmed: true, transitions: { [close]: 'text' } },
  }
}

/** Tools are declared with quoted keys, which models repeat. */
function withoutQuotes(key: string, quote: string): string {
  const isQuoted = key.length >= 2 * quote.length && key.startsWith(quote) && key.endsWith(quote)
  return isQuoted ? key.slice(quote.length, -quote.length) : key
}

/**
 * The JSON of a value as the models of the family write it; null for other text. Its pieces become pieces of JSON, and
 * the JSON that they make is checked as a whole, so that nesting may be deep.
 *
 *     {tags:[<|"|>a<|"|>,1],n:null}   is   {"tags": ["a", 1], "n": null}
 */
export function jsonOfValue(text: string, quote: string): string | null {
  // Most values are one string.
  const end = text.indexOf(quote, quote.length)
  if (text.startsWith(quote) && end === text.length - quote.length) return dumps(text.slice(quote.length, end))
  const parts = text.split(quote)
  const hasOpenString = parts.length % 2 === 0
  const json = hasOpenString ? null : jsonOfParts(parts)
  return json === null || standardKind(json) === 'none' ? null : json
}

/** `parts` are the text before the first string, that string, the text after it, and so on. Null for a word that is not a value. */
function jsonOfParts(parts: readonly string[]): string | null {
  let json = ''
  let before = ''
  for (const [index, part] of parts.entries()) {
    const isString = index % 2 === 1
    if (isString) [json, before] = [json + dumps(part), '']
    const pieces = isString ? [] : (part.match(SIGN_OR_WORD) ?? [])
    for (const [at, piece] of pieces.entries()) {
      const word = piece.slice(afterSpace(piece), beforeSpace(piece))
      if (word === '') continue
      const isKey = pieces[at + 1] === ':'
      const written = SIGNS.has(word) ? jsonOfSign(word, before) : isKey ? dumps(word) : scalarOf(word)
      if (written === null) return null
      json += written
      before = word
    }
  }
  return json
}

const SIGN_OR_WORD = /[{}[\],:]|[^{}[\],:]+/g
const SIGNS: ReadonlySet<string> = new Set('{}[],:')

function jsonOfSign(sign: string, before: string): string {
  if (sign === ',') return ', '
  if (sign !== ':') return sign
  // A key may be empty.
  return before === '{' || before === ',' ? '"": ' : ': '
}

/** The older template shows null as Python's `None`, and so models write it. */
function scalarOf(word: string): string | null {
  if (word === 'true' || word === 'false') return word
  if (word.length === 4 && /^(?:null|none)$/i.test(word)) return 'null'
  return jsonNumber(word)
}

/** How replies are spelt. */
export function spellingOf({ open, close, quote, thought }: GemmaMarks): ItemSpelling {
  const notation = {
    words: { null: 'null', true: 'true', false: 'false' },
    string: (text: string) => quote + text + quote,
    key: (key: string) => key,
    number: str,
    comma: ',',
    colon: ':',
  }
  return {
    ...(thought === null ? {} : { thought: { open: `${thought.open}thought\n`, close: `\n${thought.close}` } }),
    call: ({ name, arguments: text }, given) => {
      // Arguments that are not a map are written as they are.
      const isMap = given.size > 0 || standardKind(text) === 'object'
      return `${open}call:${name}{${isMap ? membersText(given, notation) : text}}${close}`
    },
  }
}
