// tidy: long because every row is a sentence of its own about what Python does
import { describe, expect, it } from 'vitest'
import { compileTemplate } from '../src/index.ts'

/* What Jinja2 3.1.6 on Python 3.11 makes of each template with these variables, under the settings of chat templates. */

const VARIABLES =
  '{"s": "str", "n": 7, "m": {"role": "user", "k": 1.0}, "items": [1, "a", null], "messages": [{"role": "user", "content": "b"}, {"role": "tool", "content": "a"}]}'

const NOW = new Date('2026-01-15T12:00:00Z')

interface Raises {
  readonly raises: string
}

function raises(type: string): Raises {
  return { raises: type }
}

function render(source: string): string | Raises {
  const rendering = compileTemplate(source).render(VARIABLES, { now: NOW })
  return rendering.kind === 'rendered' ? rendering.text : raises(rendering.error.type)
}

describe("numbers are Python's", () => {
  it.each([
    [
      '{{ 1 }} {{ 1.0 }} {{ 1e5 }} {{ -0.0 }} {{ 1e16 }} {{ 1e-5 }} {{ 12345678901234567890 }} {{ 0x1f }} {{ 1_000 }}',
      '1 1.0 100000.0 -0.0 1e+16 1e-05 12345678901234567890 31 1000',
    ],
    [
      '{{ 7 / 2 }} {{ 6 / 2 }} {{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7 % -3 }} {{ 2 ** 10 }} {{ 2 ** -1 }} {{ -7.5 // 2 }} {{ -7.5 % 2 }}',
      '3.5 3.0 3 -4 2 -2 1024 0.5 -4.0 0.5',
    ],
    ['{{ 2 ** 3 ** 2 }} {{ -2 ** 2 }} {{ 1 + 2 ~ 3 }}', raises('TypeError')],
    ['{{ 1 ~ 2 * 3 }}', '16'],
    [
      '{{ true + 1 }} {{ true == 1 }} {{ 1 == 1.0 }} {{ 2 ** 63 }} {{ 0.1 + 0.2 }} {{ 1e300 * 1e10 > 1 }}',
      '2 True True 9223372036854775808 0.30000000000000004 True',
    ],
    ['{{ 1 / 0 }}', raises('ZeroDivisionError')],
    ['{{ 1 % 0 }}', raises('ZeroDivisionError')],
    ['{{ 1.0 // 0 }}', raises('ZeroDivisionError')],
    ["{{ 'a' + 1 }}", raises('TypeError')],
    ["{{ 1 + 'a' }}", raises('TypeError')],
    ['{{ none + 1 }}', raises('TypeError')],
    ["{{ -'a' }}", raises('TypeError')],
    [
      "{{ 2.5|round }} {{ 3.5|round }} {{ 2.675|round(2) }} {{ 1234|round(-2) }} {{ 2.1|round(method='ceil') }} {{ 2.1|round(1, 'floor') }} {{ 5|round }}",
      '2.0 4.0 2.67 1200 3.0 2.1 5',
    ],
    [
      "{{ '3.7'|int }} {{ 'x'|int }} {{ 'x'|int(7) }} {{ '0x1f'|int(0, 16) }} {{ 3.9|int }} {{ '1e3'|float }} {{ 'nan'|float }} {{ none|int }}",
      '3 0 7 31 3 1000.0 nan 0',
    ],
    [
      '{{ 1.0|string }} {{ [1.0, 1e100, -0.0, 1e-7] }} {{ 100000000000000000000.0 }}',
      '1.0 [1.0, 1e+100, -0.0, 1e-07] 1e+20',
    ],
    [
      '{{ (7).real }} {{ 7|abs }} {{ -7.5|abs }} {{ true|abs }} {{ 1.5.is_integer() }} {{ (255).bit_length() }}',
      '7 7 7.5 1 False 8',
    ],
  ])('%j gives %j', (source, expected) => {
    expect(render(source)).toEqual(expected)
  })
})

describe("texts are Python's", () => {
  it.each([
    [
      "{{ 'it\\'s' }} {{ ['it\\'s', 'a\"b', 'é', '\\n', '\\x00', '😀', '\\u200b'] }}",
      "it's [\"it's\", 'a\"b', 'é', '\\n', '\\x00', '😀', '\\u200b']",
    ],
    ["{{ '嗯😀x'|length }} {{ '嗯😀x'[1] }} {{ '嗯😀x'[::-1] }} {{ '嗯😀x'[-2:] }}", '3 😀 x😀嗯 😀x'],
    [
      "{{ ' a  b '.split() }} {{ 'a,b,,c'.split(',') }} {{ 'a,b,c'.split(',', 1) }} {{ 'a,b,c'.rsplit(',', 1) }} {{ ''.split() }} {{ ''.split(',') }}",
      "['a', 'b'] ['a', 'b', '', 'c'] ['a', 'b,c'] ['a,b', 'c'] [] ['']",
    ],
    ["{{ 'abc'.split('') }}", raises('ValueError')],
    [
      "{{ 'a\\nb\\r\\nc'.splitlines() }} {{ 'a\\x0bb\\x1cc'.splitlines() }} {{ 'a\\n'.splitlines(true) }}",
      "['a', 'b', 'c'] ['a', 'b', 'c'] ['a\\n']",
    ],
    [
      "{{ 'xxabcxx'.strip('x') }} {{ '\\x1f a\\u00a0'.strip() }}| {{ 'abcabc'.replace('b', 'X', 1) }} {{ 'ab'.replace('', '-') }}",
      'abc a| aXcabc -a-b-',
    ],
    [
      "{{ 'abc'.find('c') }} {{ 'abc'.find('z') }} {{ 'a😀c'.find('c') }} {{ 'abcabc'.rfind('b') }} {{ 'aaa'.count('a') }} {{ 'abc'.count('') }}",
      '2 -1 2 4 3 4',
    ],
    ["{{ 'abc'.index('z') }}", raises('ValueError')],
    [
      "{{ 'hello world'.title() }} {{ \"it's a-b\"|title }} {{ 'éCOLE'.capitalize() }} {{ 'ß'.upper() }} {{ 'aB'.swapcase() }}",
      "Hello World It's A-B École SS Ab",
    ],
    [
      "{{ 'a'.center(4, '*') }} {{ 'ab'.center(5) }}| {{ '7'.zfill(3) }} {{ '-7'.zfill(4) }} {{ 'a'.ljust(3, '.') }} {{ 'a'.rjust(3) }}",
      '*a**   ab | 007 -007 a..   a',
    ],
    [
      "{{ 'abc'.startswith('b', 1) }} {{ 'abc'.startswith(('x', 'a')) }} {{ 'abc'.endswith('') }} {{ 'abc'.removeprefix('a') }} {{ 'a-b-c'.partition('-') }} {{ 'a-b-c'.rpartition('-') }}",
      "True True True bc ('a', '-', 'b-c') ('a-b', '-', 'c')",
    ],
    ["{{ ','.join(['a', 'b']) }} {{ ','.join('ab') }} {{ ','.join({'k': 1}) }}", 'a,b a,b k'],
    ["{{ ','.join([1]) }}", raises('TypeError')],
    ["{{ 'abc'.startswith(1) }}", raises('TypeError')],
    ["{{ 'abc'.strip(1) }}", raises('TypeError')],
    ["{{ 'abc'.upper(1) }}", raises('TypeError')],
    [
      "{{ 'ab' in 'cabd' }} {{ '' in 'a' }} {{ 'a' < 'b' }} {{ '😀' > '\\uffff' }} {{ 'a' * 3 }} {{ 'a' ~ 1 ~ none ~ true }}",
      'True True True True aaa a1NoneTrue',
    ],
    ["{{ 1 in 'a' }}", raises('TypeError')],
    [
      "{{ '%s|%r|%d|%5.2f|%-5s|%05d|%x|%%' % ('a', 'a', 3.7, 3.14159, 'b', 42, 255) }}",
      "a|'a'|3| 3.14|b    |00042|ff|%",
    ],
    ["{{ '%s' % [1] }} {{ '%(a)s' % {'a': 1} }}", '[1] 1'],
    ["{{ '%s %s' % 1 }}", raises('TypeError')],
    ["{{ '%s' % (1, 2) }}", raises('TypeError')],
    ["{{ '%d' % 'a' }}", raises('TypeError')],
    ["{{ '%y' % 1 }}", raises('ValueError')],
    [
      "{{ '{} {}'.format(1, 'a') }} {{ '{0:>5}|{1:<5}|{2:^5}'.format('a', 'b', 'c') }} {{ '{:,.2f} {:05d} {:x} {:e} {:%}'.format(1234567.891, 42, 255, 12345.678, 0.5) }} {{ '{a[k]} {b.k!r}'.format(a={'k': 1}, b={'k': 'x'}) }}",
      "1 a     a|b    |  c   1,234,567.89 00042 ff 1.234568e+04 50.000000% 1 'x'",
    ],
    ["{{ '{} {0}'.format(1) }}", raises('ValueError')],
    ["{{ '{1}'.format(1) }}", raises('IndexError')],
    ["{{ '{a}'.format(b=1) }}", raises('KeyError')],
    ["{{ '{:d}'.format('a') }}", raises('ValueError')],
    ["{{ '{0.__class__.__mro__}'.format(1) }}", raises('SecurityError')],
    ["{{ 'a\\x41\\u00e9\\101\\q\\é' }}", 'aAéA\\q\\xe9'],
    ["{{ 'a' 'b' \"c\" }}", 'abc'],
  ])('%j gives %j', (source, expected) => {
    expect(render(source)).toEqual(expected)
  })
})

describe("lists, tuples and dicts are Python's", () => {
  it.each([
    [
      "{{ [1, 'a', none, true, 1.0] }} {{ (1,) }} {{ () }} {{ (1, 2) }} {{ {'a': {'b': []}} }} {{ {1: 2, none: 3, (1, 2): 4} }}",
      "[1, 'a', None, True, 1.0] (1,) () (1, 2) {'a': {'b': []}} {1: 2, None: 3, (1, 2): 4}",
    ],
    [
      '{{ [1, 2, 3][-1] }} {{ [1, 2, 3][5] is defined }} {{ [1, 2, 3][1:] }} {{ [1, 2, 3, 4][::2] }} {{ [1, 2, 3][::-1] }} {{ [1, 2, 3][5:1:-1] }} {{ (1, 2, 3)[:2] }}',
      '3 False [2, 3] [1, 3] [3, 2, 1] [3] (1, 2)',
    ],
    ['{{ [1][::0] }}', raises('ValueError')],
    ["{{ items['a':] }}", raises('TypeError')],
    ['{{ 5[1:] if x is defined else n[1:] }}', raises('TypeError')],
    [
      "{{ {1: 'a'}[1.0] }} {{ {1: 'a'}[true] }} {{ {'1': 'a'}[1] is defined }} {{ {1: 'a', true: 'b', 1.0: 'c'} }} {{ {(1, 2): 3}[(1, 2)] }}",
      "a a False {1: 'c'} 3",
    ],
    [
      "{{ {'b': 1, 'a': 2}.keys()|list }} {{ {'b': 1}.items() }} {{ {'b': 1}.values() }} {{ {'b': 1}.get('c', 2) }} {{ {'b': 1}.get('c') }} {{ {}.get(1) }}",
      "['b', 'a'] dict_items([('b', 1)]) dict_values([1]) 2 None None",
    ],
    [
      "{{ {'items': 1}['items'] }} {{ {'a': 1}.a }} {{ {'a': 1}['b'] is defined }} {{ {'get': 1}.get('get') }}",
      '1 1 False 1',
    ],
    ['{{ {[]: 1} }}', raises('TypeError')],
    ['{{ {}[[]] is defined }}', 'False'],
    ['{{ [] in {} }}', raises('TypeError')],
    [
      "{{ [1, 2] + [3] }} {{ [0] * 3 }} {{ (1,) + (2,) }} {{ [1] == [1.0] }} {{ [1, 2] < [1, 3] }} {{ {'a': 1} == {'a': 1.0} }} {{ (1,) == [1] }}",
      '[1, 2, 3] [0, 0, 0] (1, 2) True True True False',
    ],
    ['{{ [1] + (2,) }}', raises('TypeError')],
    ["{{ [1] < ['a'] }}", raises('TypeError')],
    ['{{ {} < {} }}', raises('TypeError')],
    [
      '{{ range(5)|list }} {{ range(5, 0, -2)|list }} {{ range(3) }} {{ range(10)[2:5] }} {{ 3 in range(5) }}',
      '[0, 1, 2, 3, 4] [5, 3, 1] range(0, 3) range(2, 5) True',
    ],
    ['{{ range(200000) }}', raises('OverflowError')],
    ["{{ range('a') }}", raises('TypeError')],
    ['{{ range(1, 2, 0) }}', raises('ValueError')],
    ["{{ 'a' in {'a': 1} }} {{ 1 in [1.0] }} {{ none in [none] }} {{ 'a' not in ['b'] }}", 'True True True True'],
    ['{{ 1 in 5 }}', raises('TypeError')],
    [
      "{% for k, v in {'a': 1, 'b': 2}.items() %}{{ k }}={{ v }};{% endfor %}{% for k in {'a': 1} %}{{ k }}{% endfor %}",
      'a=1;b=2;a',
    ],
    ['{% for a, b in [[1, 2, 3]] %}{% endfor %}', raises('ValueError')],
    ['{% for a, b in [[1]] %}{% endfor %}', raises('ValueError')],
    ['{% for a, b in [1] %}{% endfor %}', raises('TypeError')],
    ['{% for a in 5 %}{% endfor %}', raises('TypeError')],
  ])('%j gives %j', (source, expected) => {
    expect(render(source)).toEqual(expected)
  })
})

describe('what is not there is undefined', () => {
  it.each([
    [
      "[{{ x }}] [{{ x|default('d') }}] {{ x is defined }} {{ not x }} {{ x == y }} {{ x|length }} {{ x|list }} {% for a in x %}{% else %}none{% endfor %}",
      '[] [d] False True True 0 [] none',
    ],
    ['{{ x.y }}', raises('UndefinedError')],
    ['{{ x[0] }}', raises('UndefinedError')],
    ['{{ x() }}', raises('UndefinedError')],
    ['{{ x + 1 }}', raises('UndefinedError')],
    ['{{ 1 + x }}', raises('UndefinedError')],
    ['{{ x < 1 }}', raises('UndefinedError')],
    ['{{ -x }}', raises('UndefinedError')],
    ["{{ x ~ 'a' }}", 'a'],
    ['{{ [x] }} {{ x|string }} {{ x|tojson is defined }}', raises('TypeError')],
    ['{{ x|tojson }}', raises('TypeError')],
    ['{{ m.nope }}|{{ m.nope is none }}|{{ m.nope.deeper is defined }}', raises('UndefinedError')],
    ['{{ m.nope.deeper }}', raises('UndefinedError')],
    ["{{ 'a'.nope.deeper }}", raises('UndefinedError')],
    ['{{ none.nope }}|', '|'],
    ['{{ none.nope.deeper }}', raises('UndefinedError')],
    ['{{ 1 if false }}|{{ (1 if false) is undefined }}', '|True'],
    ['{{ (1 if false).x }}', raises('UndefinedError')],
    [
      '{{ x is none }} {{ x is string }} {{ x is mapping }} {{ x is iterable }} {{ x is sequence }} {{ x is number }} {{ x is callable }}',
      'False False False True True False True',
    ],
    ['{{ x|int }} {{ x|upper }}', raises('UndefinedError')],
    ['{{ x|float }}', raises('UndefinedError')],
    [
      "{{ x|first is defined }} {{ []|last is defined }} {{ x|join(',') }} {{ x|sort }} {{ x|sum }}",
      'False False  [] 0',
    ],
  ])('%j gives %j', (source, expected) => {
    expect(render(source)).toEqual(expected)
  })
})

describe('the sandbox lets nothing be changed', () => {
  it.each([
    ['{{ [1].append(2) }}', raises('SecurityError')],
    ['{{ items.pop() }}', raises('SecurityError')],
    ["{{ m.update({'a': 1}) }}", raises('SecurityError')],
    ["{{ m.setdefault('a', 1) }}", raises('SecurityError')],
    ['{{ m.copy() }} {{ items.copy() }} {{ items.count(1) }}', "{'role': 'user', 'k': 1.0} [1, 'a', None] 1"],
    ["{{ ''.__class__ }}|", '|'],
    ["{{ ''.__class__.__mro__ }}", raises('SecurityError')],
    ["{{ ''['__class__'].x }}", raises('SecurityError')],
    ['{{ m._private }}|', '|'],
    ["{{ ''|attr('__class__') }}|", '|'],
  ])('%j gives %j', (source, expected) => {
    expect(render(source)).toEqual(expected)
  })
})

describe("scopes are Jinja's", () => {
  it.each([
    ['{% set x = 1 %}{% for i in [1, 2] %}{% set x = x + i %}{{ x }}{% endfor %}{{ x }}', '231'],
    ['{% set x = 1 %}{% if true %}{% set x = 2 %}{% endif %}{{ x }}', '2'],
    ['{% if false %}{% set s = 2 %}{% endif %}{{ s }}', 'str'],
    ['{% for i in [1] %}{{ q }}{% endfor %}{% set q = 1 %}{{ q }}', '1'],
    [
      '{% set ns = namespace(a=1) %}{% for i in [1, 2] %}{% set ns.a = ns.a + i %}{% endfor %}{{ ns.a }} {{ ns }}',
      "4 <Namespace {'a': 4}>",
    ],
    [
      '{% set ns = namespace(k=1) %}{% set ns.a = [ns] %}{{ ns }}{{ ns.a }}',
      "<Namespace {'k': 1, 'a': [<Namespace {...}>]}>[<Namespace {'k': 1, 'a': [...]}>]",
    ],
    ['{% set n.a = 1 %}', raises('TemplateRuntimeError')],
    ['{% set q.a = 1 %}', raises('TemplateRuntimeError')],
    ["{% for i in [1, 2] %}{% if i == 1 %}{% set y = 'a' %}{% endif %}{{ y }};{% endfor %}", 'a;;'],
    [
      '{% with a = 1, b = s %}{% set s = 2 %}{{ a }}{{ b }}{{ s }}{% endwith %}{{ a is defined }}{{ s }}',
      '1str2Falsestr',
    ],
    ['{% macro f(a, b=a) %}{{ a }}{{ b }}{{ s }}{% endmacro %}{{ f(1) }}{{ f(1, 2) }}{{ f(b=3) }}', '11str12str3str'],
    ['{% macro f() %}{{ v }}{% endmacro %}{% set v = 1 %}{{ f() }}{% set v = 2 %}{{ f() }}', '12'],
    ['{% set a, b = 1, [2] %}{{ a }}{{ b }}', '1[2]'],
    ['{% set a, b = 1 %}', raises('TypeError')],
    ['{% set a = 1, 2 %}{{ a }}', '(1, 2)'],
    ['{% set x %}a{{ 1 }}{% endset %}{{ x }}{% set y | upper %}b{% endset %}{{ y }}', 'a1B'],
    ['{% generation %}{% set g = 1 %}{{ g }}{% endgeneration %}{{ g is defined }}', '1False'],
    ['{% filter upper %}a{% set z = 1 %}{% endfilter %}{{ z is defined }}', 'AFalse'],
    [
      '{% block q %}{{ s }}{% endblock %}{% for i in [1] %}{% block r %}{{ i is defined }}{% endblock %}{% block t scoped %}{{ i }}{% endblock %}{% endfor %}',
      'strFalse1',
    ],
  ])('%j gives %j', (source, expected) => {
    expect(render(source)).toEqual(expected)
  })
})

describe("loops are Jinja's", () => {
  it.each([
    [
      "{% for i in 'abc' %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.previtem }}{{ loop.nextitem }};{% endfor %}",
      '103TrueFalse3b;212FalseFalse3ac;321FalseTrue3b;',
    ],
    [
      '{% for i in [1, 2, 3] if i != 2 %}{{ i }}{{ loop.last }}{{ loop.length }}{% else %}none{% endfor %}',
      '1False23True2',
    ],
    [
      '{% for i in [1, 2, 3] %}{% if i == 2 %}{% continue %}{% endif %}{{ i }}{% endfor %}{% for i in [1, 2, 3] %}{% if i == 2 %}{% break %}{% endif %}{{ i }}{% endfor %}',
      '131',
    ],
    ['{% for i in [1] %}{% break %}{% else %}else{% endfor %}', 'else'],
    ["{% for i in [1, 2] %}{{ loop.cycle('a', 'b') }}{{ loop.changed(i // 2) }}{% endfor %}", 'aTruebTrue'],
    [
      '{% for x in [1, [2, [3]]] recursive %}{% if x is number %}{{ x }}{% else %}<{{ loop(x) }}>{% endif %}{{ loop.depth }}{% endfor %}',
      '11<22<33>2>1',
    ],
    ['{% for x in [1] %}{{ loop(x) }}{% endfor %}', raises('TypeError')],
    ['{{ loop }}|', '|'],
    ['{% for x in [[1], [2]] %}{% for y in x %}{{ loop.index }}{% endfor %}{{ loop.index }}{% endfor %}', '1112'],
    ['{% for m in messages if m.role == s %}{{ m.role }}{% endfor %}', ''],
    ["{% for x in items|select('string') %}{{ loop.length }}{{ x }}{% endfor %}", '1a'],
    [
      "{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}{{ c.current }}{{ c.next() }}{% set j = joiner('; ') %}{{ j() }}1{{ j() }}2",
      'abaa1; 2',
    ],
  ])('%j gives %j', (source, expected) => {
    expect(render(source)).toEqual(expected)
  })
})

describe("macros and call blocks are Jinja's", () => {
  it.each([
    ['{% macro f(a) %}[{{ a }}]{% endmacro %}{{ f() }}{{ f(1)|length }}{{ f(1) ~ f(2) }}', '[]3[1][2]'],
    ['{% macro f(a) %}{% endmacro %}{{ f(1, 2) }}', raises('TypeError')],
    ['{% macro f(a) %}{% endmacro %}{{ f(b=1) }}', raises('TypeError')],
    ['{% macro f(a) %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ f(1, 2, 3, b=4) }}', "(2, 3){'b': 4}"],
    ['{% macro f() %}<{{ caller() }}>{% endmacro %}{% call f() %}body{% endcall %}', '<body>'],
    ['{% macro f() %}<{{ caller(1, 2) }}>{% endmacro %}{% call(a, b=3) f() %}{{ a }}{{ b }}{% endcall %}', '<12>'],
    ['{% macro f() %}{{ caller() }}{% endmacro %}{{ f() }}', raises('UndefinedError')],
    ['{% macro f() %}x{% endmacro %}{% call f() %}{% endcall %}', raises('TypeError')],
    ['{% macro f(a) %}{{ a.b.c }}{% endmacro %}{{ f({}) }}', raises('UndefinedError')],
    ['{{ f(1) }}{% macro f(a) %}{% endmacro %}', raises('UndefinedError')],
    [
      '{% macro f(a, b=1) %}{% endmacro %}{{ f }} {{ f.name }} {{ f.arguments }} {{ f.catch_kwargs }}',
      "<Macro 'f'> f ('a', 'b') False",
    ],
    ['{% macro f(*a) %}{% endmacro %}', raises('TemplateSyntaxError')],
    [
      "{{ dict(a=1, **{'b': 2}) }} {{ dict([('x', 1)]) }} {{ range(*[1, 3])|list }}",
      "{'a': 1, 'b': 2} {'x': 1} [1, 2]",
    ],
    ['{{ dict(**1) }}', raises('TypeError')],
    ['{{ range(*1) }}', raises('TypeError')],
  ])('%j gives %j', (source, expected) => {
    expect(render(source)).toEqual(expected)
  })
})

describe("filters are Jinja's", () => {
  it.each([
    [
      "{{ [3, 1, 2]|sort }} {{ ['b', 'A']|sort }} {{ ['b', 'A']|sort(case_sensitive=true) }} {{ [1, 2]|sort(true) }} {{ messages|sort(attribute='content')|map(attribute='role')|list }}",
      "[1, 2, 3] ['A', 'b'] ['A', 'b'] [2, 1] ['tool', 'user']",
    ],
    ["{{ [1, 'a']|sort }}", raises('TypeError')],
    [
      "{{ {'b': 1, 'a': 2}|dictsort }} {{ {'b': 1, 'a': 2}|dictsort(by='value') }}",
      "[('a', 2), ('b', 1)] [('b', 1), ('a', 2)]",
    ],
    [
      "{{ [1, 2, 3]|map('string')|join('-') }} {{ messages|map(attribute='role')|list }} {{ items|map('nope')|list }}",
      raises('TemplateRuntimeError'),
    ],
    ['{{ items|map()|list }}', raises('FilterArgumentError')],
    [
      "{{ messages|selectattr('role', 'equalto', 'user')|list|length }} {{ [0, 1, none]|select|list }} {{ [0, 1]|reject|list }} {{ [1, 2]|select('even')|list }}",
      '1 [1] [0] [2]',
    ],
    [
      "{{ messages|groupby('role') }} {{ [1, 2, 3]|batch(2)|list }} {{ [1, 2, 3]|slice(2)|list }} {{ [1, 1, 2]|unique|list }}",
      "[('tool', [{'role': 'tool', 'content': 'a'}]), ('user', [{'role': 'user', 'content': 'b'}])] [[1, 2], [3]] [[1, 2], [3]] [1, 2]",
    ],
    ['{{ [1, 2]|sum }} {{ [1.5, 1]|sum(start=1) }} {{ [3, 1]|max }} {{ [3, 1]|min }} {{ []|max }}|', '3 3.5 3 1 |'],
    ["{{ ['a']|sum }}", raises('TypeError')],
    [
      "{{ 'a b'|wordcount }} {{ 'hello world'|truncate(8) }} {{ 'hello'|truncate(3) }} {{ 'a\\nb'|indent }} {{ 'a\\n\\nb'|indent(2, true, true) }} {{ 'aaa bbb ccc'|wordwrap(5) }}",
      '2 hello world hello a\n    b   a\n  \n  b aaa\nbbb\nccc',
    ],
    [
      "{{ '<a>'|e }} {{ '<a>'|e|e }} {{ '<a>'|safe|e }} {{ ('<'|e) ~ '<' }} {{ ('<'|e) + '<' }} {{ '<b>x</b>'|striptags }} {{ 'a b&c'|urlencode }} {{ {'a': 'b c'}|urlencode }} {{ {'a': 1, 'b': none}|xmlattr }}",
      '&lt;a&gt; &lt;a&gt; <a> &lt;< &lt;&lt; x a%20b%26c a=b+c  a="1"',
    ],
    [
      "{{ 'abc'|first }} {{ 'abc'|last }} {{ 'abc'|reverse }} {{ [1, 2]|reverse|list }} {{ 'abc'|list }} {{ 5|list }}",
      raises('TypeError'),
    ],
    ["{{ 1|default(2) }} {{ ''|default('x') }} {{ ''|default('x', true) }} {{ x|d }}|", '1  x |'],
    ['{{ m|items|list }} {{ x|items|list }} {{ 1|items|list }}', raises('TypeError')],
    ['{{ 1000|filesizeformat }} {{ 1024|filesizeformat(true) }} {{ 1|filesizeformat }}', '1.0 kB 1.0 KiB 1 Byte'],
    ["{{ 'a'|nope }}", raises('TemplateAssertionError')],
    ["{% if false %}{{ 'a'|nope }}{% endif %}fine", 'fine'],
    ["{% if true %}{{ 'a'|nope }}{% endif %}", raises('TemplateRuntimeError')],
    ["{{ 'a' is nope }}", raises('TemplateAssertionError')],
    ["{{ 'a'|upper(1) }}", raises('TypeError')],
    ["{{ 'a'|replace('a') }}", raises('TypeError')],
  ])('%j gives %j', (source, expected) => {
    expect(render(source)).toEqual(expected)
  })
})

describe('tojson is json.dumps', () => {
  it.each([
    [
      "{{ m|tojson }} {{ [1.0, 1e5, -0.0, none, true, 'é', '<\\'&>', 12345678901234567890]|tojson }}",
      '{"role": "user", "k": 1.0} [1.0, 100000.0, -0.0, null, true, "é", "<\'&>", 12345678901234567890]',
    ],
    ["{{ {'b': 1, 'a': [1, {}]}|tojson(indent=2) }}", '{\n  "b": 1,\n  "a": [\n    1,\n    {}\n  ]\n}'],
    [
      "{{ {'b': 1, 'a': [1]}|tojson(sort_keys=true, separators=(',', ':')) }} {{ 'é😀'|tojson(ensure_ascii=true) }} {{ [1]|tojson(indent='\\t') }} {{ [[], {}]|tojson(indent=1) }}",
      '{"a":[1],"b":1} "\\u00e9\\ud83d\\ude00" [\n\t1\n] [\n [],\n {}\n]',
    ],
    [
      "{{ {1: 2, none: 3, true: 4, 1.5: 5}|tojson }} {{ (1, 2)|tojson }} {{ ('a'|e)|tojson }}",
      '{"1": 4, "null": 3, "1.5": 5} [1, 2] "a"',
    ],
    ['{{ {(1, 2): 3}|tojson }}', raises('TypeError')],
    ['{{ range(3)|tojson }}', raises('TypeError')],
    ["{{ items|map('string')|tojson }}", raises('TypeError')],
  ])('%j gives %j', (source, expected) => {
    expect(render(source)).toEqual(expected)
  })
})

describe("tests are Jinja's", () => {
  it.each([
    [
      "{{ 1 is odd }} {{ 2 is even }} {{ 4 is divisibleby 2 }} {{ 4 is divisibleby(3) }} {{ 1 is number }} {{ true is number }} {{ true is integer }} {{ 1.0 is float }} {{ 'a' is string }} {{ ('a'|e) is string }}",
      'True True True False True True False True True True',
    ],
    [
      "{{ {} is mapping }} {{ [] is sequence }} {{ 'a' is sequence }} {{ 'a' is iterable }} {{ 1 is iterable }} {{ none is none }} {{ 1 is sameas 1 }} {{ 1 is in [1] }} {{ 'a' is lower }} {{ 'A' is upper }} {{ range is callable }}",
      'True True True True False True True True True True True',
    ],
    [
      "{{ 1 is eq 1 }} {{ 1 is ne(1) }} {{ 1 is lt 2 }} {{ 1 is not defined }} {{ not 1 is defined }} {{ 'upper' is filter }} {{ 'odd' is test }}",
      'True False True False False True True',
    ],
    ["{{ 'a' is odd }}", raises('TypeError')],
    ['{{ 1 is defined is defined }}', raises('TemplateSyntaxError')],
    [
      "{{ 1 < 2 < 3 }} {{ 1 < 2 > 3 }} {{ 1 in [1] == true }} {{ not 1 == 2 }} {{ 1 if 0 else 2 if 0 else 3 }} {{ 0 or 'a' }} {{ 1 and '' }}|",
      'True False False True 3 a |',
    ],
  ])('%j gives %j', (source, expected) => {
    expect(render(source)).toEqual(expected)
  })
})

describe("white space is Jinja's", () => {
  it.each([
    ['a\n{% if true %}\n  b\n  {% endif %}\nc\n', 'a\n  b\nc'],
    ['  {{ 1 }}\n  {%- if true -%}\n  x\n  {%+ endif +%}\n y', '  1x\n  \n y'],
    ['a {#- c -#} b {# c #}\n d', 'ab  d'],
    ['{% raw %}{{ x }}{% endraw %}\n  {% raw -%}\n a {%- endraw %}', '{{ x }}a'],
    ['a\r\nb\rc\n\n', 'a\nb\nc\n'],
    ['  {% set x = 1 %}  \n{{ x -}}  \n z', '  \n1z'],
  ])('%j gives %j', (source, expected) => {
    expect(render(source)).toEqual(expected)
  })
})

describe('a text that is not a template is refused', () => {
  it.each([
    ['{{ 1', raises('TemplateSyntaxError')],
    ['{% if %}', raises('TemplateSyntaxError')],
    ['{% if true %}', raises('TemplateSyntaxError')],
    ['{% for x %}{% endfor %}', raises('TemplateSyntaxError')],
    ['{{ a b }}', raises('TemplateSyntaxError')],
    ['{{ }}', raises('TemplateSyntaxError')],
    ['{% nope %}', raises('TemplateSyntaxError')],
    ['{% endif %}', raises('TemplateSyntaxError')],
    ["{{ 'a }}", raises('TemplateSyntaxError')],
    ['{{ (1 }}', raises('TemplateSyntaxError')],
    ['{{ 1) }}', raises('TemplateSyntaxError')],
    ['{{ [1 2] }}', raises('TemplateSyntaxError')],
    ['{{ f(a=1, 2) }}', raises('TemplateSyntaxError')],
    ['{% set 1 = 2 %}', raises('TemplateSyntaxError')],
    ['{{ a.+ }}', raises('TemplateSyntaxError')],
    ['{# x', raises('TemplateSyntaxError')],
    ['{% raw %}x', raises('TemplateSyntaxError')],
    ['{{ a ? b }}', raises('TemplateSyntaxError')],
    ['{% break %}', raises('SyntaxError')],
    ['{% for loop in x %}{% endfor %}', raises('TemplateAssertionError')],
    ['{% macro f(a=1, b) %}{% endmacro %}', raises('TemplateSyntaxError')],
    ["{{ '\\x4' }}", raises('TemplateSyntaxError')],
    ['{% block a %}{% endblock %}{% block a %}{% endblock %}', raises('TemplateAssertionError')],
    ['{{ f(a=1, a=2) }}', raises('SyntaxError')],
    ['{% set x | replace(s, qq) %}{% endset %}', raises('AssertionError')],
    ["{% include 'a' %}", raises('TypeError')],
    ["{% extends 'a' %}", raises('TypeError')],
  ])('%j gives %j', (source, expected) => {
    expect(render(source)).toEqual(expected)
  })
})

describe('functions of chat templates', () => {
  it.each([
    ["{{ raise_exception('no') }}", raises('raise_exception')],
    ['{{ raise_exception(1) }}', raises('raise_exception')],
    [
      "{{ strftime_now('%Y-%m-%d %d %b %B %a %A %H:%M:%S %j %p %I %y %-d %e %%') }}",
      '2026-01-15 15 Jan January Thu Thursday 12:00:00 015 PM 12 26 15 15 %',
    ],
    ['{{ strftime_now(1) }}', raises('TypeError')],
    ['{{ namespace(a=1).a }}', '1'],
  ])('%j gives %j', (source, expected) => {
    expect(render(source)).toEqual(expected)
  })
})
