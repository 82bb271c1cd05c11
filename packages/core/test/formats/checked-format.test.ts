import { expect, it } from 'vitest'
import { checkedFormat } from '../../src/format/checked-format.ts'
import { grammarFormat } from '../../src/format/grammar-format.ts'
import { grammarParts } from '../../src/format/grammar-parts.ts'
import type { GrammarFormat } from '../../src/format/grammar-parts.ts'
import { FORMATS } from '../../src/formats/index.ts'
import { compileGrammar } from '../../src/grammar/compile.ts'

const ADRIFT: GrammarFormat = {
  id: 'adrift',
  about: { models: 'none', source: 'none', licence: 'Apache-2.0' },
  grammar: { start: 'text', stops: [], states: { text: { is: 'text', until: { '<call>': 'nowhere' } } } },
  spelling: { call: ({ name }) => `<call>${name}` },
  prompt: null,
}
const FAULT = 'callspec: "text" leads to "nowhere", no state'

it('a grammar that contradicts itself makes no format where its author is unknown', () => {
  expect(() => checkedFormat(ADRIFT)).toThrow(FAULT)
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
