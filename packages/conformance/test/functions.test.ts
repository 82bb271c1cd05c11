import { expect, it } from 'vitest'
import { functionsImplementation } from '@callspec/conformance'

it('takes a function inside an output for no output, and goes on', async () => {
  const parse = () => ({ items: [{ kind: 'text', text: () => 'late' }] })
  const implementation = functionsImplementation({ parse }, { name: 'mine', version: '1', formats: ['nous'] })

  const reply = await implementation.answer({
    id: '1',
    op: 'parse',
    profile: 'strict',
    format: 'nous',
    input: new Map(),
  })

  expect(reply).toEqual({
    kind: 'errored',
    reason: 'gave an object that is not JSON where an output of "parse" is due',
  })
})
