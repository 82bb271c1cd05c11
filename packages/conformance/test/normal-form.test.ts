import { isList, loads, toPlain } from '@callspec/python'
import { describe, expect, it } from 'vitest'

import { compareAnswers, differenceLine } from '../src/comparison/compare.ts'
import { comparable } from '../src/comparison/normal-form.ts'
import { foldDeltas } from '../src/comparison/deltas.ts'
import type { ActualAnswer, ExpectedAnswer } from '../src/index.ts'

/** The first difference between two outputs, or null. */
function difference(op: string, profile: string, expected: unknown, actual: unknown): string | null {
  const value = (data: unknown): ReturnType<typeof loads> => loads(JSON.stringify(data))
  const pair = comparable({ op, profile }, [
    { kind: 'returned', value: value(expected) },
    { kind: 'returned', value: value(actual) },
  ])
  const found = compareAnswers(...pair)
  return found === null ? null : differenceLine(found)
}

const text = (value: string): object => ({ type: 'text', text: value })
const thought = (value: string): object => ({ type: 'reasoning', text: value })
const call = (name: string, given: unknown): object => ({ type: 'call', name, arguments: given })
const flat = (content: string | null, ...calls: object[]): object => ({ content, calls })

const U = '{"zone": "UTC"}'
const CALL = call('clock', U)

/** Both readings, and under which profiles they are the same: by meaning, and by characters. */
const READINGS: readonly (readonly [string, object, object, boolean, boolean])[] = [
  ['adjacent texts', { items: [text('ab')] }, { items: [text('a'), text(''), text('b')] }, true, true],
  ['white space at the ends', { items: [text('a')] }, { items: [text('\n a ')] }, true, false],
  ['white space where pieces are joined', { items: [text('a\nb')] }, { items: [text('a'), text('b')] }, true, false],
  ['white space beside a joint', { items: [text('a b')] }, { items: [text('a'), text('b')] }, true, false],
  ['white space far from a joint', { items: [text('a bc')] }, { items: [text('ab'), text('c')] }, false, false],
  ['thoughts that are joined', { items: [thought('a\nb')] }, { items: [thought('a'), thought('b')] }, true, false],
  ['white space inside', { items: [text('a b')] }, { items: [text('a  b')] }, false, false],
  ['order', { items: [text('a'), CALL] }, { items: [CALL, text('a')] }, false, false],
  ['an id', { items: [CALL] }, { items: [{ ...CALL, id: 'x' }] }, true, true],
  ['an id of the case', { items: [{ ...CALL, id: 'x' }] }, { items: [{ ...CALL, id: 'x' }] }, true, true],
  ['an id of the case that is lost', { items: [{ ...CALL, id: 'x' }] }, { items: [CALL] }, false, true],
  ['another name', { items: [CALL] }, { items: [call('Clock', U)] }, false, false],
  ['arguments as a value', { items: [CALL] }, { items: [call('clock', { zone: 'UTC' })] }, true, false],
  ['arguments respelt', { items: [CALL] }, { items: [call('clock', '{"zone":"UTC"}')] }, true, false],
  ['another argument', { items: [CALL] }, { items: [call('clock', { zone: 'CET' })] }, false, false],
  [
    'order of keys',
    { items: [call('f', '{"a": 1, "b": 2}')] },
    { items: [call('f', '{"b": 2, "a": 1}')] },
    true,
    false,
  ],
  ['a whole float', { items: [call('f', '{"a": 1.0}')] }, { items: [call('f', '{"a": 1}')] }, false, false],
  ['a number as text', { items: [call('f', '{"a": 1}')] }, { items: [call('f', '{"a": "1"}')] }, false, false],
  ['free text as text', { items: [call('f', 'print( 1 )')] }, { items: [call('f', 'print(1)')] }, false, false],
  [
    'a large integer',
    { items: [call('f', `{"a": 1${'0'.repeat(40)}1}`)] },
    { items: [call('f', `{"a": 1${'0'.repeat(41)}}`)] },
    false,
    false,
  ],
  ['text that is no JSON', { items: [call('f', '{a')] }, { items: [call('f', '{b')] }, false, false],
  ['a thought in tags', { items: [thought('t'), text('a')] }, { items: [text('<think>t</think>\na')] }, true, false],
  ['a thought left out', { items: [thought('t'), text('a')] }, { items: [text('a')] }, false, false],
  ['tags in the middle', { items: [text('a <think>t</think>')] }, { items: [text('a '), thought('t')] }, false, false],
  ['flat', { items: [text('a'), CALL] }, flat('a', CALL), true, true],
  ['flat, white space between', { items: [text('a'), CALL, text('b')] }, flat('a\nb', CALL), true, false],
  ['flat, a text lost', { items: [text('a'), CALL, text('b')] }, flat('a', CALL), false, false],
  ['flat, no content', { items: [CALL] }, flat(null, CALL), true, true],
  ['flat, a call lost', { items: [CALL, CALL] }, flat('', CALL), false, false],
  ['flat, calls swapped', { items: [CALL, call('b', '{}')] }, flat('', call('b', '{}'), CALL), false, false],
]

describe('two readings of a text', () => {
  it.each(READINGS)('%s', (_, expected, actual, byMeaning, byCharacters) => {
    const same = ['strict', 'lenient:repair', 'main', 'v0.0.26'].map(
      (profile) => difference('parse', profile, expected, actual) === null,
    )

    expect(same).toEqual([byMeaning, byMeaning, byCharacters, byCharacters])
  })
})

describe('notes of calls', () => {
  const noted = (note?: string | null): object => ({ items: [{ ...CALL, ...(note === undefined ? {} : { note }) }] })
  const differs = (expected: object, actual: object, notes?: 'as expected'): boolean => {
    const returned = (data: object): ExpectedAnswer & ActualAnswer => ({
      kind: 'returned',
      value: loads(JSON.stringify(data)),
    })
    const topic = { op: 'parse', profile: 'strict', ...(notes === undefined ? {} : { notes }) }
    return compareAnswers(...comparable(topic, [returned(expected), returned(actual)])) !== null
  }

  it('count where a program reports them and the case has one, also null; elsewhere they do not', () => {
    const shown = noted('call-in-code')

    expect(differs(shown, noted())).toBe(false)
    expect(differs(shown, noted('call-in-quote'))).toBe(false)
    expect(differs(shown, noted(), 'as expected')).toBe(true)
    expect(differs(shown, noted('call-in-quote'), 'as expected')).toBe(true)
    expect(differs(shown, shown, 'as expected')).toBe(false)
    expect(differs(noted(null), shown, 'as expected')).toBe(true)
    expect(differs(noted(null), noted(), 'as expected')).toBe(false)
    expect(differs(noted(), shown, 'as expected')).toBe(false)
  })

  it('of deltas: the last one', () => {
    const steps = [
      { name: 'clock', note: 'call-in-quote' },
      { arguments: '{}' },
      { note: 'call-in-code' },
      { note: null },
    ]

    const deltas = loads(JSON.stringify(steps.map((part) => ({ delta: { calls: [{ index: 0, ...part }] } }))))

    expect(toPlain(foldDeltas(isList(deltas) ? deltas : []))).toEqual({
      ...{ content: '', reasoning: '' },
      calls: [{ name: 'clock', arguments: '{}', note: 'call-in-code' }],
    })
  })
})

describe('a stream', () => {
  const final = { items: [text('ab'), CALL] }
  const recorded = { snapshots: [{ items: [text('a')] }, final], final }

  it('in snapshots: after each chunk under a version, at the end under strict', () => {
    const late = { snapshots: [{ items: [] }, final], final }

    expect(difference('stream', 'main', recorded, recorded)).toBe(null)
    expect(difference('stream', 'main', recorded, late)).toMatch(/^snapshots\[0\]\.items\[0\]: is missing/)
    expect(difference('stream', 'main', recorded, { snapshots: [{ items: [text('a')] }], final })).toMatch(
      /^snapshots\[1\]: /,
    )
    expect(difference('stream', 'strict', recorded, late)).toBe(null)
    expect(difference('stream', 'strict', recorded, { final: { items: [] } })).not.toBe(null)
  })

  it('in deltas: what they add up to', () => {
    const parts = [
      { delta: { content: 'a' } },
      { delta: { content: 'b', calls: [{ index: 0, name: 'clock', arguments: '{"zone"' }] } },
      { delta: { content: null, calls: [{ index: 0, arguments: ': "UTC"}' }] } },
    ]

    expect(difference('stream', 'main', recorded, { deltas: parts })).toBe(null)
    expect(difference('stream', 'main', recorded, { deltas: parts.slice(0, 2) })).toMatch(
      /arguments: other text from character 7/,
    )
  })
})

describe('prompts and runs', () => {
  const said = [{ role: 'user', content: [{ text: 'a' }, { text: 'b' }] }]

  it('are compared in what a program gives, and in the rest not at all', () => {
    const both = { messages: said, text: 'x' }

    expect(difference('render', 'main', both, { text: 'x' })).toBe(null)
    expect(difference('render', 'main', both, { messages: [{ role: 'user', content: 'ab', extra: 1 }] })).toBe(null)
    expect(difference('render', 'main', both, { text: 'y' })).not.toBe(null)
    expect(difference('render', 'main', { messages: said }, { text: 'x' })).toMatch(/^messages: is missing/)
  })

  it('of a loop need reason and final messages', () => {
    const run = { reason: 'answered', final: said, prompts: [said], calls: [{ name: 'f', arguments: '{}' }] }

    expect(difference('loop', 'main', run, { reason: 'answered', final: said })).toBe(null)
    expect(difference('loop', 'main', run, { ...run, prompts: [] })).toMatch(/^prompts\[0\]: is missing/)
    expect(difference('loop', 'main', run, { reason: 'model-call-limit', final: said })).toMatch(/^reason: /)
  })
})

describe('a rejection', () => {
  it('is compared by itself, not by its words', () => {
    const rejected = (message: string): { type: string; message: string } => ({ type: message, message })
    const expected = { kind: 'raised', error: new Map(Object.entries(rejected('KeyError'))) } as const
    const topic = { op: 'parse', profile: 'main' }

    const same = comparable(topic, [expected, { kind: 'raised', error: rejected('no') }])
    const other = comparable(topic, [expected, { kind: 'returned', value: new Map() }])

    expect(compareAnswers(...same)).toBe(null)
    expect(compareAnswers(...other)?.what).toBe('other outcome')
  })
})
