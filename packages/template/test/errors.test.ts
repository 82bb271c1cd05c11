import { describe, expect, it } from 'vitest'
import type { TemplateError } from '../src/index.ts'
import { compileTemplate } from '../src/index.ts'

function errorOf(source: string, variables = '{}'): TemplateError | null {
  const rendering = compileTemplate(source).render(variables)
  return rendering.kind === 'raised' ? rendering.error : null
}

describe('a syntax error', () => {
  it('names line and column of the word that it stumbles over', () => {
    expect(compileTemplate('a\n{{ b }}\n  {{ c d }}').error).toEqual({
      type: 'TemplateSyntaxError',
      message: "expected token 'end of print statement', got 'd'",
      line: 3,
      column: 8,
    })
  })

  it('names where a block began that is never closed', () => {
    expect(compileTemplate('{% if a %}\n{% for b in c %}').error).toEqual({
      type: 'TemplateSyntaxError',
      message:
        "Unexpected end of template. Jinja was looking for the following tags: 'endfor' or 'else'. " +
        "The innermost block that needs to be closed is 'for'.",
      line: 2,
      column: 17,
    })
  })

  it('counts lines as an editor does, with any line end', () => {
    expect(compileTemplate('a\r\nb\rc\n{% nope %}').error).toMatchObject({ line: 4, column: 4 })
  })

  it('is what rendering raises', () => {
    const template = compileTemplate('{{ 1 + }}')

    expect(template.render({})).toEqual({ kind: 'raised', error: template.error })
  })

  it('is null for a template that can be compiled', () => {
    expect(compileTemplate('{{ a.b.c }}').error).toBe(null)
  })
})

describe('a raise', () => {
  it('names the line of the tag, also after removed white space', () => {
    expect(errorOf('a\n{%- if true %}\n\n  {{ x.y }}{% endif %}')).toEqual({
      type: 'UndefinedError',
      message: "'x' is undefined",
      line: 4,
    })
  })

  it('within a macro names the line within the macro', () => {
    expect(errorOf('{% macro f() %}\n{{ x.y }}\n{% endmacro %}\n{{ f() }}')?.line).toBe(2)
  })

  it('after the call of a macro names the line of the call', () => {
    expect(errorOf('{% macro f() %}\n{{ 1 }}{% endmacro %}\n\n{{ f() ~ x.y }}')?.line).toBe(4)
  })

  it('by the template itself has the kind raise_exception and the text of the template', () => {
    expect(errorOf("{% if true %}\n{{ raise_exception('Only ' ~ 1) }}{% endif %}")).toEqual({
      type: 'raise_exception',
      message: 'Only 1',
      line: 2,
    })
  })

  it('says what an object has not', () => {
    expect(errorOf('{{ m.a.b }}', '{"m": {}}')?.message).toBe("'dict object' has no attribute 'a'")
    expect(errorOf('{{ m[0].b }}', '{"m": []}')?.message).toBe('list object has no element 0')
  })
})

describe('variables', () => {
  it('as text lose nothing: floats, large ints, order and repeated keys are as Python reads them', () => {
    const text = '{"a": {"b": 1.0, "1": 1e5, "0": -0.0, "n": 9223372036854775808, "b": 2}}'

    expect(compileTemplate('{{ a }}').render(text)).toEqual({
      kind: 'rendered',
      text: "{'b': 2, '1': 100000.0, '0': -0.0, 'n': 9223372036854775808}",
    })
  })

  it('hide a global of the same name', () => {
    expect(compileTemplate('{{ range }}').render('{"range": 1}')).toEqual({ kind: 'rendered', text: '1' })
  })
})
