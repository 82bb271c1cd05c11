import { functionsImplementation, runSuite } from '@callspec/conformance'
import type { Case } from '@callspec/conformance'
import { fromPlain, isDict } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import { expect, it } from 'vitest'

import { failureText } from '../src/explain.ts'

function dict(plain: Readonly<Record<string, unknown>>): PyDict {
  const value = fromPlain(plain as Parameters<typeof fromPlain>[0])
  if (!isDict(value)) throw new Error('this is no map')
  return value
}

const STREAM: Case = {
  id: 'nous/stream/a',
  where: 'a.json',
  op: 'stream',
  format: 'nous',
  profile: 'strict',
  input: dict({ chunks: ['It is ', 'noon.'] }),
  expected: { kind: 'returned', value: dict({ items: [{ type: 'text', text: 'It is noon.' }] }) },
} as unknown as Case

it('a failed stream shows its chunks, and where they end', async () => {
  const silent = functionsImplementation(
    { stream: () => ({ items: [] }) },
    { name: 'silent', version: '1', formats: ['nous'], profiles: ['strict'] },
  )

  const texts: (string | null)[] = []
  for await (const result of runSuite([STREAM], silent)) texts.push(failureText(result))

  expect(texts[0]?.split('\n').slice(-2)).toEqual(['  chunks    "It␣is␣" "noon."', '  case      stream, a.json'])
})
