import { describe, expect, it } from 'vitest'
import { matchCalls, maximumMatching } from '../src/score/episode-figures.ts'
import { score } from './helpers/sketch.ts'

const call = (name: string, args: unknown = {}): { readonly name: string; readonly args: unknown } => ({ name, args })

describe('the calls of an episode', () => {
  it('fit gold calls that are equal as JSON values, each used once, in any order', () => {
    const gold = [
      { name: 'a', args: { x: 1, y: { z: [1, 2] } } },
      { name: 'a', args: { x: 2 } },
    ]
    const made = [call('a', { x: 2 }), call('a', { y: { z: [1, 2] }, x: 1 }), call('a', { x: 2 }), call('b')]

    expect(matchCalls(made, gold)).toEqual({ matched: 2, made: 4, gold: 2 })
    expect(matchCalls(made, gold, 'seq')).toEqual({ matched: 2, made: 4, gold: 2 })
    expect(matchCalls(made.slice(0, 2), gold, 'seq')).toEqual({ matched: 1, made: 2, gold: 2 })
  })

  it('do not fit with another list order, another type, or an argument more', () => {
    const gold = [{ name: 'a', args: { x: [1, 2] } }]

    for (const args of [{ x: [2, 1] }, { x: ['1', '2'] }, { x: [1, 2], y: 0 }, {}])
      expect(matchCalls([call('a', args)], gold).matched).toBe(0)
  })

  it('are paired as well as can be: a gold call without arguments takes what no other needs', () => {
    const gold = [{ name: 'a' }, { name: 'a', args: { x: 1 } }]

    expect(matchCalls([call('a', { x: 1 }), call('a', { x: 2 })], gold).matched).toBe(2)
  })

  it('are counted where a task names the right ones', () => {
    const verdict = { answer: { any: true }, gold: [{ name: 'calculator', args: { expression: '37*48-129' } }] }

    expect(
      score({ turns: ['x', '1'], calls: [{}, { turn: 1, arguments: '{"expression": "1"}' }], verdict }),
    ).toMatchObject({
      callMatch: { matched: 1, made: 2, gold: 1 },
      trigger: 'fn',
    })
    expect(score({ turns: ['x'] }).callMatch).toBeNull()
  })

  it('that repeat an earlier one with its result are redundant, and those beyond the plan are in excess', () => {
    const calls = [{}, {}, { result: '{"result":0}' }, { arguments: '{"expression":"37*48-129"}' }]

    expect(score({ turns: ['x'], calls })).toMatchObject({ calls: 4, redundantCalls: 2, excessCalls: 3 })
  })
})

describe('the pairs of two sides', () => {
  /** All pairs of three and three, or three and four, by the bits of a number. */
  const fitsBy =
    (bits: number, right: number) =>
    (one: number, other: number): boolean =>
      ((bits >> (one * right + other)) & 1) === 1

  /** How many can be paired, by trying everything. */
  function most(left: number, right: readonly number[], fits: (left: number, right: number) => boolean): number {
    if (left === 0) return 0
    const partners = right.filter((other) => fits(left - 1, other))
    const rest = partners.map(
      (other) =>
        1 +
        most(
          left - 1,
          right.filter((each) => each !== other),
          fits,
        ),
    )
    return Math.max(most(left - 1, right, fits), ...rest)
  }

  it.each([
    [3, 3],
    [3, 4],
    [4, 3],
  ])('are as many as can be for every way in which %i fit %i, each used once', (left, right) => {
    const wrong = Array.from({ length: 2 ** (left * right) }, (_, bits) => bits).filter((bits) => {
      const fits = fitsBy(bits, right)
      const pairs = maximumMatching(left, right, fits)
      const used = [...pairs.entries()].filter(([, other]) => other >= 0)
      const isPossible =
        used.every(([one, other]) => fits(one, other)) && new Set(used.map(([, other]) => other)).size === used.length
      return pairs.length !== left || !isPossible || used.length !== most(left, [0, 1, 2, 3].slice(0, right), fits)
    })

    expect(wrong).toEqual([])
  })
})

describe('the first reply', () => {
  const CALL = '<tool_call>\n{"name": "calculator", "arguments": {"expression": "1"}}\n</tool_call>'
  const none = { answer: { any: true }, maxCalls: 0 }
  const due = { answer: { any: true }, minCalls: 1 }

  it.each([
    ['tp', CALL, due],
    ['fn', 'No.', due],
    ['fp', CALL, none],
    ['tn', 'No.', none],
    // A broken call is one that was meant: no abstention.
    ['fp', '<tool_call>\n{"name": ', none],
    ['fp', 'calculator(expression="1")', none],
    [null, CALL, { answer: { any: true } }],
  ])('counts as %s: %j under %j', (trigger, text, verdict) => {
    expect(score({ turns: [text], verdict }).trigger).toBe(trigger)
  })

  it('does not count where no reply came', () => {
    const failure = { kind: 'infra' as const, status: null, message: '' }

    expect(score({ turns: [{ failure }], verdict: due }).trigger).toBeNull()
  })
})
