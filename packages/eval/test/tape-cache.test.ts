import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ChatRequest, Client } from '../src/client/client.ts'
import { infraError } from '../src/client/failure.ts'
import { openTape } from '../src/tape/tape.ts'
import type { Tape } from '../src/tape/tape.ts'
import type { TapeCounts } from '../src/tape/tape-store.ts'
import type { Completion } from '../src/trace/completion.ts'

const SCOPE = 'http://127.0.0.1:8000/v1'
const REQUEST: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'hi' }], parameters: { seed: 1 } }
const REPLY: Completion = {
  id: 'c',
  text: 'hello',
  reasoning: '',
  toolCalls: [{ id: 'a', name: 'x', arguments: '{}' }],
  finishReason: 'stop',
  usage: { prompt: 3, completion: 4, reasoning: 1 },
  ms: 12,
  chunks: [[5, 5]],
  warnings: ['no-call-id'],
  cached: false,
}

let folder = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'callspec-cache-'))
  path = join(folder, 'replies.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Uses the tape as one run does; gives the counts of the run. */
async function run(act: (tape: Tape) => Promise<unknown>): Promise<TapeCounts> {
  const tape = openTape(path, 'auto', { isCache: true })
  await act(tape)
  tape.close()
  return tape.counts()
}

/** A client that gives one reply after the other, and counts. */
function giving(...replies: readonly Partial<Completion>[]): Client & { asked: number } {
  const client = {
    asked: 0,
    complete: async () => {
      client.asked += 1
      return { kind: 'done', attempts: 1, value: { ...REPLY, ...replies[client.asked - 1] } } as const
    },
  }
  return client
}

describe('a tape that is a cache', () => {
  it('answers the same request of a later run without another one, and marks the reply', async () => {
    const client = giving()
    const outcomes: unknown[] = []
    const ask = async (tape: Tape): Promise<unknown> =>
      outcomes.push(await tape.client(client, SCOPE).complete(REQUEST))

    const counts = [await run(ask), await run(ask), await run(ask)]

    expect(outcomes[0]).toEqual({ kind: 'done', attempts: 1, value: REPLY })
    expect(outcomes[1]).toEqual({ kind: 'done', attempts: 0, value: { ...REPLY, cached: true } })
    expect(outcomes[2]).toEqual(outcomes[1])
    expect(client.asked).toBe(1)
    expect(counts).toEqual([
      { replayed: 0, recorded: 1 },
      { replayed: 1, recorded: 0 },
      { replayed: 1, recorded: 0 },
    ])
  })

  it.each([
    ['sample', { ...REQUEST, sample: 1 }, SCOPE],
    ['model', { ...REQUEST, model: 'n' }, SCOPE],
    ['prompt', { ...REQUEST, messages: [{ role: 'user', content: 'ho' }] }, SCOPE],
    ['parameter', { ...REQUEST, parameters: { seed: 2 } }, SCOPE],
    ['scope', REQUEST, 'http://127.0.0.1:8001/v1'],
    ['kind of prompt', { model: 'm', prompt: 'hi', parameters: { seed: 1 } }, SCOPE],
  ])('requests another %s', async (_, request, scope) => {
    const client = giving()
    await run((tape) => tape.client(client, SCOPE).complete(REQUEST))

    const counts = await run((tape) => tape.client(client, scope).complete(request))

    expect([client.asked, counts.recorded]).toEqual([2, 1])
  })

  it('ignores the order of members', async () => {
    const client = giving()
    await run((tape) => tape.client(client, SCOPE).complete({ ...REQUEST, parameters: { seed: 1, top_p: 1 } }))

    await run((tape) => tape.client(client, SCOPE).complete({ ...REQUEST, parameters: { top_p: 1, seed: 1 } }))

    expect(client.asked).toBe(1)
  })

  it.each([
    ['an empty reply', { text: ' \n', toolCalls: [] }],
    ['a reply cut at the limit', { finishReason: 'length' }],
    ['a reply cut at the limit, in other words', { finishReason: 'MAX_TOKENS' }],
  ])('does not keep %s', async (_, reply) => {
    const client = giving(reply, reply)
    const ask = (tape: Tape): Promise<unknown> => tape.client(client, SCOPE).complete(REQUEST)

    const counts = [await run(ask), await run(ask)]

    expect(client.asked).toBe(2)
    expect(counts).toEqual([NOTHING, NOTHING])
    expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(1)
  })

  it('does not keep failures', async () => {
    const client: Client = { complete: async () => ({ kind: 'failed', attempts: 4, error: infraError('no', true) }) }
    let outcome: unknown

    await run((tape) => tape.client(client, SCOPE).complete(REQUEST))
    const counts = await run(async (tape) => {
      outcome = await tape.client(client, SCOPE).complete(REQUEST)
    })

    expect(outcome).toMatchObject({ kind: 'failed', attempts: 4 })
    expect(counts).toEqual(NOTHING)
  })

  it('keeps every reply of requests at the same time in a whole line', async () => {
    const client = giving()

    const counts = await run((tape) =>
      Promise.all(
        Array.from({ length: 20 }, (_, sample) => tape.client(client, SCOPE).complete({ ...REQUEST, sample })),
      ),
    )

    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual([
      'tape',
      ...Array<string>(20).fill('reply'),
    ])
    expect(counts.recorded).toBe(20)
  })
})

const NOTHING: TapeCounts = { replayed: 0, recorded: 0 }
