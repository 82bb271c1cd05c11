import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InputError } from '@callspec/core'
import { extractState, validState, createStateParser } from '../src/next-state.ts'

/** Texts of any UTF-16 units up to 40, dense in digits and in what looks like a minus sign. */
const anyAnswer = fc
  .array(
    fc.oneof(fc.constantFrom(...'0123456789--\u2212\uff0d\u0661 \n'), fc.string({ unit: 'binary', maxLength: 3 })),
    {
      maxLength: 40,
    },
  )
  .map((parts) => parts.join(''))

describe('an answer to the state prompt', () => {
  it('names a digit of its own or -1, for any text', () => {
    fc.assert(
      fc.property(anyAnswer, (answer) => {
        const { candidates, extracted } = extractState(answer)

        // The pattern of the reference, on a text whose white space it has stripped: neither end can be a digit.
        const matches = new Set(answer.match(/(?<!-)[0-9]/g) ?? [])
        expect(candidates).toEqual(matches.size === 0 ? ['-1'] : [...matches])
        expect(candidates[0]).toBe(extracted)
      }),
    )
  })

  it('means one of the states or -1, for any text', () => {
    fc.assert(
      fc.property(anyAnswer, fc.nat(12), (answer, count) => {
        const states = extractState(answer).candidates.map((candidate) => validState(candidate, count))

        expect(states.length).toBeGreaterThan(0)
        for (const state of states) {
          expect(state).toBeGreaterThanOrEqual(-1)
          expect(state).toBeLessThan(Math.max(count, 0.5))
        }
      }),
    )
  })

  it.each([
    ['10', ['1', '0']],
    ['Between 0 and 2 I choose 1', ['0', '2', '1']],
    ['-1', ['-1']],
    ['-12', ['2']],
    ['\u22121', ['1']],
    ['', ['-1']],
  ])('%j may be read as %j', (answer, candidates) => {
    expect(extractState(answer).candidates).toEqual(candidates)
  })

  it.each([
    ['1', 2, 1],
    ['2', 2, -1],
    ['0', 0, -1],
    ['-1', 2, -1],
    ['x', 2, -1],
  ])('%j of %i states is state %i', (extracted, count, state) => {
    expect(validState(extracted, count)).toBe(state)
  })

  it('of a megabyte is read as fast as a short one, per character', () => {
    const megabyte = 1 << 20

    expect(extractState('7-'.repeat(megabyte / 2)).candidates).toEqual(['7'])
    expect(extractState('-7'.repeat(megabyte / 2)).candidates).toEqual(['-1'])
    expect(extractState(`${' '.repeat(megabyte)}x${' '.repeat(megabyte)}`).candidates).toEqual(['-1'])
  })
})

describe('an answer to the state prompt that arrives', () => {
  it('means after every chunk what the text so far means, wherever it is cut', () => {
    fc.assert(
      fc.property(anyAnswer, fc.array(fc.nat(40), { maxLength: 8 }), (answer, cuts) => {
        const places = [...cuts.filter((cut) => cut < answer.length).toSorted((a, b) => a - b), answer.length]
        const parser = createStateParser()
        const seen = places.map((end, index) => {
          parser.push(answer.slice(places[index - 1] ?? 0, end))
          return parser.snapshot()
        })

        expect(seen).toEqual(places.map((end) => extractState(answer.slice(0, end))))
      }),
    )
  })

  it('may be cut between a sign and its digit', () => {
    const parser = createStateParser()

    const seen = ['I say -', '1', ' or ', '', '2'].map((chunk) => {
      parser.push(chunk)
      return parser.snapshot().extracted
    })

    expect(seen).toEqual(['-1', '-1', '-1', '-1', '2'])
  })

  it('is looked at once', () => {
    let examined = 0
    const parser = createStateParser({ onExamined: (characters) => (examined += characters) })
    for (let at = 0; at < 1000; at++) {
      parser.push('ab7-')
      parser.snapshot()
    }

    expect(examined).toBe(4000)
  })

  it('is a text', () => {
    expect(() => createStateParser().push(1 as never)).toThrow(InputError)
  })
})
