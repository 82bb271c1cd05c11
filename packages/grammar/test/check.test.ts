import { formatNamed } from '@callspec/core'
import { compileTemplate } from '@callspec/template'
import { describe, expect, it } from 'vitest'
import type { CheckRequest } from '../src/index.ts'
import { shippedGrammar, shippedRow } from '../src/shipped-entry.ts'
import { checkGrammar, compileGrammar, lintGrammar, readTools, showGrammar, templateWriter } from '../src/index.ts'

const TOOLS =
  readTools([
    {
      type: 'function',
      function: {
        name: 'get_weather',
        parameters: {
          type: 'object',
          properties: { city: { type: 'string' }, unit: { type: 'string', enum: ['c', 'f'] } },
          required: ['city'],
        },
      },
    },
    { name: 'clock', parameters: { type: 'object', properties: {} } },
  ]) ?? []

describe('a check of shipped grammars', () => {
  it('finds nothing in the tags of nous', () => {
    expect(findingsOf('nous', 'qwen_3', {})).toEqual([])
    expect(findingsOf('nous', 'qwen_3', { choice: 'required' })).toEqual([])
  })

  it('finds the smallest refused text, and those that no reader takes as requested', () => {
    expect(findingsOf('qwen3-coder', 'qwen_3_coder', {})).toEqual([
      ['refused', 'writer', '<tool_call>\n<function=clock>\n</function>\n</tool_call>'],
      [
        'get_weather: arguments.unit is not one of ["c","f"]',
        'walk',
        expect.stringMatching(
          /^<tool_call>\n<function=get_weather>\n<parameter=city><\/parameter><parameter=unit>\s*[cf]\s*<\/parameter>\n<\/function>\n<\/tool_call>$/,
        ),
      ],
      ['get_weather: arguments.city is missing', 'edit', '<tool_call><function=get_weather></function></tool_call>'],
    ])
  })

  it('finds that text may follow a call of Llama, so that no call is read', () => {
    expect(findingsOf('llama3-json', 'llama', { choice: 'required' }).map(([about]) => about)).toEqual([
      'no call is read',
    ])
  })
})

describe('a check of a grammar', () => {
  const gbnf = 'root ::= "<tool_call>\\n{\\"name\\": \\"clock\\", \\"arguments\\": {}}\\n</tool_call>"'

  it('reports a call that is missing where several are allowed', () => {
    const check = checkGrammar(
      requestOf('nous', { tools: TOOLS.slice(1), choice: 'required', grammar: compiled(gbnf) }),
    )

    expect(check.findings.map(({ kind, about }) => [kind, about])).toEqual([['refused', 'two calls']])
  })

  it('reports several calls where one was requested', () => {
    const grammar = compiled(gbnf.replace('root ::= ', 'root ::= (').concat(' "\\n"?)+'))
    const check = checkGrammar(
      requestOf('nous', { tools: TOOLS.slice(1), choice: 'required', parallel: false, grammar }),
    )

    expect(check.findings.map(({ about }) => about)).toEqual(['several calls are read'])
  })

  it('compares with what a template writes, from where the prompt ends', () => {
    const template = compileTemplate(
      '{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}{% for c in m.tool_calls or [] %}<tool_call>\n{{ c.function | tojson }}\n</tool_call>{% endfor %}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}',
    )
    const format = formatNamed('nous')
    if (!format) throw new Error('nous is a format')
    const writer = templateWriter(template, { format, tools: TOOLS, variables: {} })
    const reply = { id: '', thought: null, text: 'Hm.', calls: [{ name: 'clock', arguments: {} }] }

    expect(writer.prompt?.endsWith('<|im_start|>assistant\n')).toBe(true)
    expect(writer.write(reply)).toBe('Hm.<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>')
  })
})

describe('what a template writes', () => {
  const format = formatNamed('gemma-4')
  const reply = { id: '', thought: null, text: null, calls: [{ name: 'clock', arguments: {} }] }
  const written = (opened: string): string | null => {
    const template = compileTemplate(
      `{% for m in messages %}<|turn>{{ m.role }}\n{{ m.content }}{% for c in m.tool_calls or [] %}<|tool_call>{{ c.function.name }}<tool_call|>{% endfor %}<turn|>\n{% endfor %}{% if add_generation_prompt %}<|turn>assistant\n${opened}{% endif %}`,
    )
    if (!format) throw new Error('gemma-4 is a format')
    return templateWriter(template, { format, tools: TOOLS, variables: {} }).write(reply)
  }

  it('begins after a closed thought of the prompt, not inside a token that both begin with', () => {
    expect(written('<|channel>thought\n<channel|>')).toBe('<|tool_call>clock<tool_call|>')
    expect(written('')).toBe('<|tool_call>clock<tool_call|>')
  })

  it('is unknown where the prompt opens a thought that the history does not have', () => {
    expect(written('<|channel>thought\n')).toBe(null)
  })
})

describe('lint', () => {
  const tag = (format: object): readonly string[] =>
    lintGrammar('structural_tag', { type: 'structural_tag', format }).map(({ id }) => id)

  it.each([
    [{ type: 'or', elements: [{ type: 'any_text' }, { type: 'const_string', value: 'a' }] }, ['any-text-in-or']],
    [
      { type: 'json_schema', json_schema: { type: 'string', pattern: 'b' }, max_whitespace_cnt: 2 },
      ['pattern-anchored'],
    ],
    [
      { type: 'json_schema', json_schema: { type: 'object', properties: { a: {}, b: {} } } },
      ['fixed-order', 'white-space-loop', 'unlisted-refused'],
    ],
    [{ type: 'regex', pattern: '[a-z][^，]' }, ['negated-beyond-ascii']],
    [{ type: 'regex', pattern: '[^,]，' }, []],
    [
      { type: 'json_schema', json_schema: { type: 'string', pattern: '^[^é]$' }, max_whitespace_cnt: 2 },
      ['negated-beyond-ascii'],
    ],
    [{ type: 'token', token: 1 }, ['unreadable']],
  ])('%j', (format, ids) => {
    expect(tag(format)).toEqual(ids)
  })

  it('finds the tag that refuses a call without arguments', () => {
    const row = shippedRow('qwen_3_coder', { choice: 'auto', reasoning: false })
    const shipped = row === null ? null : shippedGrammar(row, { tools: TOOLS, choice: 'auto' })

    expect(lintGrammar('structural_tag', shipped).filter(({ severity }) => severity === 'warning')).toEqual([
      expect.objectContaining({ id: 'empty-call', where: 'format.tags[1]' }),
    ])
  })

  it('finds rules that no text reaches, and white space without end', () => {
    const found = lintGrammar('gbnf', 'root ::= [ \\t]* "a"\nb ::= "c"{0,100000}')

    expect(found.map(({ id, where }) => `${where}: ${id}`)).toEqual([
      'root: white-space-loop',
      'b: unused-rule',
      'b: large-count',
    ])
  })
})

it('shows the rules of a grammar', () => {
  expect(showGrammar(compiled('root ::= ("a" | [^b-c\\n])+ x{2,3}\nx ::= .'))).toBe(
    'root ::= ("a" | [^\\nb-c])+ x{2,3}\nx ::= .\n',
  )
})

function findingsOf(format: string, model: string, given: Partial<CheckRequest>): readonly (readonly unknown[])[] {
  const choice = given.choice ?? 'auto'
  const row = shippedRow(model, { choice, reasoning: false })
  const tag = compileGrammar('structural_tag', row === null ? null : shippedGrammar(row, { tools: TOOLS, choice }))
  if (!tag.ok) throw new Error(tag.error)
  const { findings } = checkGrammar(requestOf(format, { ...given, grammar: tag.grammar }))
  return findings.map(({ kind, about, by, text }) => [kind === 'refused' ? kind : about, by, text])
}

function requestOf(id: string, given: Partial<CheckRequest> & Pick<CheckRequest, 'grammar'>): CheckRequest {
  const format = formatNamed(id)
  if (!format) throw new Error(`${id} is no format`)
  const plain = {
    tools: TOOLS,
    choice: 'auto',
    parallel: true,
    reasoning: false,
    startOf: null,
    before: '',
    template: null,
    walks: 200,
  } as const
  return { format, ...plain, ...given }
}

function compiled(text: string): CheckRequest['grammar'] {
  const result = compileGrammar('gbnf', text)
  if (!result.ok) throw new Error(result.error)
  return result.grammar
}
