import { isDict } from '@callspec/core'
import type { PyDict, PyValue } from '@callspec/core'
import { describe, expect, it } from 'vitest'

import type { Case } from '../src/case.ts'
import { builtInImplementation, judge } from '../src/index.ts'
import { casesOf, OPERATIONS } from './helpers/cases.ts'
import { mutations } from './helpers/mutations.ts'

/** Errors whose text Python or a library wrote. Kept apart from the comparison's own list on purpose. */
const TEXT_IS_FREE = ['JSONDecodeError', 'TypeError', 'KeyError', 'AttributeError', 'IndexError', 'UnboundLocalError']

const implementation = builtInImplementation()

describe.each(OPERATIONS)('every place of an answer counts: %s', (op) => {
  it('in a result', async () => {
    const item = (await casesOf(op)).find(({ expected }) => expected.kind === 'returned')

    expect(await survivors(item)).toEqual([])
  })

  it('in an error', async () => {
    const item = (await casesOf(op)).find(({ expected }) => expected.kind === 'raised')

    if (item !== undefined) expect(await survivors(item)).toEqual([])
  })

  it('in a result with an error beside it', async () => {
    const hasError = ({ expected }: Case): boolean =>
      expected.kind === 'returned' && innerError(expected.value) !== null
    const item = (await casesOf(op)).find(hasError)

    if (item !== undefined) expect(await survivors(item)).toEqual([])
  })
})

/** The changes of a recorded answer after which the case would still pass. The case itself passes, or this says nothing. */
async function survivors(item: Case | undefined): Promise<readonly string[]> {
  if (item === undefined) return ['there is no such case']
  const reply = await implementation.answer(item)
  expect(judge(item, reply)).toEqual({ kind: 'passed' })
  return spoiled(item)
    .filter(({ changed }) => judge(changed, reply).kind !== 'failed')
    .map(({ what }) => what)
}

function spoiled(item: Case): readonly { readonly what: string; readonly changed: Case }[] {
  const { expected } = item
  if (expected.kind === 'returned') {
    const inner = innerError(expected.value)
    const isFree = (path: string): boolean => inner !== null && path === 'error.message' && isTextFree(inner, 'inner')
    return [...mutations(expected.value, isFree)].map(({ what, value }) => ({
      what: `${item.id} ${what}`,
      changed: { ...item, expected: { kind: 'returned', value } },
    }))
  }
  const isFree = (path: string): boolean =>
    path.startsWith('errors') || (path === 'message' && isTextFree(expected.error, 'outer'))
  return [...mutations(expected.error, isFree)].flatMap(({ what, value }) =>
    isDict(value)
      ? [{ what: `${item.id} ${what}`, changed: { ...item, expected: { kind: 'raised', error: value } } }]
      : [],
  )
}

function innerError(value: PyValue): PyDict | null {
  const error = isDict(value) ? value.get('error') : undefined
  return isDict(error) ? error : null
}

function isTextFree(error: PyDict, place: 'inner' | 'outer'): boolean {
  const type = String(error.get('type'))
  return TEXT_IS_FREE.includes(type) || (type === 'ValidationError' && place === 'inner')
}
