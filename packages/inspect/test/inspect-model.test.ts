import { describe, expect, it } from 'vitest'
import { compareModels, inspectModel, openModel, sampleVariables } from '../src/index.ts'
import type { Inspection, OpenedModel } from '../src/index.ts'

const CHAT =
  '{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content | trim }}{% for c in m.tool_calls or [] %}<tool_call>\n{{ c.function | tojson }}\n</tool_call>{% endfor %}<|im_end|>\n' +
  '{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}'
const RESPONSE = {
  start_anchor: '<|im_start|>assistant\n',
  fields: {
    tool_calls: {
      ...{ open: '<tool_call>\n', close: '\n</tool_call>', repeats: true, content: 'json' },
      transform: { type: 'function', function: '{content}' },
    },
    content: { close_pattern: '<\\|im_end\\|>\\s*|$', repeats: true, join: '' },
  },
}

function opened(texts: Readonly<Record<string, string>>, name = 'm'): Promise<OpenedModel> {
  return openModel({ name, modelName: null, texts: new Map(Object.entries(texts)), gguf: null }, null)
}

async function inspected(texts: Readonly<Record<string, string>>): Promise<Inspection> {
  return inspectModel(await opened(texts), { variables: sampleVariables(), now: new Date(0) })
}

describe('a model', () => {
  it('is inspected by its chat template: format, prompt, findings, attacks', async () => {
    const { format, template, response, files } = await inspected({
      'chat_template.jinja': CHAT,
      'config.json': '{"model_type": "gemma3"}',
    })

    expect(files).toEqual(['chat_template.jinja', 'config.json'])
    expect([format.formats, format.sure]).toEqual([['nous'], 'sure'])
    expect(template?.prompt).toEqual({
      kind: 'rendered',
      text: expect.stringMatching(
        /<tool_call>\n\{"name": "get_weather"[^]*<\|im_end\|>\n<\|im_start\|>assistant\n$/,
      ) as string,
    })
    expect(template?.lint.findings.map(({ rule }) => rule)).toContain('tools-ignored')
    expect(template?.lint.forgeries.some(({ outcome }) => outcome === 'forged')).toBe(true)
    expect(response).toEqual({ kind: 'none' })
  })

  it('has its response template read what its chat template writes', async () => {
    const { response } = await inspected({
      'tokenizer_config.json': JSON.stringify({ chat_template: CHAT, response_template: RESPONSE }),
    })

    if (response.kind !== 'read') throw new Error(response.kind)
    expect(response.trips.length).toBeGreaterThan(30)
    expect(response.trips.filter(({ verdict }) => verdict === 'same').length).toBeGreaterThan(20)
  })

  it.each([
    [{ response_template: { fields: 7 } }, 'refused'],
    [{ response_schema: { 'x-regex': '(.*)' } }, 'schema'],
  ])('with %j is inspected as well', async (tokenizer, kind) => {
    const { response } = await inspected({
      'tokenizer_config.json': JSON.stringify({ chat_template: CHAT, ...tokenizer }),
    })

    expect(response.kind).toBe(kind)
  })

  it('is known by its other files where it has no chat template', async () => {
    const { format, template, missing, formatPrompt } = await inspected({ 'config.json': '{"model_type": "gpt_oss"}' })

    expect([format.formats, template]).toEqual([['harmony'], null])
    expect(formatPrompt?.outcome.kind).toBe('prompted')
    expect(missing).toBe('No chat_template.jinja, and no chat_template in chat_template.json or tokenizer_config.json.')
  })

  it.each([
    '{{ x',
    '{% for i in range(10**9) %}{% for j in range(10**9) %}x{% endfor %}{% endfor %}',
    '{{ "x" * 10**12 }}',
    '',
  ])('is inspected with the hostile template %j', async (hostile) => {
    const { template } = await inspected({ 'chat_template.jinja': hostile })

    expect(template?.prompt.kind).toBe(hostile === '' ? 'rendered' : 'raised')
  })

  it.each([
    [{ 'config.json': '{' }, 'm/config.json: is not JSON'],
    [{}, 'm: has none of chat_template.jinja, '],
    [{ 'tokenizer_config.json': `{"a": ${'['.repeat(100_000)}` }, 'm/tokenizer_config.json: is not JSON'],
  ])('with broken files is refused in one line', async (texts, message) => {
    await expect(inspected(texts as unknown as Record<string, string>)).rejects.toThrow(message)
  })
})

describe('members of another type', () => {
  const VALUES = [7, null, [], {}, '', [7], [{ name: 'a', template: 7 }], { config: { version: 7 } }]
  const KEYS = ['chat_template', 'added_tokens_decoder', 'response_template', 'eos_token', 'model_type']

  it.each(KEYS)('are read without an exception, or refused in one line: %s', async (key) => {
    for (const value of VALUES) {
      const config = JSON.stringify({ chat_template: '{{ messages[0].content }}', [key]: value })
      for (const file of ['tokenizer_config.json', 'config.json', 'tekken.json', 'chat_template.json']) {
        const failure = await inspected({ [file]: config }).then(
          () => null,
          (error: unknown) => error,
        )
        expect([file, value, failure === null ? '' : String(failure)]).toEqual([
          file,
          value,
          expect.stringMatching(/^(?:InputError: m[^\n]*)?$/),
        ])
      }
    }
  })
})

describe('two copies of a model', () => {
  it('are compared: text, prompts, findings, special tokens, formats', async () => {
    const old = await opened({
      'chat_template.jinja': CHAT.replace('| trim', ''),
      'tokenizer_config.json': '{"eos_token": "<|im_end|>"}',
    })
    const own = await opened({
      'chat_template.jinja': CHAT.replaceAll('tool_call>', 'call>'),
      'tokenizer_config.json': '{"eos_token": "x"}',
    })

    const { formats, tokens, template } = await compareModels(old, own)

    expect([formats, tokens]).toEqual([[['nous'], []], ['eos_token']])
    expect(template?.isSameText).toBe(false)
    expect(template?.prompts.length).toBeGreaterThan(10)
    const call = template?.prompts.find(({ conversation }) => conversation === 'call')
    expect([call?.before.slice(20), call?.now.slice(20)].map((text) => text?.slice(0, 8))).toEqual([
      'tool_cal',
      'call>\n{"',
    ])
  })

  it('are alike', async () => {
    const model = await opened({ 'chat_template.jinja': CHAT })

    expect(await compareModels(model, model)).toMatchObject({
      ...{ formats: null, tokens: [], hasSameResponse: true },
      template: { isSameText: true, prompts: [], fresh: [], gone: [] },
    })
  })
})
