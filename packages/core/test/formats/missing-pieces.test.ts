import { describe, expect, it } from 'vitest'
import { grammarParts } from '../../src/format/grammar-format.ts'
import { FORMATS } from '../../src/formats/index.ts'
import { callsOf } from '../../src/reply/item.ts'
import type { ReplyItem } from '../../src/reply/item.ts'
import type { ReadOptions } from '../../src/reply/reader.ts'
import type { AnyState } from '../../src/grammar/grammar.ts'
import { itemsAlike, named, shown, workOn } from '../grammar/read.ts'

/** Replies that lack a piece of their format, as servers and models leave them. */

const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'f',
      parameters: { type: 'object', properties: { city: { type: 'string' }, state: { type: 'string' } } },
    },
  },
] as const

const itemsOf = (id: string, text: string, options: ReadOptions = { tools: TOOLS }): readonly ReplyItem[] =>
  itemsAlike(named(id), text, options)

const read = (id: string, text: string, options?: ReadOptions): readonly unknown[] => shown(itemsOf(id, text, options))

const messagesOf = (id: string, text: string, options?: ReadOptions): readonly string[] =>
  itemsOf(id, text, options).flatMap((item) => (item.kind === 'issue' ? [item.message] : []))

describe('a reply that a server has trimmed', () => {
  it.each(FORMATS.map((format) => [format.id, format] as const))(
    '%s: the call is read, or reported as lost',
    (_, format) => {
      const call = {
        kind: 'call',
        name: 'f',
        arguments: '{"city": "Oslo"}',
        id: format.traits.ids ? 'functions.f:0' : null,
      } as const
      const text = format.write([call])
      const { items } = format.read(text.trim(), { tools: TOOLS })
      const issues = items.flatMap((item) => (item.kind === 'issue' ? [item.code] : []))

      if (callsOf(items).length === 0) return expect([format.id, issues]).toEqual(['react', ['call-at-start']])
      expect(callsOf(items)).toMatchObject([{ name: 'f', arguments: '{"city": "Oslo"}' }])
      expect(issues).toEqual(text.startsWith('\n\n<｜DSML｜') ? ['line-feeds-missing'] : [])
    },
  )

  const block = `<｜DSML｜tool_calls>\n<｜DSML｜invoke name="f">\n\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>`

  it('deepseek-v4: with one line feed or none before the block', () => {
    expect(read('deepseek-v4', block)).toEqual(['line-feeds-missing 0–18', { f: '{}' }])
    expect(read('deepseek-v4', `Hi.\n${block}`)).toEqual(['Hi.', 'line-feeds-missing 3–22', { f: '{}' }])
    expect(read('deepseek-v4', `Hi.\n\n\n${block}`)).toEqual(['Hi.\n', { f: '{}' }])
    expect(messagesOf('deepseek-v4', block)).toEqual([
      '"<｜DSML｜tool_calls>" at 0–18: The format writes two line feeds before this marker; a server may have removed them. The calls are read anyway.',
    ])
  })

  it('deepseek-v4: the name of the block in prose is text', () => {
    expect(read('deepseek-v4', 'Use <｜DSML｜tool_calls> here.')).toEqual([
      'Use <｜DSML｜tool_calls>',
      'marker-in-text 4–22',
      ' here.',
    ])
  })
})

/** How a format writes the call `f`: the text between its tags, and the pieces of an argument. */
interface Spelling {
  readonly call: (inside: string) => string
  readonly open: (key: string) => string
  readonly close: string
  /** The text between the tags and the value. */
  readonly feed: string
}

const coder = (wrapper: string, feed: string): Spelling => ({
  call: (inside) => `<${wrapper}>\n<function=f>\n${inside}</function>\n</${wrapper}>`,
  open: (key) => `<parameter=${key}>${feed}`,
  close: '</parameter>',
  feed,
})

const glm = (feed: string): Spelling => ({
  call: (inside) => `<tool_call>f${feed}${inside}</tool_call>`,
  open: (key) => `<arg_key>${key}</arg_key>${feed}<arg_value>`,
  close: '</arg_value>',
  feed: '',
})

const SPELLINGS: readonly (readonly [string, Spelling])[] = [
  ['qwen3.5', coder('tool_call', '\n')],
  ['qwen3-coder', coder('tool_call', '\n')],
  ['seed-oss', coder('seed:tool_call', '')],
  ['glm-4.5', glm('\n')],
  ['glm-4.7', glm('')],
  [
    'hy-v3',
    {
      call: (inside) =>
        `<tool_calls:opensource>\n<tool_call:opensource>f<tool_sep:opensource>\n${inside}</tool_call:opensource>\n</tool_calls:opensource>`,
      open: (key) => `<arg_key:opensource>${key}</arg_key:opensource>\n<arg_value:opensource>`,
      close: '</arg_value:opensource>',
      feed: '',
    },
  ],
  [
    'minimax-m2',
    {
      call: (inside) => `<minimax:tool_call>\n<invoke name="f">\n${inside}</invoke>\n</minimax:tool_call>`,
      open: (key) => `<parameter name="${key}">`,
      close: '</parameter>',
      feed: '',
    },
  ],
  [
    'minicpm5',
    {
      call: (inside) => `<function name="f">${inside}</function>`,
      open: (key) => `<param name="${key}">`,
      close: '</param>',
      feed: '',
    },
  ],
  [
    'deepseek-v3.2',
    {
      call: (inside) =>
        `\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="f">\n${inside}</｜DSML｜invoke>\n</｜DSML｜function_calls>`,
      open: (key) => `<｜DSML｜parameter name="${key}" string="true">`,
      close: '</｜DSML｜parameter>',
      feed: '',
    },
  ],
  [
    'kimi-k3',
    {
      call: (inside) =>
        `<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|>${inside}<|close|>call<|sep|><|close|>tools<|sep|>`,
      open: (key) => `<|open|>argument key="${key}" type="string"<|sep|>`,
      close: '<|close|>argument<|sep|>',
      feed: '',
    },
  ],
]

describe.each(SPELLINGS)('%s: a closing tag of an argument', (id, { call, open, close, feed }) => {
  const city = `${open('city')}Dallas${feed}`
  const state = `${open('state')}TX${feed}${close}\n`
  const issuesOf = (text: string): readonly string[] =>
    itemsOf(id, text).flatMap((item) => (item.kind === 'issue' ? [item.code] : []))

  it('that is written twice is part of the value, and reported', () => {
    const text = call(`${city}${close}${feed}${close}\n${state}`)

    expect(callsOf(itemsOf(id, text))).toMatchObject([
      {
        arguments: JSON.stringify({ city: `Dallas${feed}${close}`, state: 'TX' })
          .replace('","', '", "')
          .replaceAll('":"', '": "'),
      },
    ])
    expect(issuesOf(text)).toEqual(['value-ends-in-marker'])
    expect(messagesOf(id, text)[0]).toContain(`Twice: ${close} after "city".`)
  })

  it('that is missing before another argument of the tool is named', () => {
    const text = call(`${city}\n${state}`)

    expect(callsOf(itemsOf(id, text))).toHaveLength(1)
    expect(issuesOf(text)).toEqual(['argument-in-value'])
    expect(messagesOf(id, text)[0]).toContain(`Missing: ${close} between "city" and "state".`)
  })

  it('that is missing at the end does not lose the call', () => {
    for (const text of [call(city), `${call(city)}\n`]) {
      expect(callsOf(itemsOf(id, text))).toMatchObject([{ name: 'f', arguments: '{"city": "Dallas"}' }])
      expect(issuesOf(text)).toEqual(['value-not-closed'])
    }
    expect(messagesOf(id, call(city))[0]).toContain(`Missing: ${close} after "city".`)
  })

  it('that is missing in every call loses none of them, where no value is closed', () => {
    const text = call(city) + '\n' + call(city)

    expect(callsOf(itemsOf(id, text)).map(({ arguments: given }) => given)).toEqual([
      '{"city": "Dallas"}',
      '{"city": "Dallas"}',
    ])
  })

  it('is not missed where a value quotes a key that the tool does not have', () => {
    expect(issuesOf(call(`${city}\n${open('zip')}1${feed}${close}\n`))).toEqual([])
  })

  it('is not missed where the reply ends in the call', () => {
    const text = call(city)
    const cut = text.slice(0, text.indexOf('Dallas') + 6)

    expect(callsOf(itemsOf(id, cut))).toEqual([])
    expect(issuesOf(cut)).toEqual(['cut'])
  })
})

describe('qwen3-coder: a tag of an argument in a value', () => {
  it('is not reported where it is not a line of its own', () => {
    const { call } = coder('tool_call', '\n')

    expect(
      read('qwen3-coder', call('<parameter=city>\nsee <parameter=state> or\n<parameter=state> too\n</parameter>\n')),
    ).toEqual([{ f: '{"city": "see <parameter=state> or\\n<parameter=state> too"}' }])
  })
})

it('every grammar with values that tags close says how the next argument begins', () => {
  const lacking = FORMATS.flatMap((format) => {
    const grammar = format.grammar ?? grammarParts(format)?.grammar
    const states: readonly AnyState[] = grammar?.readArguments === undefined ? Object.values(grammar?.states ?? {}) : []
    const isLacking = ({ kind, quote, nextKey, transitions }: AnyState): boolean =>
      kind === 'value' && quote === undefined && nextKey === undefined && !Object.keys(transitions).every(endsCdata)
    return states.some(isLacking) ? [format.id] : []
  })

  expect(lacking).toEqual([])
})

/** In CDATA the tags of a call are text: only its own end can end it. */
function endsCdata(marker: string): boolean {
  return marker.startsWith(']]>')
}

describe('reading what lacks its closing tags stays linear', () => {
  it.each(SPELLINGS)('%s', (id, { call, open, feed }) => {
    const unclosed = `${call(`${open('city')}Dallas${feed}`)}\nText. `
    const [once = 0, twice = 0] = [30, 60].map((times) => workOn(named(id), unclosed.repeat(times), { tools: TOOLS }))

    expect(twice).toBeLessThanOrEqual(2.2 * once)
  })
})
