import type { CaseResult } from '@callspec/conformance'
import { expect, it } from 'vitest'
import { displayWidth } from '../src/columns.ts'
import { countFailureKinds } from '../src/conformance/failure-kinds.ts'

function result(id: string, verdict: object): CaseResult {
  return { case: { id }, verdict } as unknown as CaseResult
}

const failed = (path: string, what: string): object => ({ kind: 'failed', difference: { path, what } })

it('counts many failures by what differs, the most frequent first, whichever call or argument it is', () => {
  const kinds = countFailureKinds()
  for (let at = 0; at < 12; at += 1)
    kinds.add(result(`type ${at}`, failed(`items[${at}].arguments.a${at}`, 'other type')))
  for (let at = 0; at < 3; at += 1)
    kinds.add(result(`text ${at}`, failed('items[0].text', `other text from character ${at} (line 1, column ${at})`)))
  kinds.add(result('late', { kind: 'errored', reason: 'timeout' }))
  kinds.add(result('well', { kind: 'passed' }))
  kinds.add(result('other', failed('', 'one more')))

  expect(kinds.lines({ wrapAt: Infinity })).toEqual([
    'failures by what differs, with the first case of each:',
    '  12 items[].arguments: other type, type 0',
    '   3 items[].text: other text, text 0',
    '   1 no answer, late',
    '   1 the whole answer: one more, other',
  ])
})

it('says nothing about few failures, and little about many kinds', () => {
  const [few, many] = [countFailureKinds(), countFailureKinds()]
  for (let at = 0; at < 9; at += 1) few.add(result(`${at}`, failed('', 'x')))
  for (let at = 0; at < 40; at += 1) many.add(result(`${at} ${'天'.repeat(90)}`, failed('', `kind ${at}`)))

  expect(few.lines({ wrapAt: 80 })).toEqual([])
  expect(many.lines({ wrapAt: 80 }).at(-1)).toBe('  34 otherwise')
  expect(many.lines({ wrapAt: 80 }).filter((line) => displayWidth(line) > 80)).toEqual([])
})
