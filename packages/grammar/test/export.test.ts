import { type Format, FORMATS, formatNamed } from '@callspec/core'
import { describe, expect, it } from 'vitest'
import { fewOf, runsOf } from '../../tidy/test/share.ts'
import { type Expression, type Rules, characters, literal, optional, sequence } from '../src/expression.ts'
import { LARK_STYLE } from '../src/export/ebnf-style.ts'
import { printEbnf } from '../src/export/print-ebnf.ts'
import { EXPORT_TOOLS as TOOLS, READ_SYNTAXES, hasRepeatedKey, object } from './export-tools.ts'
import {
  type ExportRequest,
  type GrammarFinding,
  acceptText,
  checkGrammar,
  compileGrammar,
  exportGrammar,
} from '../src/index.ts'

const CHOICES: readonly ExportRequest['choice'][] = ['auto', 'required', { name: 'put' }]

const named = (id: string): Format => {
  const format = formatNamed(id)
  if (!format) throw new Error(`no format ${id}`)
  return format
}
const request = (parts: Partial<ExportRequest> = {}): ExportRequest => ({
  tools: TOOLS,
  choice: 'auto',
  parallel: true,
  reasoning: false,
  syntax: 'structural-tag',
  ...parts,
})
const exported = (format: Format, parts: Partial<ExportRequest> = {}): object | string => {
  const result = exportGrammar(format, request(parts))
  if (!result.ok) throw new Error(result.error)
  return result.grammar
}
const compiled = (grammar: object | string): ReturnType<typeof compileGrammar> & { ok: true } => {
  const result = compileGrammar(typeof grammar === 'string' ? 'gbnf' : 'structural_tag', grammar)
  if (!result.ok) throw new Error(result.error)
  return result
}

const CASES = FORMATS.flatMap((format) =>
  CHOICES.flatMap((choice) =>
    READ_SYNTAXES.flatMap((syntax) =>
      [true, false].flatMap((parallel) =>
        [false, true].map((reasoning) => ({ format, choice, syntax, parallel, reasoning })),
      ),
    ),
  ),
)

describe('exports', () => {
  it('accept what the writer writes, and only what the reader reads, for every format', { timeout: 3_600_000 }, () => {
    const wrong = fewOf(CASES, 90).flatMap(({ format, ...parts }): readonly object[] => {
      const result = exportGrammar(format, request(parts))
      // Formats without thoughts refuse to be exported with them; granite-3 reads no call after one.
      if (!result.ok) return parts.reasoning ? [] : [{ id: format.id, ...parts, error: result.error }]
      const { choice, parallel, reasoning } = request(parts)
      const { findings } = checkGrammar({
        grammar: compiled(result.grammar).grammar,
        format,
        tools: TOOLS,
        choice: choice === 'none' ? 'auto' : choice,
        parallel,
        reasoning,
        startOf: null,
        before: '',
        template: null,
        walks: runsOf(30, 1000),
      })
      const repeats = result.losses.some(({ about }) => about.includes('has each key once'))
      const undeclared = result.losses.filter(({ about }) => about.includes('an argument that is not declared'))
      const isListed = ({ kind, about }: GrammarFinding): boolean =>
        kind === 'refused' && undeclared.some((loss) => about.startsWith(loss.about))
      const others = findings.filter((one) => !(repeats && hasRepeatedKey(one.text)) && !isListed(one))
      return others.length === 0 ? [] : [{ id: format.id, ...parts, findings: others }]
    })

    expect(wrong).toEqual([])
  })

  it('write the tag of a format as its writer writes calls', () => {
    const tools = TOOLS.slice(0, 1)

    expect(exported(named('nous'), { tools, choice: 'required' })).toEqual({
      type: 'structural_tag',
      format: {
        type: 'sequence',
        elements: [
          {
            type: 'optional',
            content: {
              type: 'or',
              elements: [
                { type: 'const_string', value: '\n' },
                { type: 'const_string', value: '\n\n' },
              ],
            },
          },
          {
            type: 'triggered_tags',
            triggers: ['<tool_call>'],
            tags: [
              {
                type: 'tag',
                begin: '<tool_call>\n{"name": "get_weather", "arguments": ',
                content: {
                  type: 'json_schema',
                  json_schema: object(
                    { city: { type: 'string' }, days: { type: 'integer' }, unit: { enum: ['c', 'f'] } },
                    { required: ['city'] },
                  ),
                  max_whitespace_cnt: 20,
                },
                end: '}\n</tool_call>',
              },
            ],
            at_least_one: true,
            stop_after_first: false,
          },
        ],
      },
    })
  })

  it('have both spellings of a boolean where the template writes that of Python', () => {
    const tag = compiled(exported(named('qwen3-coder')))
    const call = (value: string): string =>
      `<tool_call>\n<function=put>\n<parameter=key>\na\n</parameter>\n<parameter=keep>\n${value}\n</parameter>\n</function>\n</tool_call>`

    expect(['True', 'true', 'TRUE'].map((value) => acceptText(tag.grammar, call(value)).accepted)).toEqual([
      true,
      true,
      false,
    ])
  })

  it('give a number to each call, and take calls with and without an id', () => {
    const kimi = compiled(exported(named('kimi-k2'), { choice: 'required' }))
    const mistral = compiled(exported(named('mistral-v11'), { choice: 'required' }))
    const section = (...calls: readonly string[]): string =>
      `<|tool_calls_section_begin|>${calls.join('')}<|tool_calls_section_end|>`
    const clock = (id: string): string =>
      `<|tool_call_begin|>functions.clock:${id}<|tool_call_argument_begin|>{}<|tool_call_end|>`

    expect(acceptText(kimi.grammar, section(clock('0'), clock('1'))).accepted).toBe(true)
    expect(acceptText(kimi.grammar, section(clock('a'))).accepted).toBe(false)
    expect(acceptText(mistral.grammar, '[TOOL_CALLS]clock[ARGS]{}').accepted).toBe(true)
    expect(acceptText(mistral.grammar, '[TOOL_CALLS]clock[CALL_ID]a1b2c3d4e[ARGS]{}').accepted).toBe(true)
  })

  it('refuse a call where none may be made, and a second one where one may', () => {
    const call = '<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>'
    const none = compiled(exported(named('nous'), { choice: 'none', syntax: 'gbnf' }))
    const one = compiled(exported(named('nous'), { parallel: false, syntax: 'gbnf' }))

    expect(acceptText(none.grammar, 'At noon.').accepted).toBe(true)
    expect(acceptText(none.grammar, call).accepted).toBe(false)
    expect(acceptText(one.grammar, `Look.\n${call}`).accepted).toBe(true)
    expect(acceptText(one.grammar, `${call}\n${call}`).accepted).toBe(false)
  })
})

describe('elements in elements', () => {
  const N = ']<]minimax[>['
  const tools = [
    {
      name: 'put',
      parameters: object(
        { tags: { type: 'array', items: { type: 'string' } }, place: object({ x: { type: 'integer' } }) },
        { additionalProperties: false },
      ),
    },
  ]
  const accepts = (given: string, syntax: ExportRequest['syntax']): boolean => {
    const grammar = exported(named('minimax-m3'), { tools, choice: 'required', syntax })
    const call = `${N}<tool_call>\n${N}<invoke name="put">${given.replaceAll('<', `${N}<`)}${N}</invoke>\n${N}</tool_call>`
    return acceptText(compiled(grammar).grammar, call).accepted
  }

  it.each(READ_SYNTAXES)('hold lists and objects of what their schemas allow: %s', (syntax) => {
    const fits = ['', '<tags><item>a</item><item>[b]</item></tags>', '<place><x>1</x></place>']
    const misfits = ['<place><x>a</x></place>', '<tags><item>a</tags></item>', '<tags>a</tags>', '<other>a</other>']

    expect(fits.map((text) => accepts(text, syntax))).toEqual([true, true, true])
    expect(misfits.map((text) => accepts(text, syntax))).toEqual([false, false, false, false])
  })

  it.each(READ_SYNTAXES)('are empty as the writer writes them, and as the template does: %s', (syntax) => {
    const texts = ['<tags>[]</tags><place>{}</place>', '<tags></tags><place></place>', '<tags>{}</tags>']

    expect(texts.map((text) => accepts(text, syntax))).toEqual([true, true, false])
  })
})

it('a reply without a thought begins with the end of one where prompts show it so', () => {
  const accepts = (id: string, text: string): boolean =>
    acceptText(compiled(exported(named(id))).grammar, text).accepted

  expect(accepts('minimax-m3', '</mm:think>At noon.')).toBe(true)
  expect(accepts('minimax-m3', 'At noon.</mm:think>')).toBe(false)
  expect(accepts('minimax-m2', '</think>At noon.')).toBe(false)
})

describe('losses', () => {
  const lossesOf = (id: string, parameters: object): readonly unknown[] => {
    const result = exportGrammar(named(id), request({ tools: [{ name: 'f', parameters }] }))
    return result.ok ? result.losses : [result.error]
  }

  it('are listed with the smallest text that is refused', () => {
    const schema = object({ a: { type: 'integer' }, b: { type: 'integer' } }, { additionalProperties: false })

    expect(lossesOf('mistral-v13', schema)).toEqual([
      {
        kind: 'refused',
        about: "f: arguments in another order than the schema's",
        text: '[TOOL_CALLS]f[ARGS]{"b": 0, "a": 0}',
      },
    ])
  })

  it('name each condition that is not enforced', () => {
    const schema = object(
      {
        a: { type: 'array', uniqueItems: true, items: { type: 'string', format: 'email' } },
        b: { type: 'string', pattern: '^(?=a)' },
      },
      { additionalProperties: false, required: ['a', 'b'] },
    )

    expect(lossesOf('mistral-v13', schema).filter((one) => JSON.stringify(one).includes('accepted'))).toEqual([
      { kind: 'accepted', about: 'f.a: uniqueItems is not enforced', text: null },
      { kind: 'accepted', about: 'f.a.items: format is not enforced', text: null },
      { kind: 'accepted', about: 'f.b: pattern is not enforced', text: null },
    ])
  })

  it.each(['pythonic', 'gemma-4', 'minimax-m3'])('name conditions of texts that values of %s do not have', (id) => {
    const schema = object(
      { a: { type: 'string', pattern: '^a$' }, b: { type: 'array', items: { type: 'string', minLength: 2 } } },
      { additionalProperties: false },
    )

    expect(lossesOf(id, schema).filter((one) => JSON.stringify(one).includes('accepted'))).toEqual([
      { kind: 'accepted', about: 'f.a: pattern is not enforced', text: null },
      { kind: 'accepted', about: 'f.b.items: minLength is not enforced', text: null },
    ])
  })

  it('are an error where nothing can be exported', () => {
    expect(lossesOf('nous', { $ref: '#/$defs/missing' })).toEqual([
      'The reference "#/$defs/missing" leads to nothing in the schema.',
    ])
    expect(exportGrammar(named('nous'), request({ choice: { name: 'missing' } }))).toEqual({
      ok: false,
      error: 'The choice "missing" is not one of the tools.',
    })
    expect(exportGrammar(named('react'), request({ reasoning: true })).ok).toBe(false)
    expect(exportGrammar(named('pythonic'), request({ tools: [{ name: 'a-b', parameters: object({}) }] }))).toEqual({
      ok: false,
      error: 'A tool named "a-b" cannot be called: no call of it is read back.',
    })
    expect(lossesOf('nous', { $ref: '%' })).toEqual(['The reference "%" leads to nothing in the schema.'])
  })
})

describe('schemas', () => {
  const accepts = (parameters: object, given: string): boolean => {
    const grammar = exported(named('mistral-v13'), { tools: [{ name: 'f', parameters }], choice: 'required' })
    return acceptText(compiled(grammar).grammar, `[TOOL_CALLS]f[ARGS]${given}`).accepted
  }

  it('read a pattern without anchors as a part of the text', () => {
    const schema = object({ a: { type: 'string', pattern: 'b+' } }, { required: ['a'] })

    expect(['abc', 'b', 'ac'].map((text) => accepts(schema, `{"a": "${text}"}`))).toEqual([true, true, false])
  })

  it('follow references, also to the schema itself', () => {
    const schema = {
      ...object({ next: { $ref: '#' }, kind: { $ref: '#/definitions/kind' } }),
      definitions: { kind: { enum: ['a'] } },
    }

    expect(accepts(schema, '{"next": {"next": {"kind": "a"}}}')).toBe(true)
    expect(accepts(schema, '{"next": {"next": {"kind": "b"}}}')).toBe(false)
  })

  it('take constant objects with the white space of the writer, and null where nullable says so', () => {
    const schema = object({ a: { const: { k: [1] } }, b: { type: 'string', nullable: true } })

    expect(accepts(schema, '{"a": {"k": [1]}, "b": null}')).toBe(true)
    expect(accepts(schema, '{"a": {"k": [2]}}')).toBe(false)
  })

  it('join the parts of allOf', () => {
    const schema = { type: 'object', allOf: [object({ a: { type: 'integer' } }), { required: ['a'] }] }

    expect(accepts(schema, '{"a": 1}')).toBe(true)
    expect(accepts(schema, '{}')).toBe(false)
  })
})

describe('lark', () => {
  const rules = (root: Expression): Rules => ({ root: 'root', rules: new Map([['root', root]]) })

  it('has one character per terminal, so that a row of them is repeated as a whole', () => {
    const root = sequence(literal('a"\n✿'), optional(literal('bc')), characters('-/', [0x1f600, 0x1f64f]))

    expect(printEbnf(rules(root), LARK_STYLE)).toBe(
      'start: "a" /["]/ /[\\x{A}]/ /[✿]/ ("b" "c")? /[\\x{2D}\\x{2F}\\x{1F600}-\\x{1F64F}]/\n',
    )
  })

  it('has free text that recurses on the left: a state is the text before it', () => {
    const free: Expression = {
      kind: 'free',
      excludes: [],
      dispatch: [{ trigger: '<a', body: literal('b') }],
      loop: true,
      max: null,
    }

    expect(printEbnf(rules(free), LARK_STYLE).split('\n')).toEqual([
      'start: t0',
      't0: t0_0 | t0_1',
      't0_0: "" | t0_0 /[^<]/ | t0_1 "a" "b" | t0_1 /[^<a]/',
      't0_1: t0_0 /[<]/ | t0_1 /[<]/',
      '',
    ])
  })

  it('says what GBNF says', () => {
    const gbnf = exportGrammar(named('nous'), request({ syntax: 'gbnf' }))
    const lark = exportGrammar(named('nous'), request({ syntax: 'lark' }))

    expect(lark).toMatchObject({ ok: true, losses: gbnf.ok ? gbnf.losses : [] })
  })
})
