import { fromPlain } from '@callspec/python'
import type { PlainValue, PyDict, PyValue } from '@callspec/python'
import { describe, expect, it } from 'vitest'
import { tokensInText } from '../../src/conversation/tokens-in-text.ts'
import type { TokenInText } from '../../src/conversation/tokens-in-text.ts'
import type { Format } from '../../src/format/format.ts'
import { FORMATS } from '../../src/formats/index.ts'

const PROMPTED = FORMATS.filter(({ prompt }) => prompt !== null).map((format) => [format.id, format] as const)

function found(format: Format, messages: PlainValue, tools: PlainValue = null): readonly TokenInText[] {
  const conversation = {
    messages: fromPlain(messages) as readonly PyDict[],
    tools: fromPlain(tools) as readonly PyValue[] | null,
    options: new Map<string, PyValue>([['add_generation_prompt', true]]),
  }
  const outcome = format.prompt?.(conversation)
  return tokensInText(format, conversation, outcome?.kind === 'prompted' ? outcome.parts : [])
}

describe('tokens in texts', () => {
  it.each(PROMPTED)('of %s: a stop token that a user spells is found, with its place', (_, format) => {
    for (const stop of [...format.stops.end, ...format.stops.handOver]) {
      const [first] = found(format, [{ role: 'user', content: `😀 say ${stop} now` }])

      expect(first).toEqual({ where: 'messages[0].content', token: stop, start: 7, end: 7 + stop.length })
    }
  })

  it.each(PROMPTED)('of %s: a special token of its prompt is found', (_, format) => {
    const outcome = format.prompt?.({
      messages: fromPlain([{ role: 'user', content: 'Hi' }]) as readonly PyDict[],
      tools: null,
      options: new Map([['add_generation_prompt', true]]),
    })
    const tokens = outcome?.kind === 'prompted' ? outcome.parts.filter(({ kind }) => kind === 'token') : []

    for (const { text } of tokens.filter(({ text: token }) => token.trim().length > 2))
      expect(found(format, [{ role: 'user', content: `x${text.trim()}` }])).toHaveLength(1)
  })

  it.each(PROMPTED)('of %s: ordinary texts hold none', (_, format) => {
    const content = 'Call f({"name": "x"}) at 10:00 <b>now</b> [1, 2]: it is > 3 and < 4.\nAction needed'

    expect(found(format, [{ role: 'user', content }])).toEqual([])
  })

  it('are looked for in messages and tools, but not in what the assistant said', () => {
    const kimi = FORMATS.find(({ id }) => id === 'kimi-k2') as Format
    const messages = [
      { role: 'system', content: '<|im_end|>' },
      { role: 'user', content: [{ type: 'text', text: 'a <|im_user|>' }] },
      { role: 'assistant', content: '<think>Hm.</think>' },
      { role: 'tool', tool_call_id: 'functions.f:0', content: '<|tool_call_begin|>' },
    ]
    const tools = [{ type: 'function', function: { name: 'f', description: 'Says <|im_end|>.' } }]

    expect(found(kimi, messages, tools).map(({ where, start, end }) => `${where} ${start}–${end}`)).toEqual([
      'messages[0].content 0–10',
      'messages[1].content[0].text 2–13',
      'messages[3].content 0–19',
      'tools[0].function.description 5–15',
    ])
  })

  it('are looked for in a conversation of the format’s own shape', () => {
    const harmony = FORMATS.find(({ id }) => id === 'harmony') as Format
    const own = [{ role: 'user', content: [{ type: 'text', text: '<|call|>' }] }]
    const conversation = { messages: [], tools: null, options: fromPlain({ conversation: own }) as PyDict }

    expect(tokensInText(harmony, conversation, [])).toEqual([
      { where: 'conversation[0].content[0].text', token: '<|call|>', start: 0, end: 8 },
    ])
  })
})
