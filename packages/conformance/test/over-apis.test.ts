import { afterEach, describe, expect, it } from 'vitest'

import { APIS } from '@callspec/apis'
import { fromPlain } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import type { ApiResult, Case } from '../src/index.ts'
import { createApiReport, openApis } from '../src/index.ts'
import { threeApis } from './helpers/three-apis.ts'
import type { Spoilt } from './helpers/three-apis.ts'

const CALL = '<tool_call>\n{"name": "clock", "arguments": {"zone": "Oslo 奥斯陆", "n": 1.0}}\n</tool_call>'
const TWO = `Let me look.\n${CALL}\n<tool_call>\n{"name": "weather", "arguments": {}}\n</tool_call>`
const PROSE = 'I do not know what time it is.'

let running: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of running) await each.close()
  running = []
})

/** What readings of three texts over a server found. */
async function over(
  spoilt: Spoilt,
  texts: readonly string[] = [PROSE, CALL, TWO],
  timeLimit = 20_000,
): Promise<readonly ApiResult[]> {
  const server = await threeApis(spoilt)
  running.push(server)
  const say = { mode: 'repeat', maxTokens: 2000, isSpaceStrict: false } as const
  const opened = await openApis(server.url, { apis: APIS, say, timeLimit })
  const results: ApiResult[] = []
  for await (const result of opened.results(casesOf(texts))) results.push(result)
  return results
}

async function* casesOf(texts: readonly string[]): AsyncIterable<Case> {
  await Promise.resolve()
  for (const [at, text] of texts.entries()) {
    const input = fromPlain({ text }) as PyDict
    const expected = { kind: 'returned', value: null } as const
    yield { id: `text ${at + 1}`, op: 'parse', format: 'nous', profile: 'strict', input, expected, where: '' }
  }
}

/** `api form rule`, each once. */
function faultsOf(results: readonly ApiResult[]): readonly string[] {
  const faults = results.flatMap(({ request, faults: all }) =>
    all.map(
      ({ api, stream, rule }) => `${request}: ${api}${stream === null ? '' : stream ? ' streamed' : ' whole'} ${rule}`,
    ),
  )
  return [...new Set(faults)].toSorted()
}

describe('one said text over three APIs', () => {
  it('is the same in six readings of a right server, with every request and one prompt per conversation', async () => {
    const results = await over({})

    expect(faultsOf(results)).toEqual([])
    const kinds = results.map(({ request, readings }) => `${request} ${readings.length}`)
    expect(kinds.filter((kind) => !kind.startsWith('prompt'))).toEqual([
      ...[
        'auto 6',
        'limit 6',
        'stop 4',
        'auto 6',
        'none 6',
        'required 6',
        'named 6',
        'other tool 6',
        'strict 6',
        'limit 6',
      ],
      ...['auto 6', 'one call 6', 'limit 6'],
    ])
    expect(kinds.filter((kind) => kind.startsWith('prompt'))).toHaveLength(14)
    expect(results.every(({ verdict }) => verdict === 'passed')).toBe(true)
  })

  it.each<readonly [string, Spoilt, readonly string[]]>([
    [
      'a call that only streams of messages lose',
      {
        reads: (all, { api, stream }) =>
          api === 'messages' && stream ? { ...all, calls: all.calls.slice(0, 1) } : all,
      },
      ['auto: messages streamed calls'],
    ],
    [
      'arguments that responses change',
      {
        reads: (all, { api }) => {
          const changed = all.calls.map((call) => ({ ...call, json: call.json.replace('1.0', '1') }))
          return api === 'responses' ? { ...all, calls: changed } : all
        },
      },
      [
        ...['auto', 'limit', 'named', 'one call', 'required', 'strict'].flatMap((kind) => [
          `${kind}: responses streamed calls`,
          `${kind}: responses whole calls`,
        ]),
      ],
    ],
    [
      'white space that a stream takes off, which fails nothing',
      { reads: (all, { api, stream }) => (api === 'chat' && stream ? { ...all, text: all.text.trimEnd() } : all) },
      ['auto: chat streamed space', 'limit: chat streamed space', 'one call: chat streamed space'],
    ],
    [
      'a cut reply that responses call complete',
      { reads: (all, { api }) => (api === 'responses' ? { ...all, isCut: false } : all) },
      ['limit: responses streamed finish', 'limit: responses whole finish'],
    ],
    [
      'a prompt with the text of the user before the result',
      {
        prompts: ({ messages }, api) => {
          const shown = messages.map((each) => (each.role === 'assistant' ? each.role : each))
          const later = (each: unknown): number =>
            Number(typeof each === 'object' && JSON.stringify(each).includes('"tool"'))
          return JSON.stringify(api === 'messages' ? shown.toSorted((one, other) => later(one) - later(other)) : shown)
        },
      },
      ['prompt: messages prompt'],
    ],
    [
      'a stream without its last event',
      {
        sends: (body, { api, stream }) =>
          api === 'messages' && stream ? body.replace(/event: message_stop[^]*/, '') : body,
      },
      ['auto', 'limit', 'named', 'none', 'one call', 'other tool', 'required', 'stop', 'strict'].map(
        (kind) => `${kind}: messages streamed M9`,
      ),
    ],
    [
      'no prompts, whose numbers of tokens differ',
      {
        hidesPrompts: true,
        prompts: ({ messages }, api) =>
          `${JSON.stringify(messages)}${api === 'chat' && messages.length === 3 ? '.' : ''}`,
      },
      ['prompt: messages prompt', 'prompt: responses prompt'],
    ],
    [
      'a named choice that becomes any tool',
      {
        reads: (all, { api, asked }) => {
          const isNamed = typeof asked.choice === 'object' && asked.choice !== null
          const calls = [{ id: 'call_9', name: 'clock', json: '{}' }]
          return api === 'messages' && isNamed ? { ...all, calls } : all
        },
      },
      [
        ...['named: messages streamed calls', 'named: messages whole calls'],
        ...['calls', 'choice'].flatMap((rule) => [
          `other tool: messages streamed ${rule}`,
          `other tool: messages whole ${rule}`,
        ]),
      ],
    ],
  ])('shows %s', async (_, spoilt, wanted) => {
    expect(faultsOf(await over(spoilt))).toEqual([...wanted].toSorted())
  })

  it('leaves out an API that the server lacks, or in which the text is not said', async () => {
    const lacking = await threeApis({ lacks: ['responses'] })
    const deaf = await threeApis({ reads: (all, { api }) => (api === 'messages' ? { ...all, text: 'No.' } : all) })
    running.push(lacking, deaf)
    const say = { mode: 'auto', maxTokens: 2000, isSpaceStrict: false } as const
    const opened = await Promise.all(
      [lacking, deaf].map(({ url }) => openApis(url, { apis: APIS, say, timeLimit: 5000 })),
    )

    expect(opened.map(({ apis, remarks }) => [apis, remarks.at(-1)])).toEqual([
      [['chat', 'messages'], 'responses is left out: the server does not have it: refused with 404: not found'],
      [['chat', 'responses'], 'messages is left out: "repeat" has no effect there: it said "No."'],
    ])
  })

  it('says so when a server says no text over any API, or goes away', async () => {
    const silent = await threeApis({ reads: (all) => ({ ...all, text: 'No.', calls: [] }) })
    running.push(silent)
    const say = { mode: 'repeat', maxTokens: 2000, isSpaceStrict: false } as const
    const options = { apis: APIS, say, timeLimit: 5000 }
    await expect(openApis(silent.url, options)).rejects.toThrow(
      /says no text that --say asks for. Tried repeat: had no effect/,
    )

    const server = await threeApis()
    const opened = await openApis(server.url, options)
    await server.close()
    const results = opened.results(casesOf([PROSE]))[Symbol.asyncIterator]()
    await expect(results.next()).rejects.toThrow(/refuses connections/)
  })

  it('reads what is sent with byte order mark, CRLF, comments and unknown events', async () => {
    const odd: Spoilt['sends'] = (body, { stream }) => {
      if (!stream) return body
      const unknown = 'event: extra\ndata: {"type":"extra"}\n\n'
      const more = body.includes('event: message') ? body.replace('\n\n', `\n\n${unknown}`) : body
      return `\ufeff: hello\n\n${more}`.replaceAll('\n', '\r\n')
    }

    expect(faultsOf(await over({ sends: odd }, [CALL]))).toEqual([])
  })

  it('reports an event of 17 MB, JSON that is cut, and a stream without an end', async () => {
    const large: Spoilt['sends'] = (body, { api, stream }) =>
      api === 'messages' && stream ? `data: "${'x'.repeat(17 * 1024 * 1024)}"\n\n${body}` : body
    const torn: Spoilt['sends'] = (body, { api, stream }) =>
      api === 'responses' && stream ? body.slice(0, body.length / 2) : body

    const found = await over({ sends: large }, [PROSE])
    expect(found[0]?.faults.map(({ rule, message }) => [rule, message])).toEqual([
      ['reply', 'the server sent a body of more than 16777216 bytes'],
    ])
    const cut = await over({ sends: torn }, [PROSE])
    expect(cut[0]?.faults.map(({ rule }) => rule)).toEqual(expect.arrayContaining(['R8', 'finish']))
    const endless = await over({ endless: 'responses' }, [PROSE], 400)
    expect(endless[0]?.faults.map(({ rule, message }) => [rule, message])).toEqual([
      ['reply', 'the server gave no answer within 400 ms'],
    ])
  })

  it('counts faults by rule and API, with the smallest example', async () => {
    const report = createApiReport()
    const reads: Spoilt['reads'] = (all, { api }) => (api === 'responses' ? { ...all, calls: [] } : all)
    for (const result of await over({ reads })) report.add(result)
    const { groups, counts, verdicts } = report.report()
    const times = groups.map(({ api, rule, times: each }) => [api, rule, ...each].flat())

    expect(times).toContainEqual(['responses', 'calls', 'whole', 9, 'streamed', 9])
    expect(counts.map(({ api, same }) => [api, same])).toContainEqual(['chat', 13])
    expect(verdicts.failed + verdicts.passed).toBe(27)
  })
})
