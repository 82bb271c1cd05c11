import { dumps, loads } from '@callspec/python'
import { describe, expect, it } from 'vitest'
import { cutEvery, eventData, loadTemplate, readReply, streamReply } from '../src/index.ts'
import type { ReadSettings, ResponseTemplate } from '../src/index.ts'

/** A template from its JSON; single quotes stand for double ones. */
function templateOf(fields: string, rest = "'start_anchor': '[BOT]'"): ResponseTemplate {
  const loaded = loadTemplate(loads(`{${rest}, 'fields': ${fields}}`.replaceAll("'", '"')))
  if (loaded.kind === 'refused') throw new Error(loaded.fault.message)
  return loaded.template
}

/** The message as JSON, or `stage kind` of a raise. */
function read(template: ResponseTemplate, text: string, settings: ReadSettings = {}): string {
  const result = readReply(template, text, { prefix: '', ...settings })
  return result.kind === 'read' ? dumps(result.message) : `${result.fault.stage} ${result.fault.kind}`
}

function streamed(template: ResponseTemplate, chunks: readonly string[], prefix = ''): string {
  const stream = streamReply(template, { prefix })
  for (const chunk of chunks) stream.feed(chunk)
  const { result } = stream.end()
  return result.kind === 'read' ? dumps(result.message) : result.fault.kind
}

const CALLS = `{
  'thinking': {'open': '<t>', 'close': '</t>'},
  'tool_calls': {'open_pattern': '<c (?P<name>[^>]+)>', 'close': '</c>', 'repeats': true, 'content': 'xml-inline',
    'content_args': {'tag_pattern': '<p=(?P<key>[^>]+)>(?P<value>.*?)</p>'},
    'transform': {'type': 'function', 'function': {'name': '{name}', 'arguments': '{content}'}}},
  'content': {'close_pattern': '<end>\\\\s*'}}`

describe('a whole reply', () => {
  it('becomes thought, calls and content in the order in which they close', () => {
    const text = '<t>Hm.</t><c get-weather><p=city>Oslo</p></c>Done.<end>\n'

    expect(read(templateOf(CALLS), text)).toBe(
      '{"thinking": "Hm.", "tool_calls": [{"type": "function", "function": {"name": "get-weather", ' +
        '"arguments": {"city": "Oslo"}}}], "content": "Done."}',
    )
  })

  it('keeps only the last text of a field that neither repeats nor joins', () => {
    expect(read(templateOf("{'c': {'open': '<c>', 'close': '</c>'}, 'content': {}}"), 'a<c>1</c>b')).toBe(
      '{"content": "b", "c": "1"}',
    )
  })

  it('joins texts, and drops what is empty and no default', () => {
    const template = templateOf("{'content': {'close': '|', 'repeats': true, 'join': '+'}, 'n': {'open': '<n>'}}")

    expect(read(template, 'a|b|<n>')).toBe('{"content": "a+b"}')
  })

  it('prefers the longer of two openers at one place, then the smaller name', () => {
    const template = templateOf("{'z': {'open': '<a>'}, 'y': {'open_pattern': '<a>'}, 'x': {'open': '<a><b>'}}")

    expect([read(template, '<a>1'), read(template, '<a><b>1')]).toEqual(['{"y": "1"}', '{"x": "1"}'])
  })

  it('counts what the prompt has written behind its last anchor', () => {
    const template = templateOf("{'thinking': {'open': '<t>', 'close': '</t>'}, 'content': {}}")

    expect(read(template, 'Hm.</t>Noon.', { prefix: '[BOT]old[BOT]<t>' })).toBe(
      '{"thinking": "Hm.", "content": "Noon."}',
    )
  })

  it('refuses to guess a prompt that is not given', () => {
    expect(read(templateOf("{'content': {}}"), 'x', { prefix: null })).toBe('prefix no-prefix')
  })

  it('keeps numbers and the order of members as they are written', () => {
    const template = templateOf("{'j': {'open': '<j>', 'close': '</j>', 'content': 'json'}}")

    expect(read(template, '<j>{"2": 1.0, "1": 12345678901234567890, "__proto__": 1e400}</j>')).toBe(
      '{"j": {"2": 1.0, "1": 12345678901234567890, "__proto__": Infinity}}',
    )
  })

  it('types texts by the schemas of the tools', () => {
    const tools = loads(
      '[{"type": "function", "function": {"name": "put", "parameters": {"properties": {"n": {"type": "integer"}, "s": {"type": "string"}}}}}]',
    )

    expect(read(templateOf(CALLS), '<c put><p=n> 7 </p><p=s>7</p></c>', { tools })).toContain(
      '"arguments": {"n": 7, "s": "7"}',
    )
  })

  it('reports where the reference would never return', () => {
    const template = templateOf("{'x': {'open_pattern': '(?=<)', 'close_pattern': '\\\\s*(?=<)'}, 'content': {}}")

    expect(read(template, 'a<b>')).toBe('feed never-returns')
  })

  it('gives each reply its own lists, unless it is asked to share those of the template', () => {
    const calls = "{'c': {'open': '<c>', 'close': '</c>', 'repeats': true, 'content': 'json'}}"
    const template = templateOf(calls, "'start_anchor': '[BOT]', 'defaults': {'c': []}")

    expect([read(template, '<c>1</c>'), read(template, '<c>2</c>')]).toEqual(['{"c": [1]}', '{"c": [2]}'])
    read(template, '<c>1</c>', { hasSharedDefaults: true })
    expect(read(template, '<c>2</c>', { hasSharedDefaults: true })).toBe('{"c": [1, 2]}')
  })

  it('is left out where vLLM skips a value that transformers refuses', () => {
    const template = templateOf("{'c': {'open': '<c>', 'close': '</c>', 'content': 'json'}, 'content': {}}")
    const result = readReply(template, '<c>{</c>Noon.', { prefix: '', reader: 'vllm' })

    expect(read(template, '<c>{</c>Noon.')).toBe('feed json')
    expect(result.kind === 'read' && [dumps(result.message), result.malformed]).toEqual(['{"content": "Noon."}', ['c']])
  })
})

describe('a streamed reply', () => {
  const text = 'Hi 天气😀<t>Hm.</t><c f><p=x>1</p></c><c g><p=y>\n2\n</p></c>Done.<end>\n'

  it('gives the same message, wherever it is cut', () => {
    const template = templateOf(CALLS)
    const whole = read(template, text)
    const places = Array.from({ length: text.length + 1 }, (_, at) => at)

    expect(new Set(places.map((at) => streamed(template, [text.slice(0, at), text.slice(at)])))).toEqual(
      new Set([whole]),
    )
    expect(streamed(template, cutEvery(text, 1))).toBe(whole)
  })

  it('emits each region as it opens, arrives and closes, and holds back what may be a closer', () => {
    const stream = streamReply(templateOf("{'x': {'open': '<x>', 'close': '</x>'}, 'content': {}}"), { prefix: '' })
    const steps = ['a<x>b</', 'x>'].map((chunk) => stream.feed(chunk))

    expect(steps.map((step) => (step.kind === 'events' ? step.events.map(eventData) : step))).toEqual([
      [
        ['open', 'content'],
        ['chunk', 'content', 'a'],
        ['close', 'content', 'a'],
        ['open', 'x'],
        ['chunk', 'x', 'b'],
      ],
      [['close', 'x', 'b']],
    ])
  })

  it('loses the same text as the reference where a closer is $', () => {
    const template = templateOf("{'content': {'close_pattern': '<end>\\\\s*|$'}}")

    expect([read(template, 'one\ntwo'), streamed(template, ['one\n', 'two'])]).toEqual([
      '{"content": "one\\ntwo"}',
      '{"content": "two"}',
    ])
  })

  it('answers with the same fault after it has raised', () => {
    const stream = streamReply(templateOf("{'n': {'open': '<n>', 'close': '</n>', 'content': 'int'}}"), { prefix: '' })
    const kinds = [stream.feed('<n>x</n>'), stream.feed('<n>1</n>'), stream.end().step].map((step) =>
      step.kind === 'raised' ? step.fault.kind : step.kind,
    )

    expect(kinds).toEqual(['int', 'int', 'int'])
  })
})

describe('bad input', () => {
  it('has a bounded outcome when a pattern explodes', () => {
    const template = templateOf(
      "{'x': {'open_pattern': '(?P<a>a|aa)+(?P=a)!\\\\d', 'transform': '{content}'}, 'content': {}}",
    )

    expect(read(template, `${'a'.repeat(400)}!`)).toBe('feed pattern-limit')
  })

  it('has a bounded outcome when a pattern explodes at each piece of a stream', () => {
    const template = templateOf("{'x': {'open_pattern': '(?:a?){50}a{50}b'}, 'content': {}}")
    const start = performance.now()

    expect(streamed(template, cutEvery('a'.repeat(3_000), 4))).toBe('pattern-limit')
    // With the work limited for each piece alone it takes a minute.
    expect(performance.now() - start).toBeLessThan(10_000)
  })

  it('is linear where backtracking alone is exponential', () => {
    const template = templateOf("{'x': {'open_pattern': '(?:a|aa|a*)*b'}, 'content': {}}")

    expect(read(template, 'a'.repeat(5_000)).length).toBeGreaterThan(5_000)
  })

  it.each([
    ['white space that a delimiter may begin with', `${' '.repeat(200_000)}x`],
    ['a name that does not end', `<f=${'x'.repeat(200_000)}`],
  ])('streams %s in linear time', (_, text) => {
    const template = templateOf(
      "{'x': {'open_pattern': '\\\\s*<f=(?P<n>[^>]+)>', 'close': '</f>', 'transform': '{n}'}, 'content': {'repeats': true, 'join': ''}}",
    )
    const start = performance.now()

    const message = streamed(template, text.match(/.{1,4}/gs) ?? [])

    expect(message).toBe(read(template, text))
    // Searched again for each piece, each takes minutes.
    expect(performance.now() - start).toBeLessThan(10_000)
  })

  it('loads what it cannot run, and says so when it runs', () => {
    const template = templateOf("{'x': {'open_pattern': '\\\\((?R)?\\\\)'}}")

    expect(read(template, '()')).toBe('feed pattern-limit')
  })

  it('reads lone surrogates and NUL as text', () => {
    expect(streamed(templateOf("{'content': {}}"), ['a\ud83d', '\ude00\0\udc00'])).toBe(
      '{"content": "a😀\\u0000\udc00"}',
    )
  })
})
