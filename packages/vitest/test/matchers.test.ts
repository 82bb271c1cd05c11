import { formats } from '@callspec/core/qwen-agent'
import type { PromptFormat } from '@callspec/core/qwen-agent'
import { callspecMatchers } from '@callspec/vitest'
import { describe, expect, it } from 'vitest'

expect.extend(callspecMatchers)

const CALL = '<tool_call>\n{"name": "clock", "arguments": {"zone": "UTC"}}\n</tool_call>'
const THOUGHT_AND_CALL = `<think>Time?</think>Let me look.\n${CALL}`

describe('toMatchPrompt', () => {
  const messages = [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: [{ text: 'What ' }, { text: 'time?' }] },
  ]

  it('compares role and content of messages, adjacent texts being one', () => {
    const expected = [messages[0] ?? { role: '', content: '' }, { role: 'user', content: 'What time?', extra: 1 }]

    expect(messages).toMatchPrompt(expected)
    expect(messages).not.toMatchPrompt(expected.slice(1))
    expect(failure(() => expect(messages).toMatchPrompt([{ role: 'system', content: 'Be kind!' }]))).toBe(
      [
        'the prompt is not the expected one',
        '  where     messages[0].content: other text from character 7 (line 1, column 8)',
        '  byte      7: 0x21 expected, 0x2E found',
        '  expected  "Be␣kind!"',
        '  got       "Be␣kind."',
        '                    ^',
      ].join('\n'),
    )
  })

  it('puts messages into ChatML where a text is expected', () => {
    const [system, user] = [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Hi.' },
    ] as const

    expect([system, user]).toMatchPrompt(
      '<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nHi.<|im_end|>\n<|im_start|>assistant\n',
    )
  })

  it('says what a prompt is when it is given none', () => {
    expect(failure(() => expect(undefined).toMatchPrompt('x'))).toBe(
      'toMatchPrompt: the received value is no prompt. Give a text, or a list of messages with role and content.',
    )
  })
})

describe('toParseAs', () => {
  it('compares calls alone when only calls are given', () => {
    expect(THOUGHT_AND_CALL).toParseAs('nous', [{ name: 'clock', arguments: { zone: 'UTC' } }])
    expect(THOUGHT_AND_CALL).toParseAs('nous', [{ name: 'clock', arguments: '{"zone":"UTC"}' }])
    expect(THOUGHT_AND_CALL).not.toParseAs('nous', [])
    expect(failure(() => expect('Noon.').toParseAs('nous', [{ name: 'clock', arguments: {} }]))).toBe(
      [
        'nous reads the text otherwise than expected',
        '  where     calls[0]: is missing',
        '  expected  a map with type, name, arguments',
        '  got       nothing',
        '  input     Noon.',
      ].join('\n'),
    )
  })

  it('shows the text that was read, and what the reader said about it', () => {
    const open = '<tool_call>\n{"name": "clock", "arguments": {"zone"'

    const shown = failure(() => expect(open).toParseAs('nous', { content: 'Noon.' })).split('\n')

    expect(shown).toContain('  input     <tool_call>⏎{"name":␣"clock",␣"arguments":␣{"zone"')
    expect(shown.filter((line) => line.startsWith('  issue     '))).not.toEqual([])
  })

  it('compares those parts of a reading that are given', () => {
    expect(THOUGHT_AND_CALL).toParseAs('nous', { content: 'Let me look.' })
    expect(THOUGHT_AND_CALL).toParseAs('nous', { reasoning: 'Time?' })
    expect(THOUGHT_AND_CALL).not.toParseAs('nous', { content: 'Let me look.', calls: [] })
    expect(failure(() => expect('').toParseAs('nous', { call: [] } as object))).toBe(
      'toParseAs: "call" is no part of a reading. Known: content, reasoning, calls, items.',
    )
  })

  it('compares everything in order, or an outcome', () => {
    expect(`Look. ${CALL}`).toParseAs('nous', {
      items: [
        { type: 'text', text: 'Look.' },
        { type: 'call', name: 'clock', arguments: { zone: 'UTC' } },
      ],
    })
    expect(THOUGHT_AND_CALL).toParseAs('nous', formats.nous.parse(THOUGHT_AND_CALL))
    expect(THOUGHT_AND_CALL).not.toParseAs('nous', { kind: 'rejected' })
  })

  it('does not ask what a format puts between texts from several places', () => {
    const messages = [
      { role: 'assistant', content: 'One.' },
      { role: 'assistant', content: '', function_call: { name: 'clock', arguments: '{}' } },
      { role: 'assistant', content: 'Two.' },
    ] as const
    const aroundCalls: PromptFormat = { ...formats.nous, parse: () => ({ kind: 'parsed', messages, issues: [] }) }

    expect('').toParseAs(aroundCalls, { content: 'One.\nTwo.' })
    expect('').not.toParseAs(aroundCalls, { content: 'One.' })
  })

  it('compares every character under the profile of a version', () => {
    const options = { profile: 'qwen-agent@main' }

    expect(CALL).toParseAs('nous', [{ name: 'clock', arguments: '{"zone": "UTC"}' }], options)
    expect(CALL).not.toParseAs('nous', [{ name: 'clock', arguments: '{"zone":"UTC"}' }], options)
  })

  it('reports a rejected text, and a value that is not a text', () => {
    const cut = '<tool_call>\n{"name": "clock"'
    const rejecting = { ...formats.nous, parse: () => rejected(cut) }

    expect(cut).toParseAs(rejecting, { kind: 'rejected' })
    expect(cut).not.toParseAs(rejecting, [])
    expect(failure(() => expect(5).toParseAs('nous', []))).toBe('toParseAs: the received value is not a text.')
  })
})

describe('toRenderAs', () => {
  const template =
    '{{ bos_token }}{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}{{ tools }}{{ add_generation_prompt }}'
  const messages = [{ role: 'user', content: 'Hi.' }]

  it('compares the prompt byte for byte, with what transformers sets', () => {
    expect(template).toRenderAs({ messages }, '<user>Hi.NoneTrue')
    expect({ source: template, tokens: { bos_token: '<s>' } }).toRenderAs({ messages, tools: [] }, '<s><user>Hi.[]True')
    expect(template).not.toRenderAs({ messages }, '<user>Hi.NoneTrue ')
    expect(failure(() => expect(template).toRenderAs({ messages }, '<user>Ho.NoneTrue'))).toBe(
      [
        'the template renders otherwise than expected',
        '  where     other text from character 7 (line 1, column 8)',
        '  byte      7: 0x6F expected, 0x69 found',
        '  expected  "<user>Ho.NoneTrue"',
        '  got       "<user>Hi.NoneTrue"',
        '                    ^',
      ].join('\n'),
    )
  })

  it('reads JSON text without loss, and stops the clock', () => {
    expect('{{ x }} {{ strftime_now("%Y-%m-%d") }}').toRenderAs('{"x": 1.0}', '1.0 2026-01-15')
    expect('{{ strftime_now("%Y") }}').toRenderAs({}, '1999', { now: new Date('1999-05-05T00:00:00Z') })
  })

  it('takes raises for what they are', () => {
    const strict = 'a\n{{ raise_exception("no system") }}'

    expect(strict).toRenderAs({}, { raises: 'raise_exception' })
    expect(strict).not.toRenderAs({}, { raises: 'TypeError' })
    expect('raises TypeError').not.toRenderAs({}, { raises: 'TypeError' })
    expect(strict).not.toRenderAs({}, 'raises raise_exception in line 2: no system')
    expect(failure(() => expect(strict).toRenderAs({}, 'a'))).toContain('raises␣raise_exception␣in␣line␣2:␣no')
  })

  it('says what a template and variables are when it is given none', () => {
    expect(failure(() => expect(7).toRenderAs({}, ''))).toContain('the received value is not a template')
    expect(failure(() => expect('').toRenderAs('[]', ''))).toContain('the variables are no JSON object')
  })
})

describe('toPassTemplateLint', () => {
  const dated =
    "{{ strftime_now('%Y') }}{% if tools %}{{ tools | tojson }}{% endif %}{% for m in messages %}<{{ m.role }} {{ m.tool_call_id }}>" +
    "{% if m.role in ['user', 'tool'] %}{{ m.content | tojson }}{% else %}{{ m.content or '' }}{% endif %}" +
    '{% for c in m.tool_calls or [] %}<{{ c.function.name }}>{% set a = c.function.arguments %}' +
    '{{ a if a is string else a | tojson }}{% endfor %}{% endfor %}{% if add_generation_prompt %}<assistant >{% endif %}'

  it('fails on errors, and on warnings where they count', () => {
    expect(dated).toPassTemplateLint()
    expect({ source: dated, tokens: { bos_token: '' } }).toPassTemplateLint({ failOn: 'warning', except: ['clock'] })
    expect(failure(() => expect(dated).toPassTemplateLint({ failOn: 'warning' }))).toBe(
      [
        'the template does not pass the lint',
        '  warning clock (later): The prompt shows the date or time: it changes over time, and caches are lost.',
        '          The prompt differs at another time.',
        '          → Send the date as a variable, or in the system message.',
      ].join('\n'),
    )
    expect('{{ messages[0].content }}').not.toPassTemplateLint()
  })

  it('knows its rules, and what a template is', () => {
    expect(failure(() => expect(dated).toPassTemplateLint({ rules: ['clocks'] }))).toContain('no rule "clocks"')
    expect(failure(() => expect(7).toPassTemplateLint())).toContain('the received value is not a template')
  })
})

describe('toTerminateWith', () => {
  it('finds the reason in actions, steps, traces, scores and maps', () => {
    for (const result of [
      { type: 'finish', reason: 'answered', messages: [] },
      { state: {}, emissions: [], action: { type: 'finish', reason: 'answered', messages: [] } },
      { key: {}, turns: [], calls: [], end: { kind: 'end', reason: 'answered', error: null } },
      { end: 'answered', cleanStop: true },
      new Map([['reason', 'answered']]),
    ]) {
      expect(result).toTerminateWith('answered')
      expect(result).not.toTerminateWith('model-call-limit')
    }
  })

  it('says that a run goes on, or that there is no run', () => {
    const step = { state: {}, action: { type: 'generate', prepared: {} } }

    expect(failure(() => expect(step).toTerminateWith('answered'))).toBe(
      'the run was to end with "answered"; it has not ended, its next action is "generate"',
    )
    expect(failure(() => expect({}).toTerminateWith('answered'))).toBe(
      'toTerminateWith: the received value says nowhere why it ended. Give the result of a run.',
    )
  })
})

function rejected(text: string): ReturnType<typeof formats.nous.parse> {
  const issue = { code: 'call-not-json', message: '', start: 0, end: text.length }
  return { kind: 'rejected', error: { type: 'ValueError', message: 'no' }, issue }
}

function failure(work: () => void): string {
  try {
    work()
  } catch (error) {
    if (error instanceof Error) return error.message
  }
  return 'did not fail'
}
