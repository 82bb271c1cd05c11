import { afterEach, describe, expect, it } from 'vitest'

import { ARGUED } from './code-mutants/argued.ts'
import { drawMutants, mutantsOf } from './code-mutants/draw-mutants.ts'
import { findLoops, findMutants } from './code-mutants/find-mutants.ts'
import { instrumented, SWITCH, TICK } from './code-mutants/instrument.ts'
import { PARTS } from './code-mutants/parts.ts'

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

  it('are none in types, in what errors say, behind ??, and of bounds that no number meets', () => {
    const source = "export const f = (a: 'x' | 5): number => { if (a as 5) throw new Error('no'); return a ?? 7 }"
    const bounds = findMutants('f.ts', 'export const f = (a) => a < 1e-6').map(({ original }) => original)

    expect(bounds).toEqual(['1e-6'])
    expect(findMutants('f.ts', source).map(({ original, mutant }) => `${original} -> ${mutant}`)).toEqual([
      'a as 5 -> false',
    ])
  })
})

describe('a draw', () => {
  const all = mutantsOf(PARTS.statistics.files)

  it('is the same for the same seed, and keeps the others where one place is changed', () => {
    const drawn = drawMutants(all, { count: 50, seed: 16 })
    const gone = drawn[7]
    const again = drawMutants(
      all.filter((each) => each !== gone),
      { count: 49, seed: 16 },
    )

    expect(drawMutants(all, { count: 50, seed: 16 })).toEqual(drawn)
    expect(again).toEqual(drawn.filter((each) => each !== gone))
    expect(drawMutants(all, { count: 50, seed: 17 })).not.toEqual(drawn)
  })

  it('gives each change a name of its own', () => {
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
  })

  it('finds every change that is argued to be none', () => {
    const ids = new Set(Object.values(PARTS).flatMap(({ files }) => mutantsOf(files).map(({ id }) => id)))

    expect(ARGUED.filter(({ id, why }) => !ids.has(id) || why === '')).toEqual([])
  })
})

describe('a source with its changes in it', () => {
  afterEach(() => {
    Reflect.deleteProperty(globalThis, SWITCH)
    Reflect.deleteProperty(globalThis, TICK)
  })

  const loaded = async (source: string): Promise<(a: number) => unknown> => {
    const mutants = findMutants('f.ts', source).map((mutant, number) => ({ ...mutant, number }))
    const text = instrumented(source, { mutants, loops: findLoops(source) })
    const code = Buffer.from(text).toString('base64')
    const { f } = (await import(/* @vite-ignore */ `data:text/javascript;base64,${code}`)) as {
      f: (a: number) => unknown
    }
    return f
  }

  it('keeps the else of a call that may be left out', async () => {
    Reflect.set(globalThis, SWITCH, () => false)
    const f = await loaded('export const f = (a, l = []) => { if (a > 1) l.push(1)\nelse l.push(2)\nreturn l }')

    expect([f(1), f(2)]).toEqual([[2], [1]])
  })

  it('counts the turns of every loop', async () => {
    let ticks = 0
    Reflect.set(globalThis, SWITCH, () => false)
    Reflect.set(globalThis, TICK, () => (ticks += 1))
    const f = await loaded(
      'export const f = (a) => { for (let i = 0; i < a; i++) a = a\nfor (const b of [1, 2]) { a += b }\nwhile (a-- > 1);\nreturn a }',
    )

    expect(f(4)).toBe(0)
    expect(ticks).toBe(4 + 2 + 6)
  })

  it('does what the source does while none is on, and otherwise with the one that is', async () => {
    const mutants = findMutants('f.ts', SOURCE).map((mutant, number) => ({ ...mutant, number }))
    const f = await loaded(SOURCE)
    const on = (original: string, mutant: string): unknown[] => {
      const { number } = mutants.find((each) => each.original === original && each.mutant === mutant) ?? { number: -1 }
      Reflect.set(globalThis, SWITCH, (asked: number) => asked === number)
      return [1, 2, 3, 4].map(f)
    }

    expect(on('nothing', '')).toEqual([2, 3, 4, 'many'])
    expect(on('a > 2', '(a) >= (2)')).toEqual([2, 'many', 4, 'many'])
    expect(on('a !== limit', '(a) === (limit)')).toEqual([2, 3, 'many', 5])
    expect(on('seen.push(a)', '')).toEqual([2, 3, 4, 5])
    expect(on('1', '2')).toEqual([3, 4, 5, 'many'])
  })
})
