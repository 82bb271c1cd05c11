import { describe, expect, it } from 'vitest'
import type { GrammarKind } from '../src/index.ts'
import { acceptText, compileGrammar, startAcceptor } from '../src/index.ts'

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city'],
}
const TAG = {
  type: 'structural_tag',
  format: {
    type: 'triggered_tags',
    triggers: ['<call '],
    tags: [{ type: 'tag', begin: '<call f>', content: { type: 'json_schema', json_schema: SCHEMA }, end: '</call>' }],
    excludes: ['<think>'],
  },
}

describe('a structural tag', () => {
  it.each([
    ['Hm. <call f>{"city": "Oslo"}</call> Done.', 'accepted'],
    ['<call f>{"city": "Oslo", "days": 2}</call>', 'accepted'],
    ['<call f>{"days": 2, "city": "Oslo"}</call>', 10],
    ['<call f>{"city": "Oslo"', 'ends at 23'],
    ['<call g>', 6],
    ['a <think>', 8],
    ['a <call', 'accepted'],
  ])('%j: %s', (text, expected) => {
    expect(accept('structural_tag', TAG, text)).toBe(expected)
  })

  it('says what was expected at the refused byte', () => {
    const verdict = acceptText(compiled('structural_tag', TAG), '<call f>{"town": 1}</call>')

    expect(verdict).toEqual({ accepted: false, at: 10, incomplete: false, expected: ['"city\\""'] })
  })

  it.each([
    [
      { type: 'token', token: 7 },
      'format has the type token, which matches tokens: a text alone cannot be compared with it.',
    ],
    [{ type: 'x' }, 'format has the unknown type "x".'],
    [{ type: 'sequence', elements: [] }, 'format.elements must be a list with at least one entry.'],
    [
      { type: 'json_schema', json_schema: { $ref: '#/$defs/a' } },
      'format.json_schema: The schema has no "$defs", which "#/$defs/a" names.',
    ],
    [nested(200), 'format is nested more than 100 deep.'],
  ])('%j is refused in one line', (format, error) => {
    expect(compileGrammar('structural_tag', { type: 'structural_tag', format })).toEqual({
      ok: false,
      error: expect.stringContaining(error.slice(6)) as string,
    })
  })

  it('of the older form means triggered tags with JSON', () => {
    const legacy = { structures: [{ begin: '<f=a>', schema: SCHEMA, end: '</f>' }], triggers: ['<f='] }

    expect(accept('structural_tag', legacy, 'Hm. <f=a>{"city": ""}</f>')).toBe('accepted')
    expect(accept('structural_tag', legacy, 'Hm. <f=a>{"days": 1}</f>')).toBe(11)
  })
})

describe('the JSON of a schema', () => {
  const json = (json_schema: unknown, text: string): unknown =>
    accept('structural_tag', { type: 'structural_tag', format: { type: 'json_schema', json_schema } }, text)

  it.each([
    [{ type: 'integer', minimum: -12, maximum: 123 }, ['-12', '0', '99', '123'], ['-13', '-0', '124', '007', '1.0']],
    [{ type: 'integer', exclusiveMinimum: 9 }, ['10', '12345678901234567890'], ['9', '-1']],
    [
      { type: 'number', minimum: -1.5, maximum: 22.25 },
      ['-1.5', '-0.0', '0', '22.25', '22.250000'],
      ['-0', '22.26', '1e1'],
    ],
    [{ type: 'number', exclusiveMinimum: 0 }, ['0.000001', '12'], ['0', '0.0', '-1']],
    [{ type: 'integer', multipleOf: 15 }, ['0', '-30', '45'], ['10', '7']],
    [{ type: 'string', pattern: '^a.c$' }, ['"abc"', '"aéc"'], ['"a\\"c"', '"ab"', '"abcd"']],
    [{ type: 'string', format: 'date' }, ['"2026-01-31"'], ['"2026-13-01"', '"26-01-01"']],
    [{ enum: ['a', 1, null, { k: [1] }] }, ['"a"', '1', 'null', '{"k":[1]}'], ['"b"', '{"k": [1]}']],
    [{ type: ['string', 'null'] }, ['"x"', 'null'], ['1']],
    [
      { type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 3 },
      ['[1, 2]', '[1,2,3]'],
      ['[1]', '[1,2,3,4]'],
    ],
    [
      { type: 'object', properties: { ab: { type: 'integer' } }, additionalProperties: true },
      ['{}', '{"ab": 1, "abc": []}', '{"a": null}', '{"": 0}'],
      ['{"ab": "x"}', '{"c": 1, "ab": 2}'],
    ],
    [
      { type: 'object', properties: { a: {}, b: {}, c: {} }, minProperties: 2 },
      ['{"a": 1, "c": 2}', '{"a": 1, "b": 2, "c": 3}'],
      ['{"a": 1}', '{}'],
    ],
    [{ $ref: '#' }, [], ['1']],
  ])('%j', (schema, accepted, refused) => {
    expect(accepted.map((text) => json(schema, text))).toEqual(accepted.map(() => 'accepted'))
    for (const text of refused) expect(json(schema, text), text).not.toBe('accepted')
  })
})

describe('values in elements', () => {
  const style = (name: string, properties: object, text: string, more: object = {}): unknown =>
    accept(
      'structural_tag',
      { format: { type: 'json_schema', style: name, json_schema: { type: 'object', properties, ...more } } },
      text,
    )

  it('of an unknown format swallow the closing mark, and lists without items are empty, as in XGrammar', () => {
    const a = (value: string): string => `<parameter=a>${value}</parameter>`

    expect(style('qwen_xml', { a: { type: 'string' } }, `${a('x')}</parameter>`)).toBe(26)
    expect(style('qwen_xml', { a: { type: 'string', format: 'x' } }, `${a('x')}</parameter>`)).toBe('accepted')
    expect(style('qwen_xml', { a: { type: 'array' } }, a(' [ ] '))).toBe('accepted')
    expect(style('qwen_xml', { a: { type: 'array' } }, a('[1]'))).toBe(14)
  })

  it('of Cohere say their types; undeclared names are none of the declared', () => {
    const value = (name: string, type: string, text: string): string =>
      `<cofl:value name="${name}" type="${type}">${text}</cofl:value>`
    const of = { a: { type: ['string', 'integer'] }, l: { type: 'array', items: { type: 'string' } } }

    expect(style('cohere_xml', of, value('a', 'raw', 'x'))).toBe('accepted')
    expect(style('cohere_xml', of, value('a', 'json', '7'))).toBe('accepted')
    expect(style('cohere_xml', of, value('l', 'list', '<cofl:value type="raw">x</cofl:value>'))).toBe('accepted')
    expect(style('cohere_xml', of, value('al', 'json', '1'), { additionalProperties: true })).toBe('accepted')
    expect(style('cohere_xml', of, value('l', 'json', '1'), { additionalProperties: true })).toBe(27)
  })
})

describe('GBNF', () => {
  it.each([
    ['root ::= "a"{2,1}', 'Line 1: the repetition {2,1} has a minimum above its maximum'],
    ['root ::= x', 'Line 1: rule "x" is not defined.'],
    ['root ::= root "a" | "b"', 'Rule "root" begins with itself (left recursion), which llama.cpp refuses.'],
    ['root ::= e root "b" | "a"\ne ::= ("")', 'begins with itself behind parts that may be empty'],
    ['root ::= "a', 'Line 1: a quote or bracket is never closed'],
    ['a ::= "a"', 'The grammar has no rule "root".'],
    ['root ::= "a"\n  | "b"', 'Line 2: a rule name was expected'],
    [`root ::= ${'('.repeat(300)}"a"${')'.repeat(300)}`, 'parentheses are nested more than 200 deep'],
    [`root ::= "${'a'.repeat(5_000_000)}"`, 'at most 4000000 are read'],
  ])('%.60j is refused in one line', (grammar, error) => {
    expect(compileGrammar('gbnf', grammar)).toEqual({ ok: false, error: expect.stringContaining(error) as string })
  })

  it('counts a long repetition instead of copying it', () => {
    const { states } = compiled('gbnf', 'root ::= ("ab" | "c"){2,100000}')

    expect(states.length).toBeLessThan(20)
    expect(accept('gbnf', 'root ::= ("ab" | "c"){2,100000}', 'abcab')).toBe('accepted')
    expect(accept('gbnf', 'root ::= ("ab" | "c"){2,100000}', 'ab')).toBe('ends at 2')
    expect(accept('gbnf', 'root ::= ("a"? | "b"){100,200} "c"', 'aabc')).toBe('accepted')
  })

  it('gives up on a grammar that is too ambiguous, and says so', () => {
    expect(acceptText(compiled('gbnf', 'root ::= "a"{0,100000} "a"{0,100000}'), 'a'.repeat(5000))).toMatchObject({
      accepted: false,
      error: 'The grammar is too ambiguous for this text.',
    })
  })

  it('refuses a whole character, not a byte of it', () => {
    expect(accept('gbnf', 'root ::= "aé"', 'aè')).toBe(1)
    expect(accept('ebnf', 'root ::= "aé"', 'aè')).toBe(2)
  })

  it('takes half a surrogate pair for no character', () => {
    expect(accept('gbnf', 'root ::= "\\ud800"', '\ud800')).toBe(0)
    expect(accept('gbnf', 'root ::= "\ufffd"', '\ud800')).toBe(0)
  })
})

describe('an acceptor', () => {
  it('gives the same verdict wherever the text is cut', () => {
    const text = new TextEncoder().encode('Hé <call f>{"city": "東京"}</call>')
    const grammar = compiled('structural_tag', TAG)

    for (let cut = 0; cut <= text.length; cut += 1) {
      const acceptor = startAcceptor(grammar)
      expect([acceptor.feed(text.subarray(0, cut)), acceptor.feed(text.subarray(cut))]).toEqual([null, null])
      expect([acceptor.mayEnd(), acceptor.offset()]).toEqual([true, text.length])
    }
  })

  it('stays at the refused byte', () => {
    const acceptor = startAcceptor(compiled('gbnf', 'root ::= "ab"'))

    expect(acceptor.feed('ac')).toEqual({ at: 1, expected: ['"b"'] })
    expect(acceptor.feed('b')).toEqual({ at: 1, expected: ['"b"'] })
    expect(acceptor.mayEnd()).toBe(false)
  })
})

// XGrammar 0.2.5, 0.2.6 and 0.2.9 do so.
describe('oddities of XGrammar', () => {
  it('a mark that ends inside a longer one is not seen', () => {
    const content = { type: 'any_text', excludes: ['</p>'] }
    const tag = { format: { type: 'tag', begin: 'a', content, end: '\n</p>\n' } }
    const tags = ['b', 'abc'].map((begin) => ({
      type: 'tag',
      begin,
      content: { type: 'const_string', value: 'k' },
      end: '',
    }))
    const triggered = { format: { type: 'triggered_tags', triggers: ['b', 'abc'], tags } }

    expect(accept('structural_tag', tag, 'ax\n</p>x\n</p>\n')).toBe('accepted')
    expect(accept('structural_tag', tag, 'ax</p>x\n</p>\n')).toBe(5)
    expect(accept('structural_tag', triggered, 'abx')).toBe('accepted')
    expect(accept('structural_tag', triggered, 'xbx')).toBe(2)
  })

  it('a negated class excludes ASCII only', () => {
    expect(accept('ebnf', 'root ::= [^a-\\u00e9]', 'é')).toBe('accepted')
    expect(accept('ebnf', 'root ::= [^a-\\u00e9]', 'b')).toBe(0)
    expect(accept('regex', '[^é]', 'é')).toBe('accepted')
  })

  it('\\x takes all hexadecimal digits, \\u four', () => {
    expect(accept('ebnf', 'root ::= "\\x5Cbf"', '岿')).toBe('accepted')
    expect(accept('ebnf', 'root ::= "\\u005Cbf"', '\\bf')).toBe('accepted')
  })
})

function compiled(
  kind: GrammarKind,
  grammar: unknown,
): Extract<ReturnType<typeof compileGrammar>, { ok: true }>['grammar'] {
  const result = compileGrammar(kind, grammar)
  if (!result.ok) throw new Error(result.error)
  return result.grammar
}

function accept(kind: GrammarKind, grammar: unknown, text: string): string | number {
  const verdict = acceptText(compiled(kind, grammar), text)
  if (verdict.accepted) return 'accepted'
  return verdict.incomplete ? `ends at ${verdict.at}` : verdict.at
}

function nested(depth: number): object {
  return depth === 0 ? { type: 'any_text' } : { type: 'optional', content: nested(depth - 1) }
}
