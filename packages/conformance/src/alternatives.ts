import { isDict, isList } from '@callspec/python'
import type { PyValue } from '@callspec/python'

import type { ExpectedAnswer } from './answer.ts'
import type { Case } from './case.ts'
import { isCoarse } from './protocol/coarse-operation.ts'

/** The answers of which any is right, where readers may differ; the answer elsewhere. */
export function alternatives({ op, expected }: Pick<Case, 'op' | 'expected'>): readonly ExpectedAnswer[] {
  const isOpen = isCoarse(op) && expected.kind === 'returned' && isDict(expected.value)
  const given = isOpen ? expected.value.get('any_of') : null
  return isList(given) && given.length > 0 ? given.map(alternative) : [expected]
}

/** One of them may be that the input is refused: `{"error": {}}`. */
function alternative(value: PyValue): ExpectedAnswer {
  const error = isDict(value) ? value.get('error') : undefined
  return error !== undefined && isDict(error) ? { kind: 'raised', error } : { kind: 'returned', value }
}
