import { bench, describe } from 'vitest'
import { acceptText, compileGrammar } from '../src/index.ts'

/* One megabyte of text under a structural tag and under GBNF: free text, a long string, many calls. */
const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const TAG = {
  format: {
    type: 'triggered_tags',
    triggers: ['<tool_call>'],
    tags: [
      {
        type: 'tag',
        begin: '<tool_call>\n{"name": "f", "arguments": ',
        content: { type: 'json_schema', json_schema: SCHEMA },
        end: '}\n</tool_call>',
      },
    ],
  },
}
const STRING = 'root ::= "\\"" ([^"\\\\\\x00-\\x1F] | "\\\\" ["\\\\/bfnrt])* "\\""'
const call = (city: string): string => `<tool_call>\n{"name": "f", "arguments": {"city": "${city}"}}\n</tool_call>\n`
const WORDS = 'Zürich 東京 and more. '

describe('1 MB', () => {
  const tag = compileGrammar('structural_tag', TAG)
  const string = compileGrammar('gbnf', STRING)
  const long = WORDS.repeat(Math.ceil(1_000_000 / Buffer.byteLength(WORDS)))
  const texts = { 'free text': long, 'one long string': call(long), 'many calls': call('Oslo').repeat(14_000) }

  for (const [name, text] of Object.entries(texts))
    bench(`structural tag: ${name}`, () => {
      if (tag.ok) acceptText(tag.grammar, text)
    })
  bench('GBNF: one long string', () => {
    if (string.ok) acceptText(string.grammar, `"${long}"`)
  })
})
