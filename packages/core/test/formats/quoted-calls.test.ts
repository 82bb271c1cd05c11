import { describe, expect, it } from 'vitest'
import { FORMATS } from '../../src/formats/index.ts'
import type { Format, ReplyItem } from '../../src/index.ts'
import { itemsAlike, workOn } from '../grammar/read.ts'

/** Calls with the markers of their format that a reply only shows. */

const CALL: ReplyItem = { kind: 'call', id: null, name: 'remove', arguments: '{"path": "/b"}' }

function options(format: Format): { readonly version?: string } {
  return format.versions.includes('strict') ? { version: 'strict' } : {}
}

function written(format: Format, before: string, after = ''): string {
  return format.write([{ kind: 'text', text: before }, CALL]) + after
}

function read(format: Format, text: string): readonly ReplyItem[] {
  return itemsAlike(format, text, options(format))
}

function notes(items: readonly ReplyItem[]): readonly string[] {
  return items.flatMap((item) =>
    item.kind === 'issue' && /^call-in-(?:code|quote)$/.test(item.code) ? [item.code] : [],
  )
}

const SHOWN = [
  ['between back-ticks', 'The page says `', 'call-in-code'],
  ['in a fence', 'The page says:\n\n```\n', 'call-in-code'],
  ['in a fence with a language', 'The page says:\n\n~~~json\n', 'call-in-code'],
  ['in a quotation', 'The page says:\n> ', 'call-in-quote'],
] as const

/** Replies in which code and quotations are complete, or are none. */
const ORDINARY: readonly string[] = [
  'I look.\n',
  'Use `ls` first, then `rm`.\n',
  'First:\n```sh\nls\n```\nNow I call it.\n',
  '> quoted\n\nI agree.\n',
  '> quoted\nI agree.\n',
  '~~~\ncode\n~~~\n',
  'a ``b ` c`` d\n',
  '`one` and `two` and `three`\n',
  'It costs 5 > 3.\n',
  '```\na\n```\n```\nb\n```\n',
  '    > indented code\nDone.\n',
  'A lone ` in a line.\nNext line.\n',
  '好的，`ls` 已经运行。\n',
  '> 引用\n\n我来处理。\n',
  '```python\nprint(1)\n```\n\n',
  'x -> y\n',
  'a | b\n',
  '- item `a`\n- item `b`\n',
  '# Title\n',
  'Done: ```inline``` text.\n',
]

describe.each(FORMATS.map((format) => [format.id, format] as const))('%s', (_, format) => {
  it.each(SHOWN)('does with a call %s what it declares', (_where, before, code) => {
    const items = read(format, written(format, before))

    const calls = items.filter(({ kind }) => kind === 'call').length
    expect([calls, notes(items)]).toEqual(format.traits.quotedCalls.shown === 'text' ? [0, []] : [1, [code]])
  })

  it('does with a call whose markers are escaped what it declares', () => {
    const [before, text] = ['The page says:\n', written(format, '').replaceAll('<', '&lt;').replaceAll('[', '&#91;')]
    const items = read(format, format.write([{ kind: 'text', text: before + text.trim() }]))

    const calls = items.filter(({ kind }) => kind === 'call').length
    expect([calls, notes(items)]).toEqual([format.traits.quotedCalls.escaped === 'text' ? 0 : 1, []])
  })

  it('reports no call in 20 ordinary replies', () => {
    expect(ORDINARY.length).toBe(20)
    for (const text of ORDINARY) expect([text, notes(read(format, written(format, text)))]).toEqual([text, []])
  })

  it('notes nothing in 20 ordinary conversations: thoughts, several calls, and answers that show code', () => {
    const thought: readonly ReplyItem[] = format.traits.reasoning
      ? [{ kind: 'reasoning', text: 'Not `rm`, I think.' }]
      : []
    for (const [at, text] of ORDINARY.entries()) {
      const prose: ReplyItem = { kind: 'text', text }
      const answer: ReplyItem = { kind: 'text', text: ORDINARY[(at + 1) % ORDINARY.length] ?? '' }
      const turns: readonly (readonly ReplyItem[])[] = [
        [...thought, CALL],
        [prose, CALL, ...(format.traits.severalCalls ? [CALL] : [])],
        [...thought, prose, CALL],
        [answer],
      ]
      for (const turn of turns) {
        const written = format.write(turn)
        expect([written, notes(format.read(written, options(format)).items)]).toEqual([written, []])
      }
    }
  })

  it('reads many shown calls in linear time', () => {
    const piece = written(format, 'Like `')
    const [once = 0, twice = 0] = [20, 40].map((times) => workOn(format, piece.repeat(times), options(format)))

    expect(twice).toBeLessThanOrEqual(2.5 * once)
  })
})

it('the formats that do not read them are those whose calls follow no prose; two read them escaped, as their markers have no < and no [', () => {
  const idsOf = (is: (format: Format) => boolean): readonly string[] => FORMATS.filter(is).map(({ id }) => id)

  expect(idsOf(({ traits }) => traits.quotedCalls.shown === 'text')).toEqual(['granite-3', 'pythonic'])
  expect(idsOf(({ traits }) => traits.quotedCalls.escaped === 'read')).toEqual(['qwen', 'react'])
})

it('the note has the place where the call opens, and is no error', () => {
  const format = FORMATS.find(({ id }) => id === 'qwen3-coder')
  const call = '<tool_call>\n<function=f>\n</function>\n</tool_call>'

  expect(format?.read(`See \`${call}\`.`).items).toMatchObject([
    { kind: 'text', text: 'See `' },
    { kind: 'call', name: 'f' },
    { kind: 'issue', code: 'call-in-code', weight: 'note', start: 17 },
    { kind: 'text' },
  ])
})
