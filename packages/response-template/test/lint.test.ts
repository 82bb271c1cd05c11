import { isDict, loads } from '@callspec/python'
import type { PyValue } from '@callspec/python'
import { compileTemplate } from '@callspec/template'
import { describe, expect, it } from 'vitest'
import { RESPONSE_RULES, lintResponseTemplate } from '../src/lint/index.ts'
import type { RenderPrompt } from '../src/roundtrip/index.ts'
import { hasVectors, namedInputs, vectorLines } from './helpers/vectors.ts'

const ALL = RESPONSE_RULES.map(({ id }) => id)

function rendererOf(source: PyValue | undefined): RenderPrompt | undefined {
  if (typeof source !== 'string') return undefined
  const compiled = compileTemplate(source)
  return (given) => Promise.resolve(compiled.render(given, { now: new Date('2026-01-15T12:00:00Z') }))
}

async function rulesOf(template: PyValue, render?: RenderPrompt): Promise<readonly string[]> {
  return (await lintResponseTemplate(template, { rules: ALL, render })).map(({ id }) => id)
}

const CHAT = `{% for m in messages %}<|{{ m.role }}|>{% if m.reasoning_content %}<think>{{ m.reasoning_content }}</think>{% endif %}{{ m.content }}<end>
{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}`
const THINKS = CHAT.replace('<|assistant|>{% endif', '<|assistant|><think>{% endif')
const XML = "'content': 'xml-inline', 'content_args': {'tag_pattern': '<p=(?P<key>[^>]+)>"
const CALL = "'transform': {'type': 'function', 'function': {'name': '{name}', 'arguments': '{content}'}}"
const PAIR =
  "{'reasoning_content': {'open': '<think>', 'close': '</think>'}, 'content': {'close_pattern': '<end>\\\\s*', 'repeats': true, 'join': ''}}"

/** Fields that a rule is about, and fields that it is not about, where that is not the same with one word changed. */
const EXAMPLES: readonly (readonly [rule: string, bad: string, good: string | null, anchor?: string, chat?: string])[] =
  [
    ['refused', "{'x': {'closes': ''}}", "{'x': {'open': '<x>'}}"],
    [
      'never-returns',
      "{'x': {'open_pattern': '(?=<)', 'close_pattern': '\\\\s*(?=<)'}}",
      "{'x': {'open_pattern': '(?=<)', 'close_pattern': '<'}}",
    ],
    [
      'close-group',
      "{'x': {'open': '<x>', 'close_pattern': '(?P<w>>)', 'transform': ['{w}']}}",
      "{'x': {'open_pattern': '(?P<w><)', 'transform': ['{w}']}}",
    ],
    [
      'unknown-placeholder',
      "{'x': {'open': '<x>', 'transform': ['{contents}']}}",
      "{'x': {'open': '<x>', 'transform': ['{content}']}}",
    ],
    [
      'optional-group',
      "{'x': {'open_pattern': '<x(?: (?P<id>\\\\w+))?>', 'transform': '{id}'}}",
      "{'x': {'open_pattern': '<x ?(?P<id>\\\\w*)>', 'transform': '{id}'}}",
    ],
    [
      'text-overwritten',
      "{'x': {'open': '<x>', 'close': '</x>'}, 'content': {}}",
      "{'x': {'open': '<x>'}, 'content': {'repeats': true, 'join': ''}}",
    ],
    ['overwritten-by-space', "{'content': {'close': '<end>'}}", "{'content': {'close_pattern': '<end>\\\\s*'}}"],
    [
      'stream-dollar',
      "{'content': {'close_pattern': '<end>\\\\s*|$'}}",
      "{'content': {'close_pattern': '<end>\\\\s*'}}",
    ],
    [
      'stream-tail',
      "{'x': {'open': '(', 'close_pattern': '\\\\)(?:\\\\]<end>)?'}, 'content': {}}",
      "{'x': {'open': '(', 'close_pattern': '\\\\)\\\\]?'}, 'content': {}}",
    ],
    [
      'stream-boundary',
      "{'x': {'open_pattern': '<go\\\\b[^>]*?\\\\bn=1>', 'close': '</go>'}}",
      "{'x': {'open_pattern': '<go [^>]*?n=1>', 'close': '</go>'}}",
    ],
    [
      'stream-alternatives',
      "{'x': {'open_pattern': 'abcd|bc', 'close': ';'}, 'content': {}}",
      "{'x': {'open_pattern': 'abcd|ef', 'close': ';'}, 'content': {}}",
    ],
    [
      'guessed-types',
      `{'x': {'open': '<x>', 'close': '</x>', ${XML}(?P<value>.*?)</p>', 'value_parser': {'name': 'json', 'args': {'allow_non_json': true}}}}}`,
      `{'x': {'open': '<x>', 'close': '</x>', ${XML}(?P<value>.*?)</p>'}}}`,
    ],
    [
      'eaten-space',
      `{'x': {'open': '<x>', 'close': '</x>', ${XML}\\\\s*(?P<value>.*?)\\\\s*</p>'}}}`,
      `{'x': {'open': '<x>', 'close': '</x>', ${XML}\\\\n?(?P<value>.*?)\\\\n?</p>'}}}`,
    ],
    [
      'narrow-name',
      `{'tool_calls': {'open_pattern': '<c (?P<name>\\\\w+)>', 'close': '</c>', 'content': 'json', ${CALL}}}`,
      `{'tool_calls': {'open_pattern': '<c (?P<name>[^>]+)>', 'close': '</c>', 'content': 'json', ${CALL}}}`,
    ],
    [
      'stop-in-closer',
      "{'tool_calls': {'open': '<c>', 'close': '</c><eot>', 'content': 'json'}, 'content': {'close': '<eot>'}}",
      "{'tool_calls': {'open': '<c>', 'close': '</c>', 'content': 'json'}, 'content': {'close': '<eot>'}}",
    ],
    [
      'mapping-literal',
      "{'x': {'open': '<x>', 'transform': ['{ content }']}}",
      "{'x': {'open': '<x>', 'transform': ['{content}', '{}']}}",
    ],
    [
      'unused-arguments',
      "{'x': {'open': '<x>', 'content_args': {'stripp': false}}}",
      "{'x': {'open': '<x>', 'content_args': {'strip': false}}}",
    ],
    [
      'value-parser-unknown',
      "{'x': {'open': '<x>', 'content': 'kv-lines', 'content_args': {'value_parser': {'name': 'yaml'}}}}",
      "{'x': {'open': '<x>', 'content': 'kv-lines', 'content_args': {'value_parser': {'name': 'int'}}}}",
    ],
    ['no-tag-pattern', "{'x': {'open': '<x>', 'content': 'xml-inline'}}", `{'x': {'open': '<x>', ${XML}'}}}`],
    [
      'value-group-absent',
      `{'x': {'open': '<x>', 'close': '</x>', ${XML}(?:=(?P<value>[^>]*))?', 'value_parser': {'name': 'text'}}}}`,
      `{'x': {'open': '<x>', 'close': '</x>', ${XML}=?(?P<value>[^>]*)', 'value_parser': {'name': 'text'}}}}`,
    ],
    [
      'joined-edges',
      "{'x': {'open': '<x>', 'repeats': true, 'join': ''}}",
      "{'x': {'open': '<x>', 'repeats': true, 'join': '', 'content_args': {'strip': false}}}",
    ],
    [
      'one-bad-call',
      "{'x': {'open': '<x>', 'close': '</x>', 'content': 'json', 'repeats': true}}",
      "{'x': {'open': '<x>', 'close': '</x>', 'content': 'json', 'repeats': true, 'content_args': {'allow_non_json': true}}}",
    ],
    [
      'closer-in-value',
      "{'x': {'open': '<x>', 'close': '</x>', 'content': 'json'}}",
      "{'x': {'open': '<x>', 'close': '</x>'}}",
    ],
    [
      'unknown-shape',
      "{'tool_calls': {'open': '<c>', 'content': 'json', 'transform': {'name': '{content.name}'}}}",
      "{'tool_calls': {'open': '<c>', 'content': 'json', 'transform': {'function': '{content}'}}}",
    ],
    ['dead-field', "{'z': {'open': '<a>'}, 'a': {'open': ['<a>']}}", "{'z': {'open': '<b>'}, 'a': {'open': '<a>'}}"],
    [
      'unquoted-keys',
      "{'x': {'open': '<x>', 'close': '</x>', 'content': 'json', 'content_args': {'unquoted_keys': true}}}",
      "{'x': {'open': '<x>', 'close': '</x>', 'content': 'json'}}",
    ],
    ['missing-required', "{'x': {'open': '<x>', 'optional': false}}", "{'x': {'open': '<x>'}}"],
    ['thought-name', PAIR.replace('reasoning_content', 'thinking'), PAIR, '<|assistant|>', CHAT],
    ['anchor-not-in-prompt', PAIR, null, '<|model|>', CHAT],
    ['roundtrip', PAIR.replace('</think>', '</thought>'), PAIR, '<|assistant|>', CHAT],
    ['prompt-not-prefix', PAIR, null, '<|assistant|>', THINKS],
    ['anchor-eats-opener', PAIR, null, '<|assistant|><think>', THINKS],
  ]

function templateWith(fields: string, anchor = '[BOT]'): PyValue {
  return loads(`{'start_anchor': '${anchor}', 'fields': ${fields}}`.replaceAll("'", '"'))
}

describe('the rules', () => {
  it.each(EXAMPLES.map(([rule, bad, good, anchor, chat]) => ({ rule, bad, good, anchor, chat })))(
    '$rule',
    async (example) => {
      const { rule, bad, good, anchor, chat } = example
      const render = rendererOf(chat)

      expect(await rulesOf(templateWith(bad, anchor), render)).toContain(rule)
      expect(await rulesOf(templateWith(good ?? PAIR, '<|assistant|>'), rendererOf(CHAT))).not.toContain(rule)
    },
  )

  it('finds a list in the defaults that grows', async () => {
    const calls = "'fields': {'c': {'open': '<c>', 'close': '</c>', 'repeats': true}}, 'start_anchor': 'x'"
    const template = (defaults: string): PyValue => loads(`{${defaults}${calls}}`.replaceAll("'", '"'))
    const [found] = await lintResponseTemplate(template("'defaults': {'c': []}, "))

    expect([found?.id, found?.field]).toEqual(['shared-default', 'c'])
    expect(await rulesOf(template(''))).not.toContain('shared-default')
  })

  it('all have an example here', () => {
    expect(ALL.filter((id) => id !== 'shared-default').toSorted()).toEqual(EXAMPLES.map(([id]) => id).toSorted())
  })

  it('never throw because of a pattern', async () => {
    const fields =
      "{'x': {'open_pattern': 'a{1000000000}(?:b|bb)+!', 'close_pattern': '(?R)'}, 'y': {'open_pattern': '(?:(?:c{900}){900}){900}'}}"
    const template = loads(
      `{'start_anchor_pattern': '(?P<a>a|aa)+(?P=a)\\\\d', 'fields': ${fields}}`.replaceAll("'", '"'),
    )
    const chat = CHAT.replace('<|assistant|>', `<|assistant|>${'a'.repeat(300)}`)

    expect(await rulesOf(template, rendererOf(chat))).toContain('roundtrip')
  })

  it('show a stream that loses text, in pieces', async () => {
    const [, found] = await lintResponseTemplate(templateWith("{'content': {'close_pattern': '<end>\\\\s*|$'}}"))

    expect([found?.id, found?.witness?.chunks?.join('')]).toEqual(['stream-dollar', found?.witness?.text])
    expect(found?.witness?.result).not.toEqual(found?.witness?.other)
  })
})

/** What the table of §9 and §10 says, and what was found in addition, each with a witness. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  'hf/cohere': [],
  'hf/ernie': [],
  'hf/gpt-oss': ['narrow-name'],
  'hf/smollm': ['text-overwritten', 'overwritten-by-space'],
  'hf/qwen3-xml': ['narrow-name', 'guessed-types', 'eaten-space'],
  'hf/gemma4': ['text-overwritten', 'narrow-name', 'overwritten-by-space'],
  'hf/inkling': [],
  'hf/serve-qwen': ['text-overwritten', 'overwritten-by-space'],
  'hf/serve-qwen3.5': ['text-overwritten', 'overwritten-by-space', 'eaten-space'],
  'hf/serve-qwen-5.13': ['text-overwritten', 'overwritten-by-space'],
  'trl/qwen3': ['text-overwritten'],
  'trl/qwen3.5': ['text-overwritten', 'guessed-types', 'eaten-space'],
  'trl/glm4moe': ['text-overwritten', 'stream-dollar', 'guessed-types'],
  'trl/llama3': ['text-overwritten', 'stop-in-closer'],
  'trl/gptoss': [],
  'trl/lfm2.5': ['text-overwritten', 'stream-tail', 'narrow-name', 'guessed-types'],
  'trl/nemotron3': ['text-overwritten', 'guessed-types', 'eaten-space'],
  'trl/gemma4': ['text-overwritten', 'stream-dollar', 'narrow-name'],
  'vllm/invoke': ['stream-boundary', 'guessed-types'],
}

describe.skipIf(!hasVectors)('the public examples', () => {
  it('fire on what is bad, and not on what is good; the two of closer-in-value are one template', async () => {
    const wrong: string[] = []
    for (const line of vectorLines('lint')) {
      const rule = String(line.get('rule'))
      const chat = line.get('chat_template')
      const bad = await rulesOf(line.get('bad') ?? null, rendererOf(chat))
      const good = await rulesOf(line.get('good') ?? null, rendererOf(line.get('chat_template_for_good') ?? chat))
      if (!bad.includes(rule) || good.includes(rule)) wrong.push(rule)
    }

    expect(wrong).toEqual(['closer-in-value'])
  })

  it.each(Object.entries(KNOWN))('%s', async (id, rules) => {
    const template = namedInputs().templates.get(id) ?? null
    const found = await lintResponseTemplate(template)

    expect(isDict(template)).toBe(true)
    expect(found.map((finding) => finding.id)).toEqual(rules)
    expect(found.filter(({ witness }) => witness === null)).toEqual([])
  })
})
