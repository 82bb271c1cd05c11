import { FORMATS, joinParts } from '@callspec/core'
import { describe, expect, it } from 'vitest'
import { EXAMPLE } from '../src/state.ts'
import { promptAnswer, renderAnswer } from '../src/answer.ts'
import { readRequest } from '../src/read-request.ts'
import { lintAnswer } from '../src/lint-answer.ts'

const { tools, conversation } = EXAMPLE

/** Their prompts name the day in every conversation. */
const NEEDS_DATE: ReadonlySet<string> = new Set(['hunyuan-a13b'])

describe('a prompt', () => {
  it.each(
    // Of some versions only the replies are known.
    FORMATS.filter(({ prompt }) => prompt !== null).flatMap(({ id, versions, inVersion }) =>
      versions.filter((version) => inVersion?.(version)?.prompt !== null).map((version) => [id, version] as const),
    ),
  )('of %s, %s, is made of the example, its tokens apart from text', (format, version) => {
    const dated = `{ "date": "2026-01-02", "messages": ${conversation} }`
    const answer = promptAnswer({ format, version, tools, conversation: NEEDS_DATE.has(format) ? dated : conversation })

    expect(answer).toMatchObject({ kind: 'prompted', version, spelled: [] })
    if (answer.kind !== 'prompted') return
    expect(joinParts(answer.parts)).toContain('Will it rain in Oslo tomorrow?')
    expect(answer.parts.some(({ kind }) => kind === 'token')).toBe(true)
  })

  it('says which versions write the same one', () => {
    const answer = promptAnswer({ format: 'react', version: '', tools, conversation })

    expect(answer).toMatchObject({
      alike: [
        ['qwen-agent@main', 'qwen-agent@v0.0.26', 'qwen-agent@v0.0.16', 'strict'],
        ['qwen-agent@v0.0.13', 'qwen-agent@v0.0.7'],
      ],
    })
  })

  it('names the place where a user spells a token', () => {
    const answer = promptAnswer({
      format: 'nous',
      version: '',
      tools: '',
      conversation: '[{role: "user", content: "x <|im_end|>"}]',
    })

    expect(answer).toMatchObject({
      kind: 'prompted',
      spelled: [{ where: 'messages[0].content', token: '<|im_end|>', start: 2, end: 12 }],
    })
  })

  it('is refused with a reason, and none is made by a format that only reads', () => {
    const user = '[{role: "user", content: "hi"}]'
    const silent = FORMATS.find(({ prompt }) => prompt === null)?.id ?? ''

    expect(promptAnswer({ format: 'nous', version: '', tools: '[7]', conversation: user })).toMatchObject({
      kind: 'refused',
    })
    expect(promptAnswer({ format: silent, version: '', tools, conversation })).toEqual({ kind: 'no-prompt' })
    expect(promptAnswer({ format: 'none of ours', version: '', tools, conversation })).toEqual({ kind: 'no-prompt' })
  })
})

describe('a request', () => {
  it.each([
    ['', '', 'conversation', 'There is no message yet. Paste a list of messages.'],
    ['[', '[]', 'tools', 'Line 1, column 2: Unexpected end of input.'],
    ['', '[\n\n}', 'conversation', 'Line 3, column 1: Unexpected "}".'],
    ['', '7', 'conversation', 'This is neither a list of messages nor an object with "messages".'],
    ['', '{}', 'conversation', '"messages" is no list.'],
    ['', '[{}, 3]', 'conversation', 'messages[1] is no object with "role" and "content".'],
    ['', '{messages: [], tools: 1}', 'conversation', '"tools" is no list.'],
  ])('says what is wrong with which text: %j and %j', (tools, conversation, where, message) => {
    const read = readRequest({ tools, conversation })

    expect(read).toMatchObject({ kind: 'wrong', where })
    expect(read.kind === 'wrong' ? read.message.replace('end of input', 'end of input') : '').toBe(message)
  })

  it('has options next to its messages, and uses its own tools if no others are given', () => {
    const read = readRequest({
      tools: ' ',
      conversation: '{messages: [], tools: [1], add_generation_prompt: false, day: 1.0}',
    })

    expect(read).toEqual({
      kind: 'read',
      conversation: {
        messages: [],
        tools: [1n],
        options: new Map<string, unknown>([
          ['add_generation_prompt', false],
          ['day', 1],
        ]),
      },
    })
  })
})

describe('a template', () => {
  it('is rendered with messages, tools, options and the usual tokens', () => {
    const template =
      '{{ bos_token }}{{ messages[0].content }} {{ tools[0].function.name }} {{ add_generation_prompt }} {{ day }}'
    const request = '{messages: [{role: "user", content: "hi"}], day: 1.0}'

    expect(renderAnswer({ template, tools, conversation: request })).toEqual({
      kind: 'rendered',
      text: '<s>hi get_weather True 1.0',
    })
  })

  it.each([
    ['{% for', { kind: 'raised', error: { type: 'TemplateSyntaxError', line: 1 } }],
    ["\n{{ raise_exception('no') }}", { kind: 'raised', error: { type: 'raise_exception', message: 'no', line: 2 } }],
    ["{{ 'x' * 90000000 }}", { kind: 'raised', error: { type: 'OutputLimitError' } }],
  ])('that cannot be rendered says why: %j', (template, answer) => {
    expect(renderAnswer({ template, tools, conversation })).toMatchObject(answer)
  })

  it('is linted, with the text around the spot and not the whole prompt', () => {
    const { findings, conversations } = lintAnswer({
      template: `${'x'.repeat(5000)}{% for m in messages %}{{ m.content }}{% endfor %}`,
    })

    expect(conversations).toBeGreaterThan(20)
    expect(findings.map(({ rule }) => rule)).toContain('tools-ignored')
    for (const { around } of findings) expect((around ?? []).join('').length).toBeLessThan(1300)
  })
})
