import { describe, expect, it } from 'vitest'
import { deepseekV4, deepseekV41 } from '../../src/formats/deepseek-v3.2/index.ts'
import { grammarOf, spellingOf } from '../../src/formats/deepseek-v3.2/grammar.ts'
import { grammarFormat } from '../../src/format/grammar-format.ts'
import { kimiK3 } from '../../src/formats/kimi-k3/index.ts'
import type { Format } from '../../src/format/format.ts'
import { replyOf } from '../../src/reply/event.ts'
import type { ReadOptions } from '../../src/reply/reader.ts'
import { shown } from '../grammar/read.ts'

const read = (format: Format, text: string, options?: ReadOptions): readonly unknown[] =>
  shown(format.read(text, options).items)

/** Replies of formats that have no recorded answers. */
describe('deepseek-v4.1', () => {
  const argument = '<｜DSML｜ parameter name="city" string="true">Os</｜DSML｜parameter>lo</｜DSML｜ parameter>'
  const reply = `Hi.\n\n<｜DSML｜ calls>\n<｜DSML｜ invoke name="f">\n${argument}\n</｜DSML｜ invoke>\n</｜DSML｜ calls>`

  it('has a blank in every tag, and the tag of V4 inside a value is text', () => {
    expect(read(deepseekV41, reply)).toEqual(['Hi.', { f: '{"city": "Os</｜DSML｜parameter>lo"}' }])
  })

  it('and V4 find no call in the text of each other', () => {
    const other = deepseekV4.write([{ kind: 'call', name: 'f', arguments: '{"a": 1}', id: null }])

    expect(deepseekV4.read(reply).items.filter(({ kind }) => kind === 'call')).toEqual([])
    expect(deepseekV41.read(other).items.filter(({ kind }) => kind === 'call')).toEqual([])
  })

  it('writes its own tags', () => {
    expect(deepseekV41.write([{ kind: 'call', name: 'now', arguments: '{}', id: null }])).toBe(
      '\n\n<｜DSML｜ calls>\n<｜DSML｜ invoke name="now">\n\n</｜DSML｜ invoke>\n</｜DSML｜ calls>',
    )
  })
})

describe('deepseek-v4', () => {
  const called = (attribute: string, value: string): string =>
    `\n\n<｜DSML｜tool_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="a"${attribute}>${value}</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>`

  it('reads as text what should be JSON and is not', () => {
    expect(read(deepseekV4, called(' string="false"', '1, "b": 2'))).toEqual([
      expect.stringMatching(/^value-not-json/),
      { f: '{"a": "1, \\"b\\": 2"}' },
    ])
  })

  it('reads as a text what does not say what it is, and says so', () => {
    expect(read(deepseekV4, called(' string="True"', '1'))).toEqual([
      expect.stringMatching(/^text-dropped/),
      { f: '{"a": "1"}' },
    ])
  })
})

describe('kimi-k3', () => {
  const call = (inside: string): string =>
    `<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|>${inside}<|close|>call<|sep|><|close|>tools<|sep|>`
  const argument = (head: string, value: string): string =>
    `<|open|>argument ${head}<|sep|>${value}<|close|>argument<|sep|>`

  it('begins inside the section that the prompt has opened', () => {
    const behind = '<|open|>response<|sep|>No.<|close|>response<|sep|><|close|>message<|sep|>'

    expect(read(kimiK3, `Hm.<|close|>think<|sep|>${behind}`, { thoughtInContent: true })).toEqual([
      { thought: 'Hm.' },
      'No.',
    ])
    expect(read(kimiK3, 'No.<|close|>response<|sep|>')).toEqual(['No.'])
  })

  it('types values by what the text says, and unescapes keys only', () => {
    const inside = argument('key="a&quot;&amp;lt;" type="string"', '5 &amp;') + argument('key="n" type="integer"', '5')

    expect(read(kimiK3, `<|close|>response<|sep|>${call(inside)}`)).toEqual([{ f: '{"a\\"&lt;": "5 &amp;", "n": 5}' }])
  })

  it('reads arguments that are not an object unchanged', () => {
    const inside = '<|open|>json type="object"<|sep|>[1, 2]<|close|>json<|sep|>'

    expect(read(kimiK3, `<|close|>response<|sep|>${call(inside)}`)).toEqual([
      { f: '[1, 2]' },
      expect.stringMatching(/^arguments-not-object/),
    ])
  })

  it('gives no call that was cut, and says that a thought or a text was', () => {
    const cut = '<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|>'

    expect(read(kimiK3, `Hi.<|close|>response<|sep|>${cut}`)).toEqual(['Hi.', expect.stringMatching(/^cut/)])
    expect(read(kimiK3, 'Hm', { thoughtInContent: true })).toEqual([{ thought: 'Hm' }, expect.stringMatching(/^cut/)])
  })

  it('writes every number as a number, as the chat template does', () => {
    const text = kimiK3.write([{ kind: 'call', name: 'f', arguments: '{"n": 5, "x": 1.0}', id: null }])

    expect(text).toContain(call(argument('key="n" type="number"', '5') + argument('key="x" type="number"', '1.0')))
    expect(read(kimiK3, text)).toEqual([{ f: '{"n": 5, "x": 1.0}' }])
  })

  it('writes every section, the response before the calls as well', () => {
    const text = kimiK3.write([{ kind: 'call', name: 'f', arguments: '{"a&": null}', id: null }])

    expect(text).toBe(
      `<|open|>response<|sep|><|close|>response<|sep|>${call(argument('key="a&amp;" type="null"', 'null'))}`,
    )
  })
})

/** Markers with a suffix that depends on the checkpoint, as Hunyuan's have. */
describe.each(['6124c78e', '0a1b2c3d'])('a variant whose markers end in :%s', (suffix) => {
  const tags = { block: `tool_calls:${suffix}`, call: `tool_call:${suffix}`, argument: `arg:${suffix}` }
  const variant = grammarFormat({
    id: 'variant',
    about: { models: 'none', source: 'none', licence: 'none' },
    grammar: grammarOf(tags),
    spelling: spellingOf(tags),
    prompt: null,
  })
  const call = { kind: 'call', name: 'f', arguments: `{"a": "</arg>", "n": 1}`, id: null } as const

  it('costs a table and no code: it is written, read whole, and read in pieces', () => {
    const text = variant.write([{ kind: 'text', text: 'Hi.' }, call])
    const reader = variant.createReader()
    const events = [...[...text].flatMap((unit) => reader.push(unit)), ...reader.end()]

    expect(text).toContain(`<tool_calls:${suffix}>`)
    expect(read(variant, text)).toEqual(['Hi.', { f: '{"a": "</arg>", "n": 1}' }])
    expect(replyOf(events)).toEqual(variant.read(text))
    expect(variant.markers.callStart).toEqual([`<tool_call:${suffix} name="`])
  })

  it('reads no call with the suffix of another checkpoint', () => {
    const other = variant.write([call]).replaceAll(suffix, 'ffffffff')

    expect(variant.read(other).items.filter(({ kind }) => kind === 'call')).toEqual([])
  })
})
