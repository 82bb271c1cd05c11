import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fewOf } from '../../tidy/test/share.ts'
import { answerDifference, clientAnswer } from '../src/clients/client-answer.ts'
import { SAID_REPLIES } from '../src/clients/said-replies.ts'
import type { ClientRun } from '../src/clients/index.ts'
import { recordedCase, runClient, streamText } from '../src/clients/index.ts'

const REPLIES = ['two-calls', ...fewOf(Object.keys(SAID_REPLIES), 1)]
const ids = [...REPLIES.map((name) => `*/${name}/*`), '*/plain']

const HELPER = resolve(import.meta.dirname, 'helpers/own-client.mjs')

function run(mood: string, more: Partial<Parameters<typeof runClient>[0]> = {}): Promise<ClientRun> {
  return runClient({
    ...{ command: `node '${HELPER}' ${mood}`, apis: [], seed: 0, ids, recorded: null, timeLimit: 5000, version: '0' },
    ...more,
  })
}

const verdicts = ({ results }: ClientRun): readonly string[] => [
  ...new Set(
    results.map(({ verdict }) =>
      'grade' in verdict ? verdict.grade : 'fault' in verdict ? verdict.fault : verdict.kind,
    ),
  ),
]

describe('a client that reads as callspec does', () => {
  it('and reports each broken law passes everything', async () => {
    const result = await run('strict', { ids })

    expect(result.findings).toEqual([])
    expect(new Set(verdicts(result))).toEqual(new Set(['as-said', 'reported']))
    expect(result.results.length).toBeGreaterThan(200)
  }, 120_000)

  it('and calls every reply finished misses those that break off, and is shown the smallest', async () => {
    const result = await run('silent', {
      ids: ['chat/two-calls/ends-early', 'chat/*/error-map', 'messages/text/no-message-delta'],
    })
    const found = result.findings.map(({ item, verdict, streams }) => [
      item.api,
      item.change.id,
      verdict.fault,
      streams,
    ])

    expect(found).toContainEqual(['chat', 'ends-early', 'missed', 1])
    expect(found).toContainEqual(['messages', 'no-message-delta', 'missed', 1])
    expect(found).toContainEqual(['chat', 'error-map', 'missed', 17])
    for (const { item } of result.findings) expect(streamText(item.stream).length).toBeLessThan(500)
  })
})

describe('a recorded stream', () => {
  const glued = [
    ...[
      '{"role":"assistant","tool_calls":[{"index":0,"id":"a","function":{"name":"clock","arguments":"{"}}]}',
      '{}',
    ].map(
      (delta, at) =>
        `data: {"choices":[{"index":0,"delta":${delta}${at === 0 ? '' : ',"finish_reason":"tool_calls"'}}]}\n\n`,
    ),
    'data: [DONE]\n\n',
  ].join('')

  it('is judged by what callspec reads of it', async () => {
    const item = recordedCase('chat/glued/recorded', glued, 'chat')

    expect(item?.change).toMatchObject({ kind: 'lost', laws: ['C10'] })
    const [result] = (await run('silent', { recorded: item === null ? [] : [item], ids: [] })).results
    expect(result?.verdict).toEqual({ kind: 'passed', grade: 'shown' })
  })

  it('that is no stream makes no case', () => {
    expect(recordedCase('chat/x/recorded', 'hello', 'chat')).toBeNull()
  })
})

it.each(['__proto__', 'constructor', 'stop'])('a finish of a client may be any word: %s', (word) => {
  const finish = clientAnswer(new Map([['finish', word]])).finish

  expect(finish).toBe(word)
})

it('an answer of very many items is compared in linear time', () => {
  const items = Array.from(
    { length: 300_000 },
    (_, at) => ({ kind: at % 2 === 0 ? 'text' : 'reasoning', text: 'a' }) as const,
  )
  const answer = { items, finish: 'stop', usage: null, error: null }
  const said = { items, finish: 'stop', usage: null }
  const begun = performance.now()

  expect(answerDifference(answer, { api: 'messages', omits: [], said, open: [] })).toBeNull()
  expect(performance.now() - begun).toBeLessThan(5000)
})

describe('a script that is broken', () => {
  it.each([
    ['deaf', 'sent no request to base_url'],
    ['elsewhere', 'POST /v1/completions was requested, not POST …/chat/completions'],
    ['whole', 'does not ask for a stream'],
  ])('is not judged: %s', async (mood, reason) => {
    await expect(run(mood, { apis: ['chat'] })).rejects.toThrow(reason)
  })

  it('that does not declare the operation is not asked', async () => {
    const parser = resolve(import.meta.dirname, '../adapters/node-example/example-parser.mjs')

    await expect(run('strict', { command: `node '${parser}'` })).rejects.toThrow(
      'does not declare the operation "client"',
    )
  })
})

it('no client needs more than the protocol: the helper starts alone', () => {
  const { stdout } = spawnSync('node', [HELPER], { input: '{"cmd": "start"}\n{"cmd": "stop"}\n', encoding: 'utf8' })

  expect(JSON.parse(stdout)).toMatchObject({ supports: [{ operations: ['client'] }] })
})
