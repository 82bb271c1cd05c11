import { dumps } from '@callspec/python'
import type { PyValue } from '@callspec/python'

import type { Case } from './case.ts'

/**
 * A case as a line of JSON Lines, question and answer together, which `readCases` and readers in other languages take alike. Loses
 * nothing of either: digits keep their spelling, keys their order. ASCII, without a line feed.
 */
export function caseLine(item: Case): string {
  const { id, op, format, profile, about, evidence, plain, input, expected } = item
  const members: readonly (readonly [string, PyValue | undefined])[] = [
    ['id', id],
    ['op', op],
    ['format', format],
    ['profile', profile],
    ['about', about],
    ['evidence', evidence === undefined ? undefined : [...evidence]],
    ['plain', plain?.map((range) => range.map(BigInt))],
    ['input', input],
    expected.kind === 'returned' ? ['expected', expected.value] : ['error', expected.error],
  ]
  const given = members.filter((member): member is readonly [string, PyValue] => member[1] !== undefined)
  return dumps(new Map(given), { ensureAscii: true })
}
