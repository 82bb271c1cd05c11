import { describe, expect, it } from 'vitest'
import { grammarParts } from '../../src/format/grammar-format.ts'
import { FORMATS } from '../../src/formats/index.ts'
import { callsOf } from '../../src/reply/item.ts'
import { itemsAlike, named, shown, workOn } from '../grammar/read.ts'

/** Calls in a thought that the reply never closes. */

const OPTIONS = { thoughtInContent: true } as const

const clock = (zone: string): string =>
  `<tool_call>\n<function=clock>\n<parameter=zone>\n${zone}\n</parameter>\n</function>\n</tool_call>`

const [A, B] = [clock('A'), clock('B')]
const calledA = { clock: '{"zone": "A"}' }
const calledB = { clock: '{"zone": "B"}' }

const read = (text: string, id = 'qwen3.5'): readonly unknown[] => shown(itemsAlike(named(id), text, OPTIONS))

describe('qwen3.5: a thought that is never closed', () => {
  it('ends at the call that ends the reply', () => {
    expect(read(`Hm.\n${A}`)).toEqual([{ thought: 'Hm.' }, 'thought-not-closed 4–89', calledA])
    expect(read(A)).toEqual(['thought-not-closed 0–85', calledA])
    expect(read(`<think>\nHm. ${A}\n`)).toEqual([{ thought: 'Hm.' }, 'thought-not-closed 12–98', calledA])
  })

  it('ends at several calls, and at those before a stop token', () => {
    expect(read(`Hm. ${A}\n${B}<|im_end|>`)).toEqual([
      { thought: 'Hm.' },
      'thought-not-closed 4–175',
      calledA,
      calledB,
      'stop-token-left 175–185',
    ])
  })

  it('keeps a draft that prose follows, and names it', () => {
    expect(read(`Hm. ${A} No.`)).toEqual([{ thought: `Hm. ${A} No.` }, 'call-in-thought 4–93', 'cut 0–93'])
    expect(read(`Hm. ${A} No, ${B}`)).toEqual([{ thought: `Hm. ${A} No,` }, 'thought-not-closed 94–179', calledB])
    expect(read(`${A} No, ${B.slice(0, 40)}`)).toContain('call-in-thought 0–130')
    const [issue] = itemsAlike(named('qwen3.5'), `Hm. ${A} No.`, OPTIONS).filter(({ kind }) => kind === 'issue')
    expect(issue).toMatchObject({
      message: expect.stringMatching(/^"<tool_call>.*" at 4–93: A call is in a thought .* Name: "clock"\.$/) as string,
      weight: 'note',
    })
  })

  it('keeps a draft when its closing tag comes', () => {
    expect(read(`Hm. ${A}\n</think>\n\nNoon.`)).toEqual([{ thought: `Hm. ${A}` }, 'Noon.'])
    expect(read(`Hm. ${A}\n</think>\n\n${B}`)).toEqual([{ thought: `Hm. ${A}` }, calledB])
  })

  it('is no call where the call lacks a piece', () => {
    const [open = ''] = A.split('</parameter>')

    expect(read(`Hm. ${A.slice(0, -20)}`)).toEqual([{ thought: `Hm. ${A.slice(0, -20)}` }, 'cut 0–69'])
    expect(callsOf(named('qwen3.5').read(`Hm. ${open}</function>\n</tool_call>`, OPTIONS).items)).toEqual([])
    expect(read(`Hm. ${A}\n${B.slice(0, 40)}`)).toEqual([
      { thought: 'Hm.' },
      'thought-not-closed 4–130',
      calledA,
      'cut 102–130',
    ])
  })

  it('may name the marker before the call', () => {
    expect(read(`I can write <tool_call> now. ${A}`)).toEqual([
      { thought: 'I can write <tool_call> now.' },
      'thought-not-closed 29–114',
      calledA,
    ])
  })

  it('emits the call at the end of the reply, not before', () => {
    const reader = named('qwen3.5').createReader(OPTIONS)
    const told = reader.push(`Hm. ${A}`)

    expect(told).toEqual([{ kind: 'reasoning', text: 'Hm.', begins: true }])
    expect(callsOf(reader.snapshot().items)).toHaveLength(1)
    expect(reader.end().map(({ kind }) => kind)).toEqual(['issue', 'call', 'arguments', 'arguments', 'call-end'])
  })
})

/** Formats with thoughts, with what a call looks like in them. */
const THINKING = FORMATS.flatMap((format) => {
  const states = Object.values(grammarParts(format)?.grammar.states ?? {})
  if (!states.some(({ kind }) => kind === 'reasoning')) return []
  const call = {
    kind: 'call',
    name: 'f',
    arguments: '{"a": "b"}',
    id: format.traits.ids ? 'functions.f:0' : null,
  } as const
  return [[format.id, format, format.write([call])] as const]
})

/** Where a call needs the head of a message, or the beginning of the reply, none can be in a thought. */
const NEVER_INSIDE = ['harmony', 'granite-3', 'muse-glimmer']

describe.each(THINKING)('%s: a call in a thought that is never closed', (id, format, call) => {
  const options = { ...OPTIONS, thinking: true, ...(format.versions.includes('strict') ? { version: 'strict' } : {}) }
  const codesOf = (text: string): readonly string[] =>
    itemsAlike(format, text, options).flatMap((item) => (item.kind === 'issue' ? [item.code] : []))

  it('is reported', () => {
    const expected = id === 'qwen3.5' ? ['thought-not-closed'] : ['call-in-thought', 'cut']
    const isInside = !NEVER_INSIDE.includes(id)

    expect(codesOf(`Hm. ${call}`).includes(expected[0] ?? '')).toBe(isInside)
    expect(codesOf(`Hm. ${call} or not`).includes('call-in-thought')).toBe(isInside)
  })

  it('is not reported where it is not whole', () => {
    expect(codesOf(`Hm. ${call.slice(0, call.indexOf('f') + 1)}`)).not.toContain('call-in-thought')
  })

  it('is read in linear time, with snapshots', () => {
    for (const piece of [call, `${call} or `, call.slice(0, call.indexOf('f') + 1)]) {
      const [once = 0, twice = 0] = [20, 40].map((times) => workOn(format, `Hm. ${piece.repeat(times)}`, options))
      expect(twice).toBeLessThanOrEqual(2.2 * once)
    }
  })
})
