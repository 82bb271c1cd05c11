import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deltaStream, InputError, replyDeltas, snapshotStream } from '../../src/index.ts'
import type { Format, ReadOptions, Reply, StreamDelta } from '../../src/index.ts'
import { nous, qwen, react } from '../../src/qwen-agent.ts'
import { READERS } from '../formats/helpers.ts'
import { chunks, CUTS, expectSame, OPTIONS, readOptions, replies } from './helpers.ts'
import { runsOf } from '../../../tidy/test/share.ts'

const STRICT = { version: 'strict' } as const

/** The deltas of a reply, one list per chunk and one for the end. */
function deltasOf(
  format: Format,
  reply: readonly string[],
  { isTruncated = false, ...options }: ReadOptions & { readonly isTruncated?: boolean } = STRICT,
): readonly (readonly StreamDelta[])[] {
  const reader = format.createReader(options)
  const deltas = replyDeltas()
  const lists = reply.map((chunk) => deltas.next(reader.push(chunk)))
  return [...lists, deltas.end(reader.end(), { isTruncated })]
}

function contents(lists: readonly (readonly StreamDelta[])[]): readonly (readonly (string | null)[])[] {
  return lists.map((list) => list.map(({ delta }) => delta.content ?? null))
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

/** What the deltas of a reply should come to. */
function expected({ items }: Reply): Omit<Joined, 'finish'> {
  const textOfKind = (kind: 'text' | 'reasoning'): string =>
    items.map((item) => (item.kind === kind ? item.text : '')).join('')
  const calls = items.flatMap((item) => (item.kind === 'call' ? [item] : []))
  return {
    content: textOfKind('text'),
    reasoning: textOfKind('reasoning'),
    calls: calls.map(({ name, id, arguments: given }, index) => ({
      id: id ?? String(index + 1),
      name,
      arguments: given,
    })),
  }
}

describe('deltas', () => {
  it('bring a text while it is written, without what may become a tag', () => {
    const reply = ['Let me ', 'look <to', 'ol', '_box>. <tool', '_call>\n{"name": "f", "argum', 'ents": {}}']

    expect(contents(deltasOf(nous, reply))).toEqual([
      ['Let me'],
      [' look'],
      [],
      [' <tool_box>.'],
      [],
      [null, null],
      [null],
    ])
    expect(contents(deltasOf(qwen, ['Hm ✿', 'x ✿FUNC', 'TION✿: f']))).toEqual([['Hm'], [' ✿x'], [], [null]])
    expect(contents(deltasOf(react, ['Hm.\nAct', 'ing.\nAction:', ' f']))).toEqual([['Hm.'], ['\nActing.'], [], [null]])
  })

  it.each([
    ['nous', nous, ['<tool_call>{"name": "f", "argu', 'ments": {"a"', ':1}}', '</tool_call>']],
    ['qwen', qwen, ['✿FUNCTION✿: f\n✿ARGS✿: {"a"', ':1}', '\n']],
    ['react', react, ['Hm.\nAction: f\nAction Input: {"a"', ':1}', '\n']],
  ])('bring a call of %s before the reply ends', (_, format, reply) => {
    const lists = deltasOf(format, reply)
    const calls = lists.slice(0, -1).flatMap((list) => list.flatMap(({ delta }) => delta.tool_calls ?? []))

    expect(calls[0]?.function.name).toBe('f')
    expect(calls.map((piece) => piece.function.arguments).join('')).toBe('{"a":1}')
    expect(lists.at(-1)).toEqual([{ delta: {}, finish_reason: 'tool_calls' }])
  })

  it('bring the arguments of qwen and react while they are written', () => {
    for (const [format, start] of [
      [qwen, '✿FUNCTION✿: f\n✿ARGS✿: {"a'],
      [react, 'Hm.\nAction: f\nAction Input: {"a'],
    ] as const) {
      const lists = deltasOf(format, [start, 'bc', 'd": 1}'])
      const pieces = lists.map((list) =>
        list
          .flatMap(({ delta }) => delta.tool_calls ?? [])
          .map((piece) => piece.function.arguments)
          .join(''),
      )
      expect(pieces).toEqual(['{"a', 'bc', 'd": 1}', ''])
    }
  })

  it('bring a thought while it is thought', () => {
    const lists = deltasOf(nous, ['<think>I ', 'could <tool_call>', '</think>', '\n', 'Hi'])

    expect(lists.map((list) => list.map(({ delta }) => delta.reasoning_content ?? delta.content ?? null))).toEqual([
      ['I'],
      [' could', ' <tool_call>'],
      [],
      [],
      ['Hi'],
      [null],
    ])
  })

  it('of a version of Qwen-Agent come at the end, with its error if it raises', () => {
    const main = { version: 'qwen-agent@main' }
    const lists = deltasOf(nous, ['Hi ', '<tool_call>{"name": "f", "arguments": {"a":1}}</tool_call>'], main)

    expect(lists.slice(0, -1)).toEqual([[], []])
    expect(joined(lists.flat())).toEqual({
      content: 'Hi ',
      reasoning: '',
      calls: [{ id: '1', name: 'f', arguments: '{"a": 1}' }],
      finish: 'tool_calls',
    })
    expect(deltasOf(nous, ['Hi ', '<tool_call>5</tool_call>'], main).at(-1)).toEqual([
      {
        delta: { role: 'assistant' },
        finish_reason: 'error',
        error: { type: 'TypeError', message: "argument of type 'int' is not iterable" },
      },
    ])
  })

  it('say that a reply was cut off, with or without a call', () => {
    const finish = (reply: string): string | null =>
      joined(deltasOf(nous, [reply], { ...STRICT, isTruncated: true }).flat()).finish

    expect([finish('Hello wor'), finish('<tool_call>{"name": "f", "arguments": {"a": ')]).toEqual(['length', 'length'])
  })

  it('give an empty reply one delta', () => {
    expect(deltasOf(nous, [])).toEqual([[{ delta: { role: 'assistant' }, finish_reason: 'stop' }]])
  })

  it('never end with half of a pair that is still to come', () => {
    const lists = deltasOf(nous, ['a\ud83d', '\ude00b\ud83d'])

    expect(contents(lists)).toEqual([['a'], ['😀b'], ['\ud83d', null]])
  })

  it('give ids of the caller', () => {
    const deltas = replyDeltas({ callId: (index, { name }) => `call-${index}-${name}` })
    const reader = nous.createReader(STRICT)
    const call = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    const lists = [...deltas.next(reader.push(call + call.replace('"f"', '"g"'))), ...deltas.end(reader.end())]

    expect(joined(lists).calls.map(({ id }) => id)).toEqual(['call-0-f', 'call-1-g'])
  })

  it('bring held white space however long it was held', () => {
    const blank = ' '.repeat(3000)

    expect(contents(deltasOf(qwen, ['a', blank, blank, 'b']))).toEqual([['a'], [], [], [`${blank}${blank}b`], [null]])
  })
})

describe.each(READERS)('the deltas of $format.id in $profile', ({ format, profile }) => {
  it('joined are the whole reply, with one finish reason', () => {
    fc.assert(
      fc.property(replies(format), CUTS, OPTIONS, fc.boolean(), (text, cuts, given, isTruncated) => {
        const options = readOptions({ ...given, profile })
        const final = format.read(text, options)

        const all = deltasOf(format, chunks(text, cuts), { ...options, isTruncated }).flat()

        const isCut = final.items.some((item) => item.kind === 'issue' && item.code === 'cut')
        if (final.error !== null) expect(all.at(-1)?.finish_reason).toBe('error')
        else if (!isCut) {
          const { finish, ...rest } = joined(all)
          expectSame(rest, expected(final))
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

        const all = deltasOf(format, whole.split(''), { version: profile }).flat()

        for (const { delta } of all) expect(JSON.stringify(delta)).not.toMatch(/\\ud[89a-f]/)
      }),
      { numRuns: runsOf(8, 25) },
    )
  })
})

const CALL = '<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>'

/** What comes out of a stream when these chunks go in. */
async function through<T>(parts: readonly string[], stream: TransformStream<string, T>): Promise<readonly T[]> {
  const source = new ReadableStream<string>({
    start: (controller) => {
      for (const chunk of parts) controller.enqueue(chunk)
      controller.close()
    },
  })
  const results: T[] = []
  for await (const result of source.pipeThrough(stream)) results.push(result)
  return results
}

describe('a stream of deltas', () => {
  it('gives the deltas of a reply by strict, and why it ended', async () => {
    const deltas = await through(['Let me ', 'look.\n', CALL], deltaStream(nous))

    expect(deltas).toEqual([
      { delta: { role: 'assistant', content: 'Let me' }, finish_reason: null },
      { delta: { content: ' look.' }, finish_reason: null },
      {
        delta: { tool_calls: [{ index: 0, id: '1', type: 'function', function: { name: 'clock', arguments: '' } }] },
        finish_reason: null,
      },
      { delta: { tool_calls: [{ index: 0, function: { arguments: '{}' } }] }, finish_reason: null },
      { delta: {}, finish_reason: 'tool_calls' },
    ] satisfies readonly StreamDelta[])
  })

  it('reads by another version where one is named', async () => {
    const deltas = await through(
      ['Thought: x\nAction: f\n', 'Action Input: {}'],
      deltaStream(react, { version: 'main' }),
    )

    expect(deltas.map(({ delta }) => Object.keys(delta))).toEqual([
      ['role', 'content'],
      ['tool_calls'],
      ['tool_calls'],
      [],
    ])
  })

  it('asks at the end whether the reply was cut off', async () => {
    let reason: string | null = null
    const stream = deltaStream(nous, { isTruncated: () => reason === 'length' })
    reason = 'length'

    expect((await through(['Hello wor'], stream)).at(-1)).toEqual({ delta: {}, finish_reason: 'length' })
  })

  it('fails for a chunk that is no text', async () => {
    const parts = [new Uint8Array(1)] as unknown as readonly string[]

    await expect(through(parts, deltaStream(nous))).rejects.toThrow(InputError)
    await expect(through(parts, deltaStream(nous, { version: 'main' }))).rejects.toThrow(InputError)
  })

  it('refuses a wrong option before the first chunk', () => {
    expect(() => snapshotStream(nous, { every: 0 })).toThrow('every')
    expect(() => deltaStream(nous, { version: 'v9' })).toThrow('profile')
  })

  it('takes no more chunks than its reader has asked for, and one', async () => {
    let given = 0
    const source = new ReadableStream<string>(
      {
        pull: (controller) => {
          given++
          controller.enqueue('word ')
        },
      },
      { highWaterMark: 0 },
    )
    const reader = source.pipeThrough(deltaStream(nous)).getReader()

    for (let read = 0; read < 3; read++) await reader.read()

    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(given).toBeLessThanOrEqual(5)
    await reader.cancel()
  })
})

describe('a stream of snapshots', () => {
  const reply = ['Hi', ' <tool_', 'call>', '{"name": "f", ']

  it.each(['strict', 'qwen-agent@main'])('gives what %s reads of the chunks so far', async (version) => {
    const prefixes = reply.map((_, at) => nous.read(reply.slice(0, at + 1).join(''), { version }))

    expect(await through(reply, snapshotStream(nous, { version }))).toStrictEqual(prefixes)
  })

  it('gives the whole reply last, and once', async () => {
    const ask = async (every: number): Promise<number> => (await through(reply, snapshotStream(nous, { every }))).length

    expect(await Promise.all([1, 2, 3, 4, 5].map(ask))).toEqual([4, 2, 2, 1, 1])
    expect((await through(reply, snapshotStream(nous, { every: 3 }))).at(-1)).toStrictEqual(
      nous.read(reply.join(''), STRICT),
    )
  })

  it('gives an empty reply once', async () => {
    expect(await through([], snapshotStream(nous))).toStrictEqual([nous.read('', STRICT)])
  })
})
