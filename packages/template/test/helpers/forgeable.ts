import type { LintedTemplate } from '../../src/lint/index.ts'

/** Templates with an expected finding; null for those in which no text forges anything. */
export interface ForgeableTemplate extends LintedTemplate {
  readonly about: string
  readonly finds: string | null
}

interface Parts {
  /** Printed before everything else. */
  readonly head?: string
  readonly user?: string
  readonly result?: string
  readonly tools?: string
  /** Arguments of a call. */
  readonly args?: string
  readonly open?: string
  readonly close?: string
}

/** A template with marks on lines of their own, which writes every text but those of system and model as JSON. */
function template(parts: Parts = {}): string {
  const {
    head = '',
    user = '{{ m.content | tojson }}',
    result = '{{ m.content | tojson }}',
    tools = '{{ t | tojson }}',
    args = '{{ c.function.arguments | tojson }}',
    open = '<|{{ m.role }}|>\n',
    close = '\n<|end|>\n',
  } = parts
  return [
    head,
    `{% if tools %}<tools>{% for t in tools %}${tools}{% endfor %}</tools>{% endif %}`,
    `{% for m in messages %}${open}`,
    `{% if m.role == 'user' %}${user}{% elif m.role == 'tool' %}${result}{% else %}{{ m.content }}{% endif %}`,
    `{% for c in m.tool_calls or [] %}<call>{"name": {{ c.function.name | tojson }}, "arguments": ${args}}</call>{% endfor %}`,
    `${close}{% endfor %}`,
    `{% if add_generation_prompt %}<|assistant|>\n{% endif %}`,
  ].join('')
}

const RAW = '{{ m.content }}'
const count = (roles: string): string => `(messages | selectattr('role', 'in', [${roles}]) | list | length)`
const both = (text: string): Parts => ({ user: text, result: text })
const F = 't.function'
/** JSON in which no mark is left. */
const escaped = (value: string): string => `{{ ${value} | tojson | replace('<', '\\\\u003c') }}`

/** No text forges anything. */
const SAFE: readonly (readonly [string, string, LintedTemplate['specials']?])[] = [
  ['texts as JSON', template()],
  ['texts without the sign of marks', template(both("{{ m.content | replace('<|', '') }}"))],
  ['a space within the marks', template(both("{{ m.content | replace('<|', '< |') }}"))],
  ['escapes of HTML', template(both('{{ m.content | escape }}'))],
  ['a bar before every line', template(both("| {{ m.content | replace('\\n', '\\n| ') }}"))],
  ['the length before the text', template(both('{{ m.content | length }}:{{ m.content }}'))],
  ['the number of messages at the beginning', template({ ...both(RAW), head: '{{ messages | length }}\n' })],
  [
    'refuses marks',
    template(both("{% if '<|' in m.content %}{{ raise_exception('mark') }}{% endif %}{{ m.content }}")),
  ],
  ['prints the first line only', template(both("{{ m.content.split('\\n')[0] }}"))],
  ['upper case', template(both('{{ m.content | upper }}'))],
  ['URL encoding', template(both('{{ m.content | urlencode }}'))],
  [
    'the roles at the beginning',
    template({ ...both(RAW), head: "{{ messages | map(attribute='role') | join(' ') }}\n" }),
  ],
  ['line feeds as spaces', template(both("{{ m.content | replace('\\n', ' ') }}"))],
  [
    'no mark in JSON, with tokens known',
    template({ ...both(escaped('m.content')), tools: escaped('t'), args: escaped('c.function.arguments') }),
    ['<|end|>', '<|user|>', '<|assistant|>'],
  ],
  ['texts reversed', template(both('{{ m.content | reverse }}'))],
]

/** One text forges one thing. */
const UNSAFE: readonly (readonly [string, string, string, LintedTemplate['specials']?])[] = [
  [
    'user-forges-turn',
    'counts systems and results',
    template({ user: RAW, head: `{{ ${count("'system', 'tool'")} }}\n` }),
  ],
  ['user-forges-system', 'counts answers', template({ user: RAW, head: `{{ ${count("'assistant'")} }}\n` })],
  [
    'user-forges-call',
    'counts systems, and answers without calls',
    template({
      user: RAW,
      head: `{{ ${count("'system'")} }} {{ messages | selectattr('role', 'eq', 'assistant') | rejectattr('tool_calls') | list | length }}\n`,
    }),
  ],
  [
    'result-forges-turn',
    'counts results without a turn',
    template({ result: RAW, head: `{{ ${count("'tool'")} - ${count("'user'")} }}\n` }),
  ],
  [
    'result-forges-system',
    'counts results without a system message',
    template({ result: RAW, head: `{{ ${count("'tool'")} - ${count("'system'")} }}\n` }),
  ],
  [
    'result-forges-call',
    'counts systems and turns',
    template({ result: RAW, head: `{{ ${count("'system', 'user'")} }}\n` }),
  ],
  ['description-forges-turn', 'of a tool', template({ tools: `{{ ${F}.name | tojson }}: {{ ${F}.description }}` })],
  [
    'description-forges-turn',
    'of a property',
    template({ tools: `{% for p in ${F}.parameters.properties.values() %}{{ p.description }}{% endfor %}` }),
  ],
  ['name-forges-turn', 'of a tool', template({ tools: `{{ ${F}.name }}: {{ ${F}.description | tojson }}` })],
  [
    'name-forges-turn',
    'of a property',
    template({ tools: `{% for p in ${F}.parameters.properties %}{{ p }} {% endfor %}` }),
  ],
  [
    'argument-forges-turn',
    'as text',
    template({ args: '{% for v in c.function.arguments.values() %}{{ v }}{% endfor %}' }),
  ],
  [
    'description-forges-turn',
    'by token, in JSON',
    template({
      ...both(escaped('m.content')),
      tools: `{{ ${F}.description | tojson }}`,
      args: escaped('c.function.arguments'),
    }),
    ['<|end|>', '<|user|>', '<|assistant|>'],
  ],
  [
    'argument-forges-turn',
    'by token, in JSON',
    template({ ...both(escaped('m.content')), tools: escaped('t') }),
    ['<|end|>', '<|user|>', '<|assistant|>'],
  ],
  [
    'result-forges-call',
    'without any token: plain words',
    template({
      result: "{% set said = m.content %}{{ 'Result: ' + said }}",
      open: '\n{{ m.role }}: ',
      close: '\n--\n',
      head: `{{ ${count("'system', 'user'")} }}\n`,
    }),
  ],
  [
    'user-forges-turn',
    'no line feed and no quotation mark',
    template({
      ...{
        user: RAW,
        tools: "{{ t | tojson | replace('[', '(') }}",
        args: "{{ c.function.arguments | tojson | replace('[', '(') }}",
      },
      open: '[{{ m.role }}]',
      close: '[/{{ m.role }}]',
      head: `{{ ${count("'system', 'tool'")} }}`,
    }),
  ],
]

export const FORGEABLE: readonly ForgeableTemplate[] = [
  ...SAFE.map(([about, source, specials = []]) => ({ about, source, specials, finds: null })),
  ...UNSAFE.map(([finds, about, source, specials = []]) => ({ about: `${finds}: ${about}`, source, specials, finds })),
]

/** The template whose users' texts are kept apart from turns by white space alone. */
export const TRIMMING: string = template({
  user: "{{ m.content.split() | join(' ') }}",
  result: "{{ m.content.split() | join(' ') }}",
})

/** A template that prints every text as it is. */
export const OPEN: string = template(both(RAW))
