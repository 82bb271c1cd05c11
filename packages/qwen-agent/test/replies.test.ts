import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openAiReplies, openAiReply } from '../src/chat/replies.ts'
import type { ReplyChunk, ToolCallDelta } from '../src/chat/replies.ts'
import type { ProfileName } from '@callspec/core/qwen-agent'
import { attempt } from '@callspec/python'
import { anyText } from './helpers/any-text.ts'
import { ALL_PROFILES, MAIN, profile } from './helpers/profiles.ts'

const lists = (chunks: readonly ReplyChunk[], name: ProfileName = 'main') => [...openAiReplies(chunks, profile(name))]
const delta = (id: string | null, name: string | null, text: string | null): ReplyChunk => ({
  tool_calls: [{ id, function: { name, arguments: text } } satisfies ToolCallDelta],
})

describe('openAiReplies', () => {
  it('ends with the whole text wherever the stream is cut, in every profile', () => {
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 8 }), fc.constantFrom(...ALL_PROFILES), (parts, version) => {
        const replies = [
          ...openAiReplies(
            parts.map((content) => ({ content })),
            version,
          ),
        ]

        expect(replies.at(-1)?.at(-1)?.content ?? '').toBe(parts.join(''))
      }),
    )
  })

  it('yields an empty list in main, an empty message in v0.0.16, and nothing in v0.0.13 for a chunk without text', () => {
    const chunks = [{ content: '' }]

    const yielded = (['main', 'v0.0.26', 'v0.0.16', 'v0.0.13', 'v0.0.7'] as const).map((name) => lists(chunks, name))

    const empty = { role: 'assistant', content: '', reasoning_content: '' }
    expect(yielded).toEqual([[[]], [[empty]], [[empty]], [], []])
  })

  it('parts reasoning, text and calls in main', () => {
    const chunks = [{ reasoning_content: 'why' }, { content: 'so' }, delta('c1', 'f', '{}')]

    expect(lists(chunks).at(-1)).toEqual([
      { role: 'assistant', content: '', reasoning_content: 'why' },
      { role: 'assistant', content: 'so' },
      {
        role: 'assistant',
        content: '',
        function_call: { name: 'f', arguments: '{}' },
        extra: new Map([['function_id', 'c1']]),
      },
    ])
  })

  it('joins deltas without an id, or with that of the last call, to the last call', () => {
    const chunks = [delta('c1', 'f', ''), delta('', null, '{"a"'), delta('c1', null, ': 1}'), delta('c2', 'g', '')]

    const calls = lists(chunks)
      .at(-1)
      ?.map((message) => message.function_call)

    expect(calls).toEqual([
      { name: 'f', arguments: '{"a": 1}' },
      { name: 'g', arguments: '' },
    ])
  })

  it('raises when a call begins without arguments, as data and after what came before', () => {
    const seen: unknown[] = []

    const outcome = attempt(() => {
      for (const list of openAiReplies([{ content: 'x' }, delta('c1', 'f', null)], MAIN)) seen.push(list)
    })

    expect(outcome).toEqual({
      kind: 'raised',
      error: { type: 'ValidationError', message: 'Input should be a valid string' },
    })
    expect(seen).toEqual([[{ role: 'assistant', content: 'x' }]])
  })

  it('does not see native calls before main', () => {
    expect(lists([delta('c1', 'f', null)], 'v0.0.26')).toEqual([
      [{ role: 'assistant', content: '', reasoning_content: '' }],
    ])
  })

  it('gives lists that later chunks do not change', () => {
    const stream = openAiReplies([delta('c1', 'f', '{'), delta('c1', null, '}')], MAIN)

    const first = stream.next().value as readonly unknown[]
    const before = structuredClone(first)
    stream.next()

    expect(first).toEqual(before)
  })
})

describe('openAiReply', () => {
  it('is one message, with reasoning only where there is some and the profile has it', () => {
    const replies = (['main', 'v0.0.13'] as const).map((name) =>
      openAiReply({ content: 'x', reasoning_content: 'why' }, profile(name)),
    )

    expect(replies).toEqual([
      [{ role: 'assistant', content: 'x', reasoning_content: 'why' }],
      [{ role: 'assistant', content: 'x' }],
    ])
  })
})
