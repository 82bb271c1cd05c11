import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDeltas, nous, qwen } from '../../src/qwen-agent.ts'
import type {
  AssistantMessage,
  ParseOutcome,
  PromptFormat,
  StreamDelta,
  StreamOptions,
  StreamParser,
} from '../../src/qwen-agent.ts'
import { COMBINATIONS } from '../formats/helpers.ts'
import { chunks, CUTS, expectSame, OPTIONS, replies } from './helpers.ts'
import { runsOf } from '../../../tidy/test/share.ts'

/** The deltas of a reply, one list per chunk and one for the end. */
function deltasOf(
  format: PromptFormat,
  reply: readonly string[],
  { isTruncated = false, ...options }: StreamOptions & { readonly isTruncated?: boolean } = {},
): readonly (readonly StreamDelta[])[] {
  const parser = format.createStreamParser?.(options)
  if (parser === undefined) throw new Error(`${format.id} cannot be streamed`)
  const deltas = createDeltas()
  const lists = reply.map((chunk) => {
    parser.push(chunk)
    return deltas.next(chunk, parser)
  })
  return [...lists, deltas.end(parser.snapshot(), { isTruncated })]
}

interface Joined {
  readonly content: string
  readonly reasoning: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[]
  readonly finish: string | null
}

/** What a client makes of deltas. Fails where an index, an id, a name or a finish reason comes in the wrong place. */
function joined(deltas: readonly StreamDelta[]): Joined {
  const calls: { id: string; name: string; arguments: string }[] = []
  expect(deltas.map(({ finish_reason: reason }) => reason !== null)).toEqual(
    deltas.map((_, at) => at === deltas.length - 1),
  )
  expect(deltas.map(({ delta }) => delta.role ?? null)).toEqual(deltas.map((_, at) => (at === 0 ? 'assistant' : null)))
  for (const { index, id, type, function: piece } of deltas.flatMap(({ delta }) => delta.tool_calls ?? [])) {
    const isFirst = index === calls.length
    expect([id !== undefined, type !== undefined, piece.name !== undefined]).toEqual([isFirst, isFirst, isFirst])
    if (isFirst) calls.push({ id: id ?? '', name: piece.name ?? '', arguments: piece.arguments })
    else {
      expect(index).toBe(calls.length - 1)
      const last = calls.at(-1)
      if (last !== undefined) last.arguments += piece.arguments
    }
  }
  return {
    content: deltas.map(({ delta }) => delta.content ?? '').join(''),
    reasoning: deltas.map(({ delta }) => delta.reasoning_content ?? '').join(''),
    calls,
    finish: deltas.at(-1)?.finish_reason ?? null,
  }
}

/** What the deltas of an outcome should come to. */
function expected(messages: readonly AssistantMessage[]): Omit<Joined, 'finish'> {
  const calls = messages.filter(({ function_call: call }) => call)
  return {
    content: messages.map(({ content }) => content).join(''),
    reasoning: messages.map(({ reasoning_content: reasoning }) => String(reasoning ?? '')).join(''),
    calls: calls.map(({ function_call: call, extra }, index) => ({
      id: String(extra?.get('function_id') ?? index + 1),
      name: call?.name ?? '',
      arguments: call?.arguments ?? '',
    })),
  }
}

describe('deltas', () => {
  it('bring a text while it is written, without what may become a tag', () => {
    const lists = deltasOf(nous, [
      'Let me ',
      'look <to',
      'ol',
      '_box>. <tool',
      '_call>\n{"name": "f", "argum',
      'ents": {}}',
    ])

    expect(lists.map((list) => list.map(({ delta }) => delta.content ?? null))).toEqual([
      ['Let me '],
      ['look '],
      [],
      ['<tool_box>. '],
      [],
      [],
      [null, null],
    ])
  })

  it('bring a call once it is closed, where no thought can take it back', () => {
    const lists = deltasOf(nous, ['<tool_call>{"name": "f", "arguments": {"a":1}}</tool_', 'call>', '\n'], {
      profile: 'v0.0.26',
    })

    expect(lists).toEqual([
      [],
      [
        {
          delta: {
            role: 'assistant',
            tool_calls: [{ index: 0, id: '1', type: 'function', function: { name: 'f', arguments: '{"a": 1}' } }],
          },
          finish_reason: null,
        },
      ],
      [],
      [{ delta: {}, finish_reason: 'tool_calls' }],
    ])
  })

  it('hold a call back to the end where a thought may still take it back', () => {
    const reply = ['<tool_call>{"name": "f", "arguments": {}}</tool_call>', ' I <think>', 'wait']

    const lists = deltasOf(nous, reply, { profile: 'main' })

    expect(lists.slice(0, 1)).toEqual([[]])
    expect(joined(lists.flat())).toEqual({ content: reply.join(''), reasoning: '', calls: [], finish: 'stop' })
  })

  it('hold back white space behind a thought that nobody opened: a later tag may make it vanish', () => {
    const reply = ['</think>', ' ', '<tool_call><think>']

    const lists = deltasOf(nous, reply, { profile: 'main' })

    expect(lists.map((list) => list.map(({ delta }) => delta.content ?? null))).toEqual([['</think>'], [], [], [null]])
    expect(joined(deltasOf(nous, ['</think>', ' x ', '<tool_call><think>']).flat()).content).toBe('</think> x ')
  })

  it('bring a thought while it is thought', () => {
    const lists = deltasOf(nous, ['<think>I ', 'could <tool_call>', '</think>', '\n', 'Hi'])

    expect(lists.map((list) => list.map(({ delta }) => delta.content ?? null))).toEqual([
      ['<think>I '],
      ['could <tool_call>'],
      ['</think>'],
      [],
      ['\nHi'],
      [null],
    ])
  })

  it('say that a reply was cut off, with or without a call', () => {
    const finish = (reply: string): string | null =>
      joined(deltasOf(nous, [reply], { isTruncated: true }).flat()).finish

    expect([finish('Hello wor'), finish('<tool_call>{"name": "f", "arguments": {"a": ')]).toEqual(['length', 'length'])
  })

  it('end with the error of the reference where it raises, behind what was settled before', () => {
    const lists = deltasOf(nous, ['Hi ', '<tool_call>5</tool_call>'])

    expect(lists).toEqual([
      [{ delta: { role: 'assistant', content: 'Hi ' }, finish_reason: null }],
      [],
      [
        {
          delta: {},
          finish_reason: 'error',
          error: { type: 'TypeError', message: "argument of type 'int' is not iterable" },
        },
      ],
    ])
  })

  it('give an empty reply one delta', () => {
    expect(deltasOf(nous, [])).toEqual([[{ delta: { role: 'assistant' }, finish_reason: 'stop' }]])
  })

  it('never end with half of a pair that is still to come', () => {
    const lists = deltasOf(nous, ['a\ud83d', '\ude00b\ud83d'])

    expect(lists.map((list) => list.map(({ delta }) => delta.content ?? null))).toEqual([
      ['a'],
      ['😀b'],
      ['\ud83d', null],
    ])
  })

  it('give ids of the caller', () => {
    const deltas = createDeltas({ callId: (index, { function_call: call }) => `call-${index}-${call?.name ?? ''}` })
    const final = nous.parse(
      '<tool_call>{"name": "f", "arguments": {}}</tool_call><tool_call>{"name": "g", "arguments": 1}',
    )

    expect(joined(deltas.end(final)).calls.map(({ id }) => id)).toEqual(['call-0-f', 'call-1-g'])
  })

  it('bring reasoning, content and arguments of one message in this order', () => {
    const message: AssistantMessage = {
      role: 'assistant',
      reasoning_content: 'hm',
      content: 'ok',
      function_call: { name: 'f', arguments: '{"a": 1}' },
    }
    const outcome: ParseOutcome = { kind: 'parsed', messages: [message], issues: [] }
    const deltas = createDeltas()
    const settledAt = (characters: number): StreamParser => ({
      push: () => {},
      snapshot: () => outcome,
      settled: () => ({ messages: 0, characters }),
    })
    const lists = [1, 3, 4, 5, 7].map((characters) => deltas.next('', settledAt(characters)))

    expect([...lists, deltas.end(outcome)].map((list) => list.map(({ delta }) => delta))).toEqual([
      [{ role: 'assistant', reasoning_content: 'h' }],
      [{ reasoning_content: 'm' }, { content: 'o' }],
      [{ content: 'k' }],
      [{ tool_calls: [{ index: 0, id: '1', type: 'function', function: { name: 'f', arguments: '{' } }] }],
      [{ tool_calls: [{ index: 0, function: { arguments: '"a' } }] }],
      [{ tool_calls: [{ index: 0, function: { arguments: '": 1}' } }] }, {}],
    ])
  })
})

describe('deltas of text that was held back', () => {
  it('bring it however long it was held', () => {
    const blank = ' '.repeat(3000)

    const lists = deltasOf(qwen, ['a', blank, blank, 'b'])

    expect(lists.map((list) => list.map(({ delta }) => delta.content ?? null))).toEqual([
      ['a'],
      [],
      [],
      [`${blank}${blank}b`],
      [null],
    ])
  })

  it('read it off a snapshot where the parser does not keep it', () => {
    const text = 'x'.repeat(100)
    const outcome: ParseOutcome = {
      kind: 'parsed',
      messages: [{ role: 'assistant', content: text + text }],
      issues: [],
    }
    let characters = 0
    const parser: StreamParser = {
      push: () => {},
      snapshot: () => outcome,
      settled: () => ({ messages: 0, characters, open: { kind: 'text', start: 0 } }),
    }
    const deltas = createDeltas()
    const held = deltas.next(text, parser)
    characters = 150

    const settled = deltas.next(text, parser)

    expect([held, settled]).toEqual([
      [],
      [{ delta: { role: 'assistant', content: 'x'.repeat(150) }, finish_reason: null }],
    ])
  })
})

describe.each(COMBINATIONS)('the deltas of $format.id in $profile', ({ format, profile }) => {
  it('joined are the whole reply, with one finish reason', () => {
    fc.assert(
      fc.property(replies(format), CUTS, OPTIONS, fc.boolean(), (text, cuts, options, isTruncated) => {
        const final = format.parse(text, { ...options, profile })

        const all = deltasOf(format, chunks(text, cuts), { ...options, profile, isTruncated }).flat()

        const { finish, ...rest } = joined(all)
        if (final.kind === 'rejected') expect(finish).toBe('error')
        else {
          expectSame(rest, expected(final.messages))
          expect(finish).toBe(isTruncated ? 'length' : rest.calls.length > 0 ? 'tool_calls' : 'stop')
        }
      }),
      { numRuns: runsOf(20, 80) },
    )
  })

  it('never cut a pair in two', () => {
    fc.assert(
      fc.property(replies(format), (text) => {
        const whole = text.replaceAll(/\p{Surrogate}/gu, '')

        const all = deltasOf(format, whole.split(''), { profile }).flat()

        for (const { delta } of all) expect(JSON.stringify(delta)).not.toMatch(/\\ud[89a-f]/)
      }),
      { numRuns: runsOf(8, 25) },
    )
  })
})
