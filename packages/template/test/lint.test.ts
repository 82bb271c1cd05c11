import { describe, expect, it } from 'vitest'
import { lintRenderer, lintTemplate, RULES, variablesOf } from '../src/lint/index.ts'
import type { LintReport } from '../src/lint/index.ts'
import { compileTemplate } from '../src/index.ts'
import { onlyLong } from '../../tidy/test/share.ts'

const ALL = RULES.map(({ id }) => id)

/** A template with nothing wrong, in lines that tests replace one of. */
const SOUND = [
  "{%- macro text(content) -%}{%- if content is string -%}{{ content }}{%- else -%}{%- for part in content or [] -%}{{ part['text'] }}{%- endfor -%}{%- endif -%}{%- endmacro -%}",
  '{%- macro args(given) -%}{{ given if given is string else given | tojson }}{%- endmacro -%}',
  '{%- if tools -%}<tools>{%- for tool in tools -%}{{ tool | tojson }}{%- endfor -%}</tools>{%- endif -%}',
  '{%- for message in messages -%}',
  "<{{ message['role'] }} {{ message['tool_call_id'] }}>",
  "{%- if message['reasoning_content'] -%}<thoughts>{{ message['reasoning_content'] }}</thoughts>{%- endif -%}",
  "{{- text(message['content']) -}}",
  "{%- for call in message['tool_calls'] or [] -%}",
  "<call {{ call['id'] }}>{\"name\": \"{{ call['function']['name'] }}\", \"arguments\": {{ args(call['function']['arguments']) }}}</call>",
  '{%- endfor -%}',
  '<end>',
  '{%- endfor -%}',
  '{%- if add_generation_prompt -%}<assistant >{%- endif -%}',
].join('\n')

/** Texts that forge turns are the subject of `forge.test.ts`: no template without escapes is free of them. */
function isForgery(rule: string): boolean {
  return rule.includes('-forges-')
}

function hits(report: LintReport): readonly string[] {
  return report.findings.map(({ rule }) => rule).filter((rule) => !isForgery(rule))
}

function hitsOf(source: string): readonly string[] {
  return hits(lintTemplate({ source }, { rules: ALL }))
}

function changed(from: string, to: string): string {
  expect(SOUND.split(from).length, `times that ${from} is there`).toBe(2)
  return SOUND.replace(from, () => to)
}

const CONTENT = "{{- text(message['content']) -}}"
const TOOLS = '{{ tool | tojson }}'
const RAISE = (when: string): string => `{%- if ${when} -%}{{ raise_exception('no') }}{%- endif -%}`
const LAST_USER =
  "{%- set ns = namespace(last=-1) -%}{%- for m in messages -%}{%- if m['role'] == 'user' -%}{%- set ns.last = loop.index0 -%}{%- endif -%}{%- endfor -%}"

/** What is wrong, by the rule that must find it, and it alone. */
const DEFECTS: readonly (readonly [string, string, string])[] = [
  ['string-arguments-quoted', '{{ given if given is string else given | tojson }}', '{{ given | tojson }}'],
  [
    'string-arguments-refused',
    '{{ given if given is string else given | tojson }}',
    '{{ (given | items | list) and given | tojson }}',
  ],
  [
    'string-arguments-altered',
    '{{ given if given is string else given | tojson }}',
    '{% if given is string %}{{ given }}{% else %}{% for k, v in given.items() %}{{ k }}={{ v | tojson }};{% endfor %}{% endif %}',
  ],
  ['object-arguments-refused', '{{ given if given is string else given | tojson }}', "{{ '' + given }}"],
  [
    'python-literals',
    '{{ given if given is string else given | tojson }}',
    '{% if given is string %}{{ given }}{% else %}{{ "{" }}{% for k, v in given.items() %}"{{ k }}":{% if v is string or v is iterable %}{{ v | tojson }}{% else %}{{ v }}{% endif %}{% endfor %}{{ "}" }}{% endif %}',
  ],
  ['python-repr', TOOLS, '{{ tool }}'],
  [
    'null-content-refused',
    CONTENT,
    "{{- ('content' in message and message['content'] is none and raise_exception('no')) or text(message['content']) -}}",
  ],
  [
    'absent-content-refused',
    '{%- for message in messages -%}',
    `{%- for message in messages -%}${RAISE("'content' not in message")}`,
  ],
  [
    'null-content-printed',
    CONTENT,
    "{{- message['content'] if message['content'] is none else text(message['content']) -}}",
  ],
  ['text-lost-with-call', CONTENT, `{%- if not message['tool_calls'] -%}${CONTENT}{%- endif -%}`],
  [
    'call-dropped',
    "{%- for call in message['tool_calls'] or [] -%}",
    "{%- for call in message['tool_calls'] or [] if not message['content'] -%}",
  ],
  ['result-dropped', '{%- for message in messages -%}', "{%- for message in messages if message['role'] != 'tool' -%}"],
  ['tools-refused', TOOLS, "{{- raise_exception('no') if 'function' in tool -}}{{ tool | tojson }}"],
  [
    'union-type-refused',
    TOOLS,
    "{%- for p in (tool.function.parameters or {'properties': {}}).properties.values() -%}{%- if p.type is not string -%}{{ raise_exception('no') }}{%- endif -%}{%- endfor -%}{{ tool | tojson }}",
  ],
  ['optional-schema-refused', TOOLS, "{{ tool.function.description + '' }}{{ tool | tojson }}"],
  ['empty-tools-preamble', '{%- if tools -%}', '{%- if tools is not none -%}'],
  [
    'system-dropped',
    '{%- for message in messages -%}',
    "{%- for message in (messages[1:] if messages[0]['role'] == 'system' else messages) -%}",
  ],
  [
    'late-system-lost',
    '{%- for message in messages -%}',
    "{%- for message in messages if message['role'] != 'system' or message == messages[0] -%}",
  ],
  [
    'developer-lost',
    '{%- for message in messages -%}',
    "{%- for message in messages if message['role'] != 'developer' -%}",
  ],
  [
    'parallel-refused',
    '{%- for message in messages -%}',
    `{%- for message in messages -%}${RAISE("message['tool_calls'] | length > 1")}`,
  ],
  [
    'parallel-lost',
    "{%- for call in message['tool_calls'] or [] -%}",
    "{%- for call in (message['tool_calls'] or [])[:1] -%}",
  ],
  ['results-unbound', "{{ message['tool_call_id'] }}", ''],
  [
    'result-id-required',
    '{%- for message in messages -%}',
    `{%- for message in messages -%}${RAISE("message['role'] == 'tool' and not message['tool_call_id']")}`,
  ],
  [
    'history-needs-tools',
    '{%- for message in messages -%}',
    `{%- for message in messages -%}${RAISE("message['role'] == 'tool' and not tools")}`,
  ],
  [
    'two-users-refused',
    '{%- for message in messages -%}',
    `{%- for message in messages -%}${RAISE("not loop.first and message['role'] == 'user' and loop.previtem['role'] == 'user'")}`,
  ],
  [
    'system-refused',
    '{%- for message in messages -%}',
    `{%- for message in messages -%}${RAISE("loop.first and message['role'] == 'system'")}`,
  ],
  ['parts-refused', "{{ part['text'] }}", "{{ raise_exception('no') }}"],
  [
    'parts-printed-raw',
    "{%- for part in content or [] -%}{{ part['text'] }}{%- endfor -%}",
    '{{ content if content }}',
  ],
  ['escaped-text', TOOLS, '{{ tool | tojson | escape }}'],
  ['user-text-altered', CONTENT, "{{- text(message['content']) | trim -}}"],
  [
    'prefix-turn',
    '{%- for message in messages -%}',
    "{%- for message in messages -%}{%- if loop.last and message['role'] == 'assistant' and messages | length == 2 -%}*{%- endif -%}",
  ],
  ['generation-not-prefix', '<assistant >{%- endif -%}', '<assistant ><go>{%- endif -%}'],
  ['generation-prompt-ignored', '<assistant >{%- endif -%}', '{%- endif -%}'],
  ['clock', '{%- if tools -%}', "{{ strftime_now('%Y') }}{%- if tools -%}"],
  [
    'prefix-tool-loop',
    '{%- for message in messages -%}',
    `${LAST_USER}{%- for message in messages -%}{%- if message['tool_calls'] and loop.index0 > ns.last -%}*{%- endif -%}`,
  ],
  [
    'reasoning-lost-in-loop',
    "{%- if message['reasoning_content'] -%}",
    "{%- if message['reasoning_content'] and not message['tool_calls'] -%}",
  ],
]

describe('lintTemplate', () => {
  it('finds nothing in a template that is sound', () => {
    expect(hitsOf(SOUND)).toEqual([])
  })

  it.each(DEFECTS)('finds %s, and that alone', (rule, from, to) => {
    expect(hitsOf(changed(from, to))).toEqual([rule])
  })

  it('shows the conversation and the spot, also where something is missing', () => {
    const source = changed(CONTENT, `{%- if not message['tool_calls'] -%}${CONTENT}{%- endif -%}`)

    const [finding] = lintTemplate({ source }).findings

    expect(finding).toMatchObject({
      rule: 'text-lost-with-call',
      severity: 'error',
      probe: { id: 'text-with-call' },
      spot: { start: finding?.rendered?.indexOf('STATIONQZ') },
    })
  })

  it('shows why a conversation was refused', () => {
    const source = changed(CONTENT, `${RAISE("message['content'] is none")}${CONTENT}`)

    expect(lintTemplate({ source }).findings.filter(({ rule }) => !isForgery(rule))).toMatchObject([
      { rule: 'null-content-refused', detail: 'raise_exception: no', rendered: null, spot: null },
    ])
  })

  it('looks further at a template that lacks a filter, a test, a function and a variable', () => {
    const source = changed(
      '{%- if tools -%}',
      "{{ functions + build() }}{{ '' | shorten | first if 'a' is fancy else '' }}{%- if tools is not none -%}",
    )

    const report = lintTemplate({ source })

    expect(hits(report)).toEqual(['unrenderable', 'empty-tools-preamble'])
    expect(report.findings[0]?.detail).toBe(
      "UndefinedError: 'build' is undefined; then UndefinedError: 'functions' is undefined; then " +
        "TemplateRuntimeError: No test named 'fancy' found.; then TemplateRuntimeError: No filter named 'shorten' found.",
    )
    expect(report.standIns).toEqual([
      { kind: 'function', name: 'build' },
      { kind: 'variable', name: 'functions' },
      { kind: 'test', name: 'fancy' },
      { kind: 'filter', name: 'shorten' },
    ])
  })

  it('finds a template that knows neither tools nor calls', () => {
    const source =
      "{%- for m in messages -%}{{ raise_exception('no') if m['role'] == 'tool' }}<{{ m['role'] }}>{{ m['content'] }}</>{%- endfor -%}"

    expect(hits(lintTemplate({ source }))).toEqual(['tools-ignored', 'call-refused'])
  })

  it.each([
    ['a call', "{%- for call in message['tool_calls'] or [] -%}", 'call', 'append'],
    ['tools', '{%- for tool in tools -%}', 'tools-wrapped', 'extend'],
    [
      'a second call',
      "{%- for call in message['tool_calls'] or [] -%}{%- if loop.index == 2 -%}",
      'parallel',
      'append',
    ],
  ])('does not say of a template that the sandbox stops at %s that it knows none', (_, loop, probe, method) => {
    const end = loop.includes('if loop') ? '{%- endif -%}' : ''
    const plain = loop.replace('{%- if loop.index == 2 -%}', '')
    const change = `${loop}{%- set _ = [].${method}(1) -%}${end}`
    const report = lintTemplate({ source: changed(plain, change) })

    expect(hits(report)).toEqual(['sandbox-refused'])
    expect(report.findings[0]).toMatchObject({
      detail: `SecurityError: access to attribute '${method}' of 'list' object is unsafe.`,
      probe: { id: probe },
    })
    expect(report.findings[0]?.remedy).not.toContain('take another')
  })

  it('gives calls in the form that the template takes, and blames nothing else for it', () => {
    const source = changed('{{ given if given is string else given | tojson }}', "{{ '' + given }}")

    const report = lintTemplate({ source })

    expect(report.form.arguments).toBe('text')
    expect(hits(report)).toEqual(['object-arguments-refused'])
  })

  it('takes Python for what it is where the model is to write Python', () => {
    const source = changed(
      '{{ given if given is string else given | tojson }}',
      '{% if given is string %}{{ given }}{% else %}find_trains({% for k, v in given.items() %}{{ k }}={{ v | tojson if v is string else v }}, {% endfor %}){% endif %}',
    )

    expect(hitsOf(source)).toEqual(['string-arguments-altered'])
  })

  it.each([
    ['a syntax error', '{% for %}', 2],
    ['an endless loop', '{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}', 2],
    ['nothing', '', 55],
  ])('has a report on %s', (_, source, conversations) => {
    const report = lintTemplate({ source })

    expect(report.conversations).toBeLessThanOrEqual(conversations + 9)
    expect(report.findings.length).toBeGreaterThan(0)
  })

  onlyLong(() => {
    it('soon gives up on a template that has no end once there are tools', () => {
      const loop = '{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}'

      const report = lintTemplate({ source: changed('{%- if tools -%}', `{%- if tools -%}${loop}`) })

      expect(report.findings[0]).toMatchObject({
        rule: 'unrenderable',
        // On a busy machine time is over before the steps are.
        detail: expect.stringMatching(/^(?:Step|Time)LimitError: /) as string,
      })
      expect(report.findings.filter(({ detail }) => detail.includes('earlier conversations'))).toEqual([])
    })
  })

  it.each([
    ["{{ raise_exception('no') }}", /^raise_exception: no$/],
    ["{% include 'x.jinja' %}", /x\.jinja|loader/],
    ['{% for a in range(100000000) %}{% endfor %}', /Range too big/],
  ])('says that every conversation is refused by %s', (source, detail) => {
    const { findings } = lintTemplate({ source })

    expect(findings).toMatchObject([
      { rule: 'unrenderable', severity: 'error', detail: expect.stringMatching(detail) as string, rendered: null },
    ])
  })

  it('leaves rules of severity info out unless they are named', () => {
    const source = changed("{{ message['tool_call_id'] }}", '')

    expect(hits(lintTemplate({ source }))).toEqual([])
    expect(hits(lintTemplate({ source }, { rules: ['results-unbound'] }))).toEqual(['results-unbound'])
  })

  it('has a defect for every rule that is not tried below', () => {
    const tried = new Set([
      ...DEFECTS.map(([rule]) => rule),
      'unrenderable',
      'sandbox-refused',
      'tools-ignored',
      'call-refused',
    ])

    expect(ALL.filter((id) => !tried.has(id) && !isForgery(id))).toEqual([])
  })
})

describe('lintRenderer', () => {
  it('finds what can be seen without the text of a template', async () => {
    const template = compileTemplate(changed('{%- if tools -%}', '{%- if tools is not none -%}'))

    const report = await lintRenderer((probe) =>
      Promise.resolve(template.render(JSON.stringify({ ...variablesOf(probe), bos_token: '' }))),
    )

    expect(hits(report)).toEqual(['empty-tools-preamble'])
  })
})
