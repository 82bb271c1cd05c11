import { NO_CALL } from '../../reading/call-block.ts'
import type { CallBlock, Reading, Repair } from '../../reading/call-block.ts'
import { readBlocksLenient, readBlocksStrict } from '../../reading/read-blocks.ts'
import type { FormatReader } from '../format-reader.ts'
import type { TurnQuestion } from '../../trace/question.ts'
import { readStateLenient, readStateStrict } from './read-state.ts'

/** A number, then arguments, then the answer: each reply is read as what it was asked for. */
export const roleReactReader: FormatReader = {
  readStrict: (text, question) => {
    if (isAnswer(question) || text.trim() === '') return NO_CALL
    if (question.kind === 'state') return readStateStrict(text, question.states)
    return readBlocksStrict([block(question.tool, text, [])], () => null)
  },
  readLenient: (text, question) => {
    if (isAnswer(question) || text.trim() === '') return NO_CALL
    if (question.kind === 'state') return readStateLenient(text, question.states)
    return readArgumentsLenient(text, question.tool)
  },
  // Neither a number nor an object has marks of its own, so no other format's reply can be taken for one.
  blocks: () => [],
  speaks: () => false,
  hostMarks: [],
  stopWords: [],
  inventsResult: (text, question) => !isAnswer(question) && /(?:^|\n)Result: \S/.test(text),
  hasFinalForm: (text, question) => isAnswer(question) && text.trim() !== '',
  finalText: (text, question) => (isAnswer(question) ? text : ''),
  saysWhenDone: true,
  flagsProse: { before: false, after: false },
}

/** A reply of which nobody says what it was asked for is free text. */
function isAnswer(question: TurnQuestion | null): question is Extract<TurnQuestion, { kind: 'answer' }> | null {
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
