import { dumps, isDict, isList } from '@callspec/python'
import type { PyValue } from '@callspec/python'

import { alternatives } from './alternatives.ts'
import type { ActualAnswer, ExpectedAnswer } from './answer.ts'
import type { Case } from './case.ts'
import type { Reply } from './implementation.ts'
import { comparable } from './normal-form.ts'
import { printJson } from './print-json.ts'

type Asked = Pick<Case, 'op' | 'format' | 'profile' | 'input' | 'expected'>

/** What is right, in the form in which answers are compared: a line per piece. Several right answers with `or` between. */
export function expectedText(item: Asked): string {
  return alternatives(item)
    .map((expected) => answerText(comparable(item, [expected, replyWith(expected)])[1]))
    .join('\nor\n')
}

/** What was answered, in the form in which answers are compared; null where nothing was. */
export function actualText(item: Asked, reply: Reply): string | null {
  if (reply.kind !== 'returned' && reply.kind !== 'raised') return null
  const [first = item.expected] = alternatives(item)
  return answerText(comparable(item, [first, reply])[1])
}

/** An expected answer as if somebody had given it. */
function replyWith(expected: ExpectedAnswer): ActualAnswer {
  if (expected.kind === 'returned') return expected
  return { kind: 'raised', error: { type: 'rejected', message: '' } }
}

function answerText(reply: ActualAnswer): string {
  if (reply.kind === 'raised') return reply.error.message === '' ? 'refused' : `refused: ${reply.error.message}`
  const { value } = reply
  if (!isDict(value)) return printJson(value).trimEnd()
  const text = value.get('text')
  if (value.size === 1 && typeof text === 'string') return text
  const items = value.get('items')
  const pieces = isList(items) ? items.map(pieceText) : [printJson(value).trimEnd()]
  return pieces.length === 0 ? 'nothing' : pieces.join('\n')
}

/** `text "…"`, `reasoning "…"` or `call clock({"zone": "UTC"})`, with the id where there is one. */
function pieceText(item: PyValue): string {
  if (!isDict(item)) return shown(item)
  const [type, text, id] = [item.get('type'), item.get('text'), item.get('id')]
  if (typeof text === 'string') return `${typeof type === 'string' ? type : 'text'} ${shown(text)}`
  const given = item.get('arguments') ?? null
  const called = `call ${String(item.get('name'))}(${typeof given === 'string' ? given : shown(inOrder(given))})`
  return typeof id === 'string' ? `${called} id ${id}` : called
}

/** The order of keys is not compared. What is nested deeper than people read stays as it is. */
function inOrder(value: PyValue, depth = 0): PyValue {
  if (depth > 50) return value
  if (isList(value)) return value.map((each) => inOrder(each, depth + 1))
  if (!isDict(value)) return value
  const keys = [...value.keys()].toSorted()
  return new Map(keys.map((key) => [key, inOrder(value.get(key) ?? null, depth + 1)]))
}

function shown(value: PyValue): string {
  return dumps(value)
}
