import { expect, it } from 'vitest'

import { Raise } from '../src/errors.ts'

it('a raise is made without a stack, and errors have theirs again behind it', () => {
  const raise = new Raise('KeyError', 'name')
  const error = new Error('here')

  expect(raise.stack).not.toContain('raise.test.ts')
  expect(error.stack).toContain('raise.test.ts')
})
