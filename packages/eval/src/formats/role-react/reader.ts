import type { CallBlock, Reading, Repair } from '../../reading/call-block.ts'
import { NO_CALL, unreadableCall } from '../../reading/call-block.ts'
import { readBlocksLenient, readBlocksStrict } from '../../reading/read-blocks.ts'
import type { FormatReader } from '../eval-format.ts'
import type { TurnQuestion } from '../../trace/trace.ts'

/**
 * A reply to the state prompt as the reference reads it strictly: one digit that is a state, or -1. More digits are
 * read one by one there, so they are no number. The chosen state is a call of its tool, without arguments yet.
 */
export function readStateStrict(text: string, states: readonly string[]): Reading {
  const body = text.trim()
  return /^-?[0-9]$/.test(body) ? chosen(body, states, []) : unreadableCall('no single state number')
}

/** The same with repairs: a number with words around it, full-width signs, the name of a state instead of its number. */
export function readStateLenient(text: string, states: readonly string[]): Reading {
  const body = text.trim()
  const ascii = body.replaceAll(FULL_WIDTH, (sign) => ASCII_FORMS.get(sign) ?? sign)
  const numbers = new Set(Array.from(ascii.matchAll(STATE_NUMBER), ([number]) => number))
  const [number] = numbers
  const fullWidth: readonly Repair[] = ascii === body ? [] : ['full-width']
  if (numbers.size === 1 && number !== undefined) {
    const around: readonly Repair[] = ascii === number ? [] : ['surrounding-text']
    return chosen(number, states, [...fullWidth, ...around])
  }
  const named = numbers.size === 0 ? states.indexOf(withoutDecoration(body)) : -1
  return named < 0 ? unreadableCall('no single state number') : chosen(String(named), states, ['state-name'])
}

/** Without quotation marks and stars around it, and without a full stop. Linear: a regular expression ending in `+$` is not. */
function withoutDecoration(body: string): string {
  let [start, end] = [0, body.length]
  while (start < end && `"'\`*`.includes(body.charAt(start))) start += 1
  while (end > start && `"'\`*.。`.includes(body.charAt(end - 1))) end -= 1
  return body.slice(start, end)
}

/** A number by itself: not a part of a word, of a longer number, or of `stage-2`, where the hyphen may be a minus or none. */
const STATE_NUMBER = /(?<![\w.-])-?[0-9]+(?!\w|\.[0-9])/g

const FULL_WIDTH = /[０-９－−]/g

const ASCII_FORMS: ReadonlyMap<string, string> = new Map([
  ...Array.from('０１２３４５６７８９', (digit, value) => [digit, String(value)] as const),
  ['－', '-'],
  ['−', '-'],
])

/** A number that is no state is the call of a tool that was not offered; its name is the number. */
function chosen(number: string, states: readonly string[], repairs: readonly Repair[]): Reading {
  if (number === '-1') return { intent: true, calls: [], repairs, problem: null, isEnd: true }
  const name = /^[0-9]+$/.test(number) ? states[Number(number)] : undefined
  return { intent: true, calls: [{ name: name ?? number, args: null }], repairs, problem: null }
}

/** A number, then arguments, then the answer: each reply is read as what it was asked for. */
export const roleReactReader: FormatReader = {
  readStrict: (text, question) => {
    if (asksForAnswer(question) || text.trim() === '') return NO_CALL
    if (question.kind === 'state') return readStateStrict(text, question.states)
    return readBlocksStrict([block(question.tool, text, [])], () => null)
  },
  readLenient: (text, question) => {
    if (asksForAnswer(question) || text.trim() === '') return NO_CALL
    if (question.kind === 'state') return readStateLenient(text, question.states)
    return readArgumentsLenient(text, question.tool)
  },
  // Neither a number nor an object has marks of its own, so no other format's reply can be taken for one.
  blocks: () => [],
  speaks: () => false,
  hostMarks: [],
  stopWords: [],
  inventsResult: (text, question) => !asksForAnswer(question) && /(?:^|\n)Result: \S/.test(text),
  hasFinalForm: (text, question) => asksForAnswer(question) && text.trim() !== '',
  finalText: (text, question) => (asksForAnswer(question) ? text : ''),
  saysWhenDone: true,
  flagsProse: { before: false, after: false },
}

/** A reply without a recorded question is free text. */
function asksForAnswer(question: TurnQuestion | null): question is Extract<TurnQuestion, { kind: 'answer' }> | null {
  return question === null || question.kind === 'answer'
}

/** The object by itself, or the one that begins somewhere in the text. */
function readArgumentsLenient(text: string, tool: string): Reading {
  const whole = readBlocksLenient([block(tool, text, [])], () => null)
  const start = text.indexOf('{')
  if (whole.calls !== null || start < 0 || text.slice(0, start).trim() === '') return whole
  const inside = readBlocksLenient([block(tool, text.slice(start), ['surrounding-text'])], () => null)
  return inside.calls === null ? whole : inside
}

function block(name: string, json: string, repairs: readonly Repair[]): CallBlock {
  return { name, json: json.trim(), repairs, start: 0, end: json.length }
}
