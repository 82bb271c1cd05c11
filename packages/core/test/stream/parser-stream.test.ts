import { describe, expect, it } from 'vitest'
import { InputError } from '../../src/index.ts'
import { nous, parserStream, react, snapshotStream } from '../../src/qwen-agent.ts'
import type { ParseOutcome, StreamDelta, StreamedFormat } from '../../src/qwen-agent.ts'

const CALL = '<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>'

/** What comes out of a stream when these chunks go in. */
async function through<T>(chunks: readonly string[], stream: TransformStream<string, T>): Promise<readonly T[]> {
  const source = new ReadableStream<string>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  const results: T[] = []
  for await (const result of source.pipeThrough(stream)) results.push(result)
  return results
}

describe('a stream of deltas', () => {
  it('gives the deltas of a reply, and why it ended', async () => {
    const deltas = await through(['Let me ', 'look.\n', CALL], parserStream(nous))

    expect(deltas).toEqual([
      { delta: { role: 'assistant', content: 'Let me ' }, finish_reason: null },
      { delta: { content: 'look.\n' }, finish_reason: null },
      {
        delta: {
          tool_calls: [{ index: 0, id: '1', type: 'function', function: { name: 'clock', arguments: '{}' } }],
        },
        finish_reason: null,
      },
      { delta: {}, finish_reason: 'tool_calls' },
    ] satisfies readonly StreamDelta[])
  })

  it('asks at the end whether the reply was cut off', async () => {
    let reason: string | null = null
    const stream = parserStream(nous, { isTruncated: () => reason === 'length' })
    reason = 'length'

    expect((await through(['Hello wor'], stream)).at(-1)).toEqual({ delta: {}, finish_reason: 'length' })
  })

  it('asks the parser only after as many chunks as it was told to', async () => {
    const deltas = await through(['a', 'b', 'c', 'd', 'e'], parserStream(nous, { every: 2 }))

    expect(deltas.map(({ delta }) => delta.content ?? null)).toEqual(['ab', 'cd', 'e', null])
  })

  it('takes a format that has no stream parser, and gives everything at the end', async () => {
    const format: StreamedFormat = { parse: react.parse }

    const deltas = await through(['Thought: x\nAction: f\n', 'Action Input: {}'], parserStream(format))

    expect(deltas.map(({ delta }) => Object.keys(delta))).toEqual([['role', 'content'], ['tool_calls'], []])
  })

  it('fails for a chunk that is no text', async () => {
    const chunks = [new Uint8Array(1)] as unknown as readonly string[]

    await expect(through(chunks, parserStream(nous))).rejects.toThrow(InputError)
  })

  it('refuses a wrong option before the first chunk', () => {
    expect(() => parserStream(nous, { every: 0 })).toThrow('every')
    expect(() => parserStream(nous, { profile: 'v9' })).toThrow('profile')
    expect(() => parserStream({ parse: nous.parse }, { profile: 'v9' })).toThrow('profile')
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
    const reader = source.pipeThrough(parserStream(nous)).getReader()

    for (let read = 0; read < 3; read++) await reader.read()

    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(given).toBeLessThanOrEqual(5)
    await reader.cancel()
  })
})

describe('a stream of snapshots', () => {
  const reply = ['Hi', ' <tool_', 'call>', '{"name": "f", ']

  it('gives what parse says about the chunks so far', async () => {
    const expected: readonly ParseOutcome[] = reply.map((_, at) => nous.parse(reply.slice(0, at + 1).join('')))

    expect(await through(reply, snapshotStream(nous))).toStrictEqual(expected)
  })

  it('gives the whole reply last, and once', async () => {
    const ask = async (every: number): Promise<number> => (await through(reply, snapshotStream(nous, { every }))).length

    expect(await Promise.all([1, 2, 3, 4, 5].map(ask))).toEqual([4, 2, 2, 1, 1])
    expect((await through(reply, snapshotStream(nous, { every: 3 }))).at(-1)).toStrictEqual(nous.parse(reply.join('')))
  })

  it('gives an empty reply once', async () => {
    expect(await through([], snapshotStream(nous))).toStrictEqual([nous.parse('')])
  })
})
