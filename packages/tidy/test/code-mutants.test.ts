import { afterEach, describe, expect, it } from 'vitest'

import { findMutants } from './code-mutants/find-mutants.ts'
import { instrumented, SWITCH } from './code-mutants/instrument.ts'

const SOURCE = `const limit = 3
export function f(a) {
  const seen = []
  if (a > 2 && a !== limit) seen.push(a)
  return seen.length === 0 ? a + 1 : 'many'
}`

describe('small changes of a source', () => {
  it('are made of what is done inside of functions, and each is told with its place', () => {
    const found = findMutants('f.ts', SOURCE).map(({ line, original, mutant }) => `${line}: ${original} -> ${mutant}`)

    expect(found.toSorted()).toEqual(
      [
        '4: a !== limit -> (a) === (limit)',
        '4: a > 2 && a !== limit -> (a > 2) || (a !== limit)',
        '4: a > 2 && a !== limit -> false',
        '4: a > 2 -> (a) >= (2)',
        '4: seen.push(a) -> ',
        '4: 2 -> 3',
        "5: 'many' -> ''",
        '5: a + 1 -> (a) - (1)',
        '5: 0 -> 1',
        '5: 1 -> 2',
        "5: seen.length === 0 ? a + 1 : 'many' -> (seen.length === 0) ? ('many') : (a + 1)",
        '5: seen.length === 0 -> (seen.length) !== (0)',
      ].toSorted(),
    )
  })

  it('are none in types, in what errors say, and behind ??', () => {
    const source = "export const f = (a: 'x' | 5): number => { if (a as 5) throw new Error('no'); return a ?? 7 }"

    expect(findMutants('f.ts', source).map(({ original, mutant }) => `${original} -> ${mutant}`)).toEqual([
      'a as 5 -> false',
    ])
  })
})

describe('a source with its changes in it', () => {
  afterEach(() => {
    Reflect.deleteProperty(globalThis, SWITCH)
  })

  it('does what the source does while none is on, and otherwise with the one that is', async () => {
    const mutants = findMutants('f.ts', SOURCE).map((mutant, number) => ({ ...mutant, number }))
    const code = Buffer.from(instrumented(SOURCE, mutants)).toString('base64')
    const { f } = (await import(/* @vite-ignore */ `data:text/javascript;base64,${code}`)) as {
      f: (a: number) => unknown
    }
    const on = (original: string, mutant: string): unknown[] => {
      const { number } = mutants.find((each) => each.original === original && each.mutant === mutant) ?? { number: -1 }
      Reflect.set(globalThis, SWITCH, number)
      return [1, 2, 3, 4].map(f)
    }

    expect(on('nothing', '')).toEqual([2, 3, 4, 'many'])
    expect(on('a > 2', '(a) >= (2)')).toEqual([2, 'many', 4, 'many'])
    expect(on('a !== limit', '(a) === (limit)')).toEqual([2, 3, 'many', 5])
    expect(on('seen.push(a)', '')).toEqual([2, 3, 4, 5])
    expect(on('1', '2')).toEqual([3, 4, 5, 'many'])
  })
})
