import { FORMATS } from '@callspec/core'
import { loads } from '@callspec/python'
import { describe, expect, it } from 'vitest'

import { builtInImplementation } from '../src/built-in/implementation.ts'
import { CUT_NAMES, cutCases, runSuite } from '../src/index.ts'
import { gradeOf } from '../src/run/run-suite.ts'
import { arrivingChunks, cutCase, cutInId, cutText, isCutInToken, specialTokensOf } from '../src/cases/cut-cases.ts'
import type { Case } from '../src/index.ts'

const TEXT = 'So it is 12. <tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>'
const ITEM: Case = {
  ...{ id: 'a', op: 'parse', format: 'nous', profile: 'strict', where: 'here' },
  input: new Map([['text', TEXT]]),
  expected: {
    kind: 'returned',
    value: loads('{"content": "So it is 12. ", "calls": [{"name": "clock", "arguments": "{}"}]}'),
  },
}

async function* only(...items: readonly Case[]): AsyncGenerator<Case> {
  yield* items
}

function specialPieces(format: string, text: string): unknown {
  return cutCase({ ...ITEM, format, input: new Map([['text', text]]) }, 'special')?.input.get('chunks')
}

describe('a text that is cut at tokens', () => {
  it.each(CUT_NAMES)('is the text again when its pieces are joined: %s', (cut) => {
    for (const text of [TEXT, '', '😀 é\u0301 \ud800</tool_call>', '<tool_call><tool_call>'])
      expect(cutText(text, cut, { special: ['<tool_call>', '</tool_call>'] }).join('')).toBe(text)
  })

  it('has its markers in pieces of their own, but not where the model writes them as characters', () => {
    const special = ['<t>', '</t>']

    expect(cutText('a<t>b</t>', 'special', { special })).toEqual(['a', '<t>', 'b', '</t>'])
    expect(cutText('😀<t>b</t>', 'special', { special, plain: [[1, 4]] })).toEqual(['😀<t>b', '</t>'])
    expect(cutText('an ox 12<t>', 'tokens', { special })).toEqual(['an', ' ox', ' ', '1', '2', '<t>'])
  })

  it('is cut between the tokens of the models that write the format, and at no other marker of it', () => {
    const thought = '<think>\nhm\n</think>\n\n'
    const call = '<tool_call>\n<function=f>\n</function>\n</tool_call>'

    expect(specialPieces('qwen3.5', thought + call)).toEqual([
      ...['<think>', '\nhm\n', '</think>', '\n\n'],
      ...['<tool_call>', '\n<function=f>\n</function>\n', '</tool_call>'],
    ])
    expect(specialPieces('deepseek-v4', '\n\n<｜DSML｜tool_calls>\n')).toEqual(['\n\n<', '｜DSML｜', 'tool_calls>\n'])
    expect(specialPieces('phi-4-mini', 'functools[{"name": "f"}]')).toHaveLength(1)
    expect(specialPieces('no-such-format', '<think>')).toEqual(['<think>'])
  })

  it('never parts a special token, in any format and any cut', () => {
    for (const format of FORMATS) {
      const text = format.write([
        { kind: 'reasoning', text: 'hm' },
        { kind: 'call', name: 'f', arguments: '{"a": 1}', id: 'functions.f:0' },
      ])
      const special = specialTokensOf({ format: format.id, profile: 'strict' })
      for (const cut of CUT_NAMES) {
        const edges = new Set<number>()
        let end = 0
        for (const piece of cutText(text, cut, { special })) edges.add((end += piece.length))
        const parted = special.filter((token) =>
          [...edges].some(
            (edge) =>
              token.length > 1 &&
              text.slice(Math.max(0, edge - token.length + 1), edge + token.length - 1).includes(token),
          ),
        )

        expect(parted, `${format.id} ${cut}`).toEqual([])
      }
    }
  })

  it('comes in five different groupings of 1 to 8 tokens, the same each time', () => {
    const groupings = CUT_NAMES.filter((cut) => cut.startsWith('groups')).map((cut) =>
      cutText('1234567890'.repeat(20), cut, { special: [] }),
    )

    expect(new Set(groupings.map((pieces) => pieces.join('|'))).size).toBe(5)
    const sizes = groupings.flat().map((piece) => piece.length)
    expect([Math.min(...sizes), Math.max(...sizes)]).toEqual([1, 8])
  })
})

describe('cases that are cut', () => {
  it('are passed by a reader of streams, and those that its users do not meet count for nothing', async () => {
    const implementation = builtInImplementation()
    const cut = cutCases(only(ITEM, { ...ITEM, id: 'b' }), { cuts: CUT_NAMES, met: ['tokens', 'groups'] })
    const verdicts = new Map<string, string>()
    for await (const { case: item, verdict } of runSuite(cut, implementation)) {
      verdicts.set(item.id, verdict.kind === 'skipped' ? verdict.reason : verdict.kind)
    }

    expect(verdicts.size).toBe(8)
    expect([...verdicts.values()].filter((kind) => kind === 'passed')).toHaveLength(6)
    expect(verdicts.get('a ~whole')).toBe('synthetic: no user sees replies cut "whole"; passed')
  })

  it('of `stream` count for nothing where they cut a token, if the program declares how it is cut', async () => {
    const at = (place: number): readonly string[] => [TEXT.slice(0, place), TEXT.slice(place)]
    const start = TEXT.indexOf('<tool_call>')
    const right: Case['expected'] = {
      kind: 'returned',
      value: loads('{"final": {"content": "So it is 12.", "calls": [{"name": "clock", "arguments": "{}"}]}}'),
    }
    const streamed = (place: number): Case => ({
      ...{ ...ITEM, id: String(place), op: 'stream', expected: right },
      input: new Map([['chunks', [...at(place)]]]),
    })
    const places = [start - 1, start, start + 1, start + 10, start + 11, TEXT.length - 1]
    const inside = [start + 1, start + 10, TEXT.length - 1]

    const kindsOf = async (cuts?: readonly string[]): Promise<readonly string[]> => {
      const built = builtInImplementation()
      const about = cuts === undefined ? built.about : { ...built.about, cuts }
      const grades: string[] = []
      for await (const result of runSuite(only(...places.map(streamed)), { ...built, about }))
        grades.push(gradeOf(result))
      return grades
    }
    expect(await kindsOf()).toEqual(places.map(() => 'passed'))
    expect(await kindsOf(['tokens'])).toEqual(places.map((place) => (inside.includes(place) ? 'synthetic' : 'passed')))

    // Where the model writes the marker as characters, it is no token.
    const plain = { ...streamed(start + 1), plain: [[start, start + 11]] as const }
    expect([isCutInToken(streamed(start + 1)), isCutInToken(plain)]).toEqual([true, false])
  })

  it('expect of every right answer that the stream ends in it', () => {
    const open = {
      ...ITEM,
      expected: { kind: 'returned', value: loads('{"any_of": [{"items": []}, {"error": {}}]}') },
    } as const

    expect(cutCase(open, 'whole')?.expected).toEqual({
      kind: 'returned',
      value: loads('{"any_of": [{"final": {"items": []}}, {"error": {}}]}'),
    })
    expect(cutCase({ ...ITEM, op: 'render' }, 'whole')).toBe(null)
  })

  it('say where a marker is only characters, as the case that is cut does', () => {
    expect(cutCase({ ...ITEM, plain: [[0, 3]] }, 'groups-1')?.plain).toEqual([[0, 3]])
  })

  it('say in their id how they are cut', () => {
    expect(cutInId('a ~groups-2')).toEqual({ id: 'a', cut: 'groups-2' })
    expect(cutInId('a ~ b')).toBe(null)
  })
})

describe('chunks as users of a program meet them', () => {
  const text = 'Hi <tool_call>x</tool_call>'
  const arrive = (chunks: readonly string[], met?: readonly string[]): readonly string[] =>
    arrivingChunks(chunks, { met, format: 'nous' })

  it('stay as they are where the program declares nothing', () => {
    expect(arrive(['Hi <tool', '_call>x</tool_call>'])).toEqual(['Hi <tool', '_call>x</tool_call>'])
  })

  it('are cut at the end of a token in which a law cuts', () => {
    expect(arrive(['Hi <tool', '_call>x</tool_call>'], ['whole', 'tokens', 'groups'])).toEqual([
      'Hi <tool_call>',
      'x</tool_call>',
    ])
    // Each character of a marker alone is the marker at once.
    expect(arrive([...text], ['whole', 'groups'])).toEqual(['Hi', ' ', '<tool_call>', 'x', '</tool_call>'])
  })

  it('are tokens where only these are met, and at most eight of them where a whole text is not', () => {
    expect(arrive([text], ['tokens'])).toEqual(['Hi', ' ', '<tool_call>', 'x', '</tool_call>'])
    expect(arrive([text], ['special'])).toEqual(['Hi ', '<tool_call>', 'x', '</tool_call>'])
    expect(arrive([text], ['whole'])).toEqual([text])
    expect(arrive(['1234567890'], ['groups'])).toEqual(['12345678', '90'])
    expect(arrive(['1234567890'], ['groups', 'whole'])).toEqual(['1234567890'])
  })

  it.each(['whole', 'special', 'tokens', 'groups'])('are the text, with %s', (met) => {
    for (const chunks of [[], [''], [text], [...text], ['\ud83d', '\ude00 a']])
      expect(arrive(chunks, [met]).join('')).toBe(chunks.join(''))
  })
})
