import fc from 'fast-check'
import { expressions, pick, shape } from './expressions.ts'

const { any, text, list, flag } = expressions

const open = pick('{% ', '{% ', '{%- ', '{%+ ')
const close = pick(' %}', ' %}', ' -%}', ' +%}')
const data = pick('text', ' ', '\n', '  \n  ', 'a b\n', '\t', '<|im_start|>', '{', '}', '\n\n', 'é', '  x')
const tag = (inside: fc.Arbitrary<string> | string): fc.Arbitrary<string> =>
  shape('$$$', open, typeof inside === 'string' ? fc.constant(inside) : inside, close)
const loopOver = pick(
  'items',
  'messages',
  '[1, 2, 3]',
  "'abc'",
  'm.items()',
  'range(3)',
  "'a,b'.split(',')",
  'm',
  '[[1, 2], [3, 4]]',
)
const loopTarget = pick('x', 'y', 'm', 'x', 'x', 'a')
const print = shape('$$$', pick('{{ ', '{{ ', '{{- '), fc.oneof(any, text, list), pick(' }}', ' }}', ' -}}'))
const LOOP_ATTRIBUTES = pick(
  ...[
    'loop.index',
    'loop.index0',
    'loop.last',
    'loop.first',
    'loop.length',
    'loop.previtem',
    'loop.nextitem',
    'loop',
    'loop.depth',
  ],
  ...[
    "loop.cycle('a', 'b')",
    'loop.changed(x)',
    'loop.revindex0',
    'loop.revindex',
    'loop|length',
    "loop['index']",
    'loop.nothing',
  ],
)
const INVALID = pick(
  ...[
    '{% break %}',
    '{% if %}',
    '{{ }}',
    '{% endfor %}',
    '{{ a b }}',
    "{{ 'x }}",
    '{% set %}',
    '{{ a. }}',
    '{% do x %}',
    '{{ (1, }}',
    '{# x',
  ],
  ...[
    '{{ 1 is odd is even }}',
    '{% for x in y %}',
    '{{ [1 2] }}',
    '{{ f(a=1, 2) }}',
    '{% set 1 = 2 %}',
    '{{ a|b }}',
    '{% raw %}',
    '{{ {1} }}',
  ],
  ...[
    '{% if a %}{% endfor %}',
    '{% macro f(a=1, b) %}{% endmacro %}',
    '{% set a.b.c = 1 %}',
    '{{ x is }}',
    "{{ '\\x4' }}",
    '{{ a ? b }}',
  ],
  ...[
    '{% block q %}{% endblock %}{% block q %}{% endblock %}',
    "{% include 'x' %}",
    "{% import 'x' as y %}",
    '{% extends x %}',
    '{% for loop in x %}{% endfor %}',
  ],
)

const { template } = fc.letrec<{ template: string; statement: string; body: string }>((tie) => {
  const body = tie('body')
  return {
    template: fc.oneof(
      { arbitrary: print, weight: 4 },
      {
        arbitrary: fc.array(tie('statement'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('')),
        weight: 4,
      },
    ),
    body: fc.array(tie('statement'), { maxLength: 2, depthIdentifier: 'body' }).map((parts) => parts.join('')),
    statement: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { arbitrary: data, weight: 5 },
      { arbitrary: print, weight: 6 },
      {
        arbitrary: pick('{{ x }}', '{{ y }}', '{{ s }}', '{{ loop.index }}', '{{ x.k }}', '{{ ns.x }}', '{{ q }}'),
        weight: 5,
      },
      { arbitrary: tag(shape('set $ = $', pick('x', 'y', 'a', 's', 'm'), any)), weight: 3 },
      {
        arbitrary: shape(
          '$$',
          tag(shape('set x, y = $', pick('1, 2', '(1, [2])', "'ab'", 'items', 'm', 'items[0], s'))),
          body,
        ),
        weight: 1,
      },
      {
        arbitrary: shape(
          '{% set ns = namespace(x=$) %}$$$',
          any,
          data,
          body,
          pick('{% set ns.x = ns.x ~ s %}{{ ns.x }}', '{{ ns }}'),
        ),
        weight: 1,
      },
      {
        arbitrary: shape(
          '{% set x = namespace(k=$) %}{% for y in items %}{% set x.k = $ %}{% endfor %}{{ x.k }}',
          any,
          any,
        ),
        weight: 1,
      },
      { arbitrary: shape('$$$', tag(shape('if $', flag)), body, tag('endif')), weight: 3 },
      { arbitrary: shape('$$$$$', tag(shape('if $', any)), body, tag('else'), body, tag('endif')), weight: 1 },
      {
        arbitrary: shape(
          '$$$$$$$',
          tag(shape('if $', flag)),
          body,
          tag(shape('elif $', any)),
          body,
          tag('else'),
          body,
          tag('endif'),
        ),
        weight: 1,
      },
      { arbitrary: shape('$$$', tag(shape('for $ in $', loopTarget, loopOver)), body, tag('endfor')), weight: 4 },
      { arbitrary: shape('$$$', tag(shape('for $ in $', loopTarget, list)), body, tag('endfor')), weight: 2 },
      {
        arbitrary: shape(
          '$$$',
          tag(shape('for x, y in $', pick('m.items()', '[[1, 2]]', 'm|dictsort', "['ab']", 'items', 'm|items'))),
          body,
          tag('endfor'),
        ),
        weight: 1,
      },
      {
        arbitrary: shape(
          '$$$$$',
          tag(
            shape(
              'for $ in $ if $',
              loopTarget,
              loopOver,
              pick('x', 'x is string', 'x.role == s', 'loop', 'not x', 'y', 'ns.x'),
            ),
          ),
          body,
          tag('else'),
          body,
          tag('endfor'),
        ),
        weight: 1,
      },
      {
        arbitrary: shape(
          '{% for x in $ %}[{{ $ }}]{% endfor %}',
          pick('items', 'range(3)', "items|select('string')", 's'),
          LOOP_ATTRIBUTES,
        ),
        weight: 2,
      },
      {
        arbitrary: shape(
          '$$$$$',
          tag(shape('for $ in $', loopTarget, loopOver)),
          body,
          pick(
            '{% if loop.index > 1 %}{% break %}{% endif %}',
            '{% if x %}{% continue %}{% endif %}',
            '{% continue %}',
            '{% break %}',
          ),
          body,
          pick('{% endfor %}', '{% else %}none{% endfor %}'),
        ),
        weight: 1,
      },
      {
        arbitrary: shape(
          '$$$$',
          tag('for x in [1, [2, [3]], 4] recursive'),
          body,
          pick(
            '{{ loop(x) if x is sequence else x }}',
            '{{ loop.depth }}{{ x }}',
            '{% if x is sequence %}<{{ loop(x) }}>{% endif %}',
          ),
          tag('endfor'),
        ),
        weight: 1,
      },
      {
        arbitrary: shape(
          '$$$$$',
          tag(shape('macro f($)', pick('x', 'x, y=1', 'x=s, y=x', '', 'y=[x]'))),
          body,
          pick('{{ varargs }}', '{{ kwargs }}', '{{ x }}{{ y }}', ''),
          tag('endmacro'),
          pick(
            '{{ f(1) }}',
            '{{ f() }}',
            '{{ f(1, 2) }}',
            '{{ f(y=s) }}',
            '{{ f(1, 2, 3) }}',
            '{{ f(z=1) }}',
            '{{ f }}',
            '{{ f.name }}{{ f.arguments }}',
          ),
        ),
        weight: 3,
      },
      {
        arbitrary: shape(
          '$$$$$$',
          tag('macro f(x)'),
          pick('{{ caller(x) }}', '{{ caller() }}', '[{{ x }}]', '{% if caller %}{{ caller() }}{% endif %}'),
          tag('endmacro'),
          tag(pick('call f(1)', 'call(y) f(1)', 'call(y=3) f(a)', 'call f()')),
          body,
          tag('endcall'),
        ),
        weight: 1,
      },
      {
        arbitrary: shape(
          '$$$',
          tag(
            shape(
              'filter $',
              pick(
                'upper',
                'trim',
                "replace('a', 'b')",
                'length',
                'indent(2)',
                'trim|upper',
                "default('x')",
                'tojson',
                'e',
                'list',
              ),
            ),
          ),
          body,
          tag('endfilter'),
        ),
        weight: 1,
      },
      {
        arbitrary: shape(
          '$$$$',
          tag(shape('set $', pick('x', 's', 'x | upper', 'y | trim | length', 'x | replace(s, y)'))),
          body,
          tag('endset'),
          pick('{{ x }}', '{{ y }}', ''),
        ),
        weight: 1,
      },
      { arbitrary: shape('$$$', tag(shape('with $ = $', pick('x', 'a', 'y'), any)), body, tag('endwith')), weight: 1 },
      { arbitrary: shape('$$$', tag('generation'), body, tag('endgeneration')), weight: 1 },
      {
        arbitrary: shape('$$$', tag(shape('autoescape $', pick('true', 'false', 'x'))), body, tag('endautoescape')),
        weight: 1,
      },
      {
        arbitrary: shape(
          '$$$',
          pick('{% raw %}', '{%- raw -%}', '  {% raw %}\n'),
          pick('{{ x }}', '{% y %}', ' \n', 'a'),
          tag('endraw'),
        ),
        weight: 1,
      },
      { arbitrary: shape('$$$', tag(pick('block q', 'block r scoped')), body, tag('endblock')), weight: 1 },
      { arbitrary: shape('{#$ c $#}', pick('', '-', '+'), pick('', '-', '+')), weight: 1 },
      { arbitrary: tag(shape('print $, $', any, text)), weight: 1 },
      { arbitrary: INVALID, weight: 1 },
    ),
  }
})

/** Random templates over the whole grammar; one in ten is not even a template. */
export const templates: fc.Arbitrary<string> = template

const words = pick(
  '',
  'a',
  'abc',
  'a b c',
  'Hello World',
  '<b>&',
  'x,y',
  '1',
  '1.5',
  ' pad ',
  'line\nbreak\n',
  'é',
  '嗯😀',
  "it's",
  '"q"',
  '%s',
  'a\r\nb',
)
const numbers = pick(
  '0',
  '1',
  '-1',
  '2',
  '7',
  '1.0',
  '0.5',
  '-0.0',
  '1e5',
  '1.5e300',
  '9223372036854775808',
  '2.675',
  '1e-7',
  '100',
)
const quoted = words.map((word) => JSON.stringify(word))
const values: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    { arbitrary: fc.oneof(quoted, numbers, pick('true', 'false', 'null')), weight: 4 },
    { arbitrary: fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`), weight: 2 },
    {
      arbitrary: fc
        .uniqueArray(fc.tuple(pick('k', 'role', 'content', 'items', 'z', 'a', '1', 'é'), tie('value')), {
          maxLength: 3,
          selector: ([key]) => key,
        })
        .map(dictText),
      weight: 2,
    },
  ),
})).value

function dictText(pairs: readonly (readonly [string, string])[]): string {
  return `{${pairs.map(([key, value]) => `${JSON.stringify(key)}: ${value}`).join(', ')}}`
}

const message = fc.tuple(quoted, quoted, numbers).map(([role, content, k]) =>
  dictText([
    ['role', role],
    ['content', content],
    ['k', k],
  ]),
)
const itemLists = fc.oneof(
  fc.array(values, { maxLength: 4 }),
  fc.array(quoted, { maxLength: 4 }),
  fc.array(numbers, { maxLength: 4 }),
  fc.array(message, { maxLength: 3 }),
)

/** Random variables as JSON text. */
export const variables: fc.Arbitrary<string> = fc
  .tuple(values, values, numbers, quoted, itemLists, fc.array(message, { minLength: 1, maxLength: 3 }), message)
  .map(([a, b, n, s, items, messages, m]) =>
    dictText([
      ['a', a],
      ['b', b],
      ['n', n],
      ['s', s],
      ['items', `[${items.join(', ')}]`],
      ['messages', `[${messages.join(', ')}]`],
      ['m', m],
    ]),
  )
