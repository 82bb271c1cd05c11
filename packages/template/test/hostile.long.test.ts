import { describe, expect, it } from 'vitest'
import type { Limits } from '../src/index.ts'
import { compileTemplate } from '../src/index.ts'

const typeOf = (
  source: string,
  limits: Partial<Limits> = {},
  variables: Readonly<Record<string, string>> = {},
): string => {
  const rendering = compileTemplate(source).render(variables, { limits })
  return rendering.kind === 'rendered' ? `text of ${rendering.text.length}` : rendering.error.type
}

describe('a template that never ends', () => {
  it.each([
    ['loops within loops', '{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}'],
    ['a generator that lets nothing through', "{{ range(99999)|map('string')|select('none')|list }}".repeat(40)],
    [
      'comparisons of shared lists',
      `{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{% set a = ns.x %}{% set ns.x = [1] %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ a == ns.x }}`,
    ],
    [
      'the repr of shared lists',
      '{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}',
    ],
    [
      'the JSON of shared lists',
      '{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x|tojson }}',
    ],
  ])('is stopped after so many steps: %s', (_, source) => {
    expect(typeOf(source, { steps: 1_000_000 })).toBe('StepLimitError')
  })

  // Without a limit of time each made 16 MB of text first, which took 4 to 6 s of CPU.
  it.each([
    ['list', '[1]', '[ns.x, ns.x]', ''],
    ['tuple', '(1,)', '(ns.x, ns.x)', ''],
    ['dict', '{}', "{'a': ns.x, 'b': ns.x}", ''],
    ['list as JSON', '[1]', '[ns.x, ns.x]', '|tojson'],
    ['dict as JSON', '{}', "{'a': ns.x, 'b': ns.x}", '|tojson'],
  ])('pays for each item that is written: %s', (_, first, next, use) => {
    const doubled = `{% set ns = namespace(x=${first}) %}{% for i in range(60) %}{% set ns.x = ${next} %}{% endfor %}`

    expect(typeOf(`${doubled}{{ ns.x${use} }}`, { milliseconds: 600_000 })).toBe('StepLimitError')
  })

  it('is stopped after so much time', () => {
    let now = 0
    const template = compileTemplate('{% for a in range(99999) %}{% endfor %}')

    const rendering = template.render({}, { limits: { milliseconds: 5 }, timer: () => now++ * 3 })

    expect(rendering).toEqual({ kind: 'raised', error: { type: 'TimeLimitError', message: 'more than 5 ms', line: 1 } })
  })
})

describe('a template that goes too deep', () => {
  it.each([
    ['a macro that calls itself', '{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}'],
    [
      'a call block that calls itself',
      '{% macro f() %}{{ caller() }}{% call f() %}{% endcall %}{% endmacro %}{% call f() %}{% endcall %}',
    ],
    ['a loop that calls itself', '{% for x in [[1]] recursive %}{{ loop([x]) }}{% endfor %}'],
    ['brackets within brackets', `{{ ${'('.repeat(50_000)}1${')'.repeat(50_000)} }}`],
    ['signs before signs', `{{ ${'-'.repeat(100_000)}1 }}`],
    ['negations of negations', `{{ ${'not '.repeat(100_000)}1 }}`],
    ['blocks within blocks', '{% if 1 %}'.repeat(20_000)],
    [
      'a list within itself, printed',
      '{% set ns = namespace(x=[]) %}{% for i in range(99999) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x }}',
    ],
    [
      'a list within itself, compared',
      '{% set ns = namespace(x=[]) %}{% for i in range(99999) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x == [ns.x] }}',
    ],
    [
      'a list within itself, as JSON',
      '{% set ns = namespace(x=[]) %}{% for i in range(99999) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x|tojson }}',
    ],
    [
      'generators of generators',
      '{% set ns = namespace(x=[1]) %}{% for i in range(50000) %}{% set ns.x = ns.x|select %}{% endfor %}{{ ns.x|list }}',
    ],
  ])('raises a RecursionError: %s', (_, source) => {
    expect(typeOf(source)).toBe('RecursionError')
  })
})

describe('a template that writes too much', () => {
  it.each([
    ['a text times a number', "{{ 'x' * 999999999999 }}"],
    ['a list times a number', '{{ [1] * 999999999999 }}'],
    [
      'a text that doubles',
      "{% set ns = namespace(x='ab') %}{% for i in range(99) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}",
    ],
    [
      'a text that doubles by +',
      "{% set ns = namespace(x='ab') %}{% for i in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}{{ ns.x }}",
    ],
    [
      'a text that doubles by a macro',
      "{% macro f(x) %}{{ x }}{{ x }}{% endmacro %}{% set ns = namespace(x='ab') %}{% for i in range(99) %}{% set ns.x = f(ns.x) %}{% endfor %}",
    ],
    ['padding', "{{ 'x'.center(999999999999) }}"],
    ['padding of a number', "{{ '%999999999999d' % 1 }}"],
    ['decimals of a number', "{{ '%.999999999d' % 1 }}"],
    ['padding by format', "{{ '{:>999999999999}'.format(1) }}"],
    ['an indent', "{{ 'a\\nb'|indent(999999999999) }}"],
    ['an indent of JSON', '{{ [1]|tojson(indent=999999999999) }}'],
    ['replacing nothing by much', "{{ ('x' * 99999).replace('', 'y' * 99999) }}"],
    ['joining by much', "{{ range(99999)|join('y' * 99999) }}"],
    ['a power', '{{ (10 ** 999999999) > 1 }}'],
    ['tabs', "{{ '\\t\\t'.expandtabs(999999999999) }}"],
    ['rows of filling', "{{ [1]|batch(999999999999, 'x')|list }}"],
    ['slices of nothing', '{{ [1]|slice(999999999999)|list }}'],
    ['filler', '{{ lipsum(999999, min=99999) }}'],
  ])('raises an OutputLimitError: %s', (_, source) => {
    expect(typeOf(source, { output: 1_000_000 })).toBe('OutputLimitError')
  })

  it('raises an OutputLimitError for output that is long as a whole', () => {
    expect(typeOf('{% for i in range(9999) %}0123456789{% endfor %}', { output: 1000 })).toBe('OutputLimitError')
  })
})

describe('what JavaScript has and Python has not', () => {
  it.each([
    'constructor',
    'prototype',
    'toString',
    'valueOf',
    'hasOwnProperty',
    'then',
    '__proto__',
    '__defineGetter__',
  ])('is undefined on every value: %s', (name) => {
    for (const value of [
      "''",
      '1',
      '1.5',
      'true',
      'none',
      '[]',
      '{}',
      '(1,)',
      'range(1)',
      'namespace()',
      'joiner()',
      'x',
    ]) {
      expect(typeOf(`{{ (${value}).${name} is defined }}`, {}, { x: '' })).toBe('text of 5')
      expect(typeOf(`{{ (${value})['${name}'] is defined }}`, {}, { x: '' })).toBe('text of 5')
    }
  })

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'is no name of a filter, test, tag or variable: %s',
    (name) => {
      expect(typeOf(`{{ 1|${name} }}`)).toBe('TemplateAssertionError')
      expect(typeOf(`{{ 1 is ${name} }}`)).toBe('TemplateAssertionError')
      expect(typeOf(`{% ${name} %}`)).toBe('TemplateSyntaxError')
      expect(typeOf(`{{ ${name} is defined }}`)).toBe('text of 5')
      expect(typeOf(`{{ [1]|map('${name}')|list }}`)).toBe('TemplateRuntimeError')
      expect(typeOf(`{{ '{0.${name}.x}'.format(1) }}`)).toBe('UndefinedError')
    },
  )

  it('a member named __proto__ is a member', () => {
    const rendering = compileTemplate('{{ a }}{{ a["__proto__"] }}').render('{"a": {"__proto__": 1}}')

    expect(rendering).toEqual({ kind: 'rendered', text: "{'__proto__': 1}1" })
  })

  it.each([
    "''.__class__",
    '[].__class__.__mro__',
    '{}.__init__',
    'range.__globals__',
    'x.__class__.__bases__',
    'raise_exception.__globals__',
  ])('what leads out of the sandbox raises a SecurityError: %s', (path) => {
    expect(typeOf(`{{ (${path}).x }}`, {}, { x: '' })).toBe('SecurityError')
  })
})

describe('a template that is long', () => {
  const LONG = 200_000

  it.each([
    ['white space', ' \n'.repeat(LONG)],
    ['white space before tags', `${' '.repeat(LONG)}{{ 1 }}`.repeat(4)],
    ['tags on one line', '{{ 1 }} '.repeat(LONG / 8)],
    ['braces', '{'.repeat(LONG)],
    ['tags in comments', `{#${'{%'.repeat(LONG)}#}`],
    ['raw tags that do not end', '{% raw %}{% '.repeat(LONG / 16)],
    ['white space in raw tags', `{% raw %}${`{%${' '.repeat(400)}`.repeat(400)}`],
    ['a long number', `{{ ${'1'.repeat(LONG)} }}`],
    ['a long number with bars', `{{ ${'1_'.repeat(LONG)} }}`],
    ['a string that does not end', `{{ '${'\\x'.repeat(LONG)} }}`],
    ['many strings', `{{ ${"'a' ".repeat(LONG / 8)} }}`],
    ['ifs one after another', '{% if a %}{% set b = 1 %}{% endif %}'.repeat(LONG / 40)],
    ['a sum', `{{ ${'1 + '.repeat(3000)}1 }}`],
  ])('is compiled or refused all the same: %s', (_, source) => {
    const { error } = compileTemplate(source)

    expect(error === null || ['TemplateSyntaxError', 'RecursionError', 'ValueError'].includes(error.type)).toBe(true)
  })
})
