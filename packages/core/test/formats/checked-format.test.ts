import { expect, it } from 'vitest'
import type { GrammarFormat } from '../../src/format/grammar-format.ts'
import { checkedFormat, grammarFormat, grammarParts } from '../../src/format/grammar-format.ts'
import { FORMATS } from '../../src/formats/index.ts'
import { compileGrammar } from '../../src/grammar/compile.ts'

const ADRIFT: GrammarFormat = {
  id: 'adrift',
  about: { models: 'none', source: 'none', licence: 'Apache-2.0' },
  grammar: { start: 'text', stops: [], states: { text: { kind: 'text', transitions: { '<call>': 'nowhere' } } } },
  spelling: { call: ({ name }) => `<call>${name}` },
  prompt: null,
}
const FAULT = 'callspec: "text" leads to "nowhere", no state'

it('a grammar that contradicts itself makes no format where its author is unknown', () => {
  expect(() => checkedFormat(ADRIFT)).toThrow(FAULT)
})

it.each([
  [{ is: 'text', until: {} }, '"is" is now called "kind"'],
  [{ kind: 'nothing', until: {} }, '"until" is now called "transitions"'],
  [{ kind: 'nothing', transitions: {}, otherwise: 'text' }, '"otherwise" is now called "fallback"'],
  [{ kind: 'text', transitions: { '<a>': { to: 'text', before: ['b'] } } }, '"before" is now called "followedBy"'],
])('a grammar with a former name of a member is refused with the new one: %j', (state, reason) => {
  const old = { ...ADRIFT.grammar, states: { text: state } } as unknown as GrammarFormat['grammar']

  expect(() => checkedFormat({ ...ADRIFT, grammar: old })).toThrow(`callspec: state "text": ${reason}. Rename it`)
})

it('a format costs its grammar only once a reply is read', () => {
  const format = grammarFormat(ADRIFT)

  expect(() => format.read('Hi.')).toThrow(FAULT)
})

it('no format of the list has a grammar that contradicts itself', () => {
  const grammars = FORMATS.flatMap((format) => grammarParts(format)?.grammar ?? [])

  for (const grammar of grammars) expect(() => compileGrammar(grammar)).not.toThrow()
  expect(grammars.length).toBeGreaterThan(25)
})

it('what a format was made of is known to a second copy of the package, such as that in the program', async () => {
  const path = `${new URL('../../src/format/grammar-format.ts', import.meta.url).href}?copy`
  const copy = (await import(/* @vite-ignore */ path)) as { readonly grammarFormat: typeof grammarFormat }
  const grammar = { start: 'text', stops: [], states: { text: { kind: 'text', transitions: {} } } } as const

  const format = copy.grammarFormat({ ...ADRIFT, grammar })

  expect(copy.grammarFormat).not.toBe(grammarFormat)
  expect(grammarParts(format)?.grammar.start).toBe('text')
})
