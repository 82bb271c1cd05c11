import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutAtStopWord, cutPartialStopWord } from '../../src/stop-words.ts'
import { stopGate } from '../../src/stream/stop-gate.ts'

const UNITS = fc.constantFrom('a', 'b', 'c', '\ud83d', '\ude00')
const WORDS = fc.array(fc.string({ unit: UNITS, maxLength: 4 }), { maxLength: 3 })

describe('the stop gate', () => {
  it('keeps after each piece what cutting all of them keeps', () => {
    fc.assert(
      fc.property(fc.string({ unit: UNITS, maxLength: 24 }), WORDS, WORDS, (text, words, partials) => {
        const gate = stopGate({ words, partials, headLength: 4, examined: () => undefined })
        let through = ''
        for (let end = 1; end <= text.length; end++) {
          through += gate.admit(text.charAt(end - 1))
          const { rest, cut, partial } = gate.look()

          const soFar = text.slice(0, end)
          const uncut = cutAtStopWord(soFar, words).text
          const kept = cutPartialStopWord(uncut, partials)
          expect(through + rest).toBe(kept)
          expect(cut).toEqual(removed(soFar, uncut.length, end))
          expect(partial).toEqual(removed(soFar, kept.length, uncut.length))
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('waits until no word that is tried earlier can reach into the one that was found', () => {
    const gate = stopGate({ words: ['bcde', 'ab'], partials: [], headLength: 4, examined: () => undefined })

    const kept = ['ab', 'c', 'd', 'e'].map((piece) => gate.admit(piece) + gate.look().rest)

    expect(kept).toEqual(['', '', '', 'a'])
  })

  it('lets text through that no word can begin in', () => {
    const gate = stopGate({ words: ['stop', '!'], partials: ['st'], headLength: 4, examined: () => undefined })

    expect(['one s', 't', 'ore', '!'].map(gate.admit)).toEqual(['one ', '', 'store', ''])
  })

  it('is closed soon after a word, and keeps nothing of what comes then', () => {
    const gate = stopGate({ words: ['stop'], partials: [], headLength: 4, examined: () => undefined })

    gate.admit('a stop, and a lot more text')
    gate.admit('.'.repeat(1000))

    expect(gate.look()).toEqual({ rest: '', cut: { start: 2, end: 1027, head: 'stop' }, partial: null, isClosed: true })
  })
})

function removed(text: string, start: number, end: number): object | null {
  return start === end ? null : { start, end, head: text.slice(start, Math.min(end, start + 4)) }
}
