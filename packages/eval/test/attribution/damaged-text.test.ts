import { describe, expect, it } from 'vitest'
import { damagedTexts } from '../../src/judging/damaged-text.ts'
import type { Attribution, EpisodeScore } from '../../src/score/scores.ts'
import type { FormatName } from '../../src/trace/format-names.ts'
import type { TurnLine } from '../../src/trace/trace.ts'
import { playCulprit } from '../helpers/play-culprit.ts'
import { suite } from '../helpers/play.ts'
import { score } from '../helpers/sketch.ts'
import type { Sketch } from '../helpers/sketch.ts'
import { turnLine } from '../helpers/trace.ts'

/** What a server sends that decodes every three bytes by themselves. */
function cut(text: string): string {
  const bytes = Buffer.from(text)
  const decode = new TextDecoder()
  return Array.from({ length: Math.ceil(bytes.length / 3) }, (_, at) =>
    decode.decode(bytes.subarray(3 * at, 3 * at + 3)),
  ).join('')
}

/** One episode of S07, which asks in Chinese for a file, through client, host, scorer and attribution. */
async function played(protocol: FormatName, stream: boolean): Promise<EpisodeScore | undefined> {
  const tasks = suite.tasks.filter(({ id }) => id === 'S07')
  const alters = ({ text, calls }: { text: string; calls: readonly { name: string; arguments: string }[] }) => ({
    text: cut(text),
    calls: calls.map((call) => ({ ...call, arguments: cut(call.arguments) })),
  })
  return (await playCulprit({ alters }, { protocol, stream, tasks }))[0]
}

const told = (found: Attribution | null | undefined): string =>
  found === null || found === undefined ? 'nobody' : `${found.blames} ${found.rule}: ${found.evidence}`

describe('a server that cuts characters', () => {
  it.each<[FormatName, boolean]>([
    ['native', true],
    ['native', false],
    ['fncall-nous', true],
    ['react', false],
  ])('is to blame for the file that %s does not find (streamed: %s)', async (protocol, stream) => {
    const found = await played(protocol, stream)

    expect(found?.success).toBe(false)
    expect(told(found?.attribution)).toMatch(/^server text-damaged: ".*\ufffd.*" at \d+ is ".+" in the prompt$/)
  })

  it('is to blame for the marks of a call that cannot be read', async () => {
    const found = await played('fncall-qwen', true)

    expect(told(found?.attribution)).toMatch(/^server text-damaged: ".*\ufffd.*" at \d is "✿FUNCTION✿" in the prompt$/)
  })
})

const FILE = { task: 'S07', protocol: 'native' } as const
const read = (path: string, isError: boolean, more: Partial<TurnLine> = {}): Sketch => {
  const call = { name: 'fs_read', arguments: JSON.stringify({ path }) }
  const result = isError ? '{"error":{"code":"not_found","message":"no such file"}}' : '{"text":"版本 3.2"}'
  return {
    ...FILE,
    turns: [
      { toolCalls: [{ id: 'a', ...call }], finishReason: 'tool_calls', ...more },
      { text: isError ? '没有。' : '版本号是 3.2。', usage: null },
    ],
    calls: [{ turn: 0, ...call, result, isError }],
  }
}

describe('a failed episode', () => {
  const attribution = (sketch: Sketch): string => told(score(sketch).attribution)

  it('is explained by a damaged value that a tool refused', () => {
    expect(attribution(read('/数\ufffd/说明.txt', true))).toBe(
      'server text-damaged: "/数�/说明.txt" at 9 is "/数据/说明.txt" in the prompt',
    )
  })

  it('is explained by a damaged value with which the verdict would pass if it were whole, escaped as JSON too', () => {
    expect(attribution(read('/数据/\ufffd\ufffd明.txt', false))).toMatch(
      /^server text-damaged: .* is "\/数据\/说明\.txt" in the prompt$/,
    )
    const escaped = read('/数据/说明.txt', false)
    const ascii = '{"path": "/\\u6570\\ufffd/说明.txt"}'
    const call = { name: 'fs_read', arguments: ascii.replace('\\u6570', '数') }
    const calls = (escaped.calls ?? []).map((each) => ({ ...each, ...call }))
    expect(
      attribution({ ...escaped, calls, turns: [{ toolCalls: [{ id: 'a', ...call }] }, '版本号是 3.2。'] }),
    ).toMatch(/^server text-damaged: /)
  })

  it('is explained by a damaged answer', () => {
    const verdict = { answer: { all: ['说明'] } }
    const turns = ['读了 说\ufffd\ufffd\ufffd.txt。']

    expect(attribution({ ...FILE, verdict, turns })).toBe(
      'server text-damaged: "说���.txt" at 3 is "说明.txt" in the prompt',
    )
  })

  it.each<[string, Sketch]>([
    ['no word of the prompt is damaged', read('/ab\ufffd\ufffdcd/x.txt', true)],
    ['nothing but damage is there to compare', read('/\ufffd\ufffd/x.txt', true)],
    ['one ASCII letter is all there is to compare', read('/x/e\ufffd', true)],
    ['the place holds more than the prompt has there', read(`/数${'\ufffd'.repeat(40)}/说明.txt`, true)],
    ['it would be wrong with the right word too', { ...FILE, turns: ['数\ufffd：我不知道。'] }],
    [
      'the prompt has U+FFFD itself',
      read('/数\ufffd/说明.txt', true, {
        usage: null,
        sent: { kept: 0, added: [{ role: 'user', content: '/数\ufffd/说明.txt' }] },
      }),
    ],
    [
      'a result has it before the reply',
      {
        ...FILE,
        turns: [
          { toolCalls: [{ id: 'a', name: 'fs_list', arguments: '{}' }] },
          ...read('/数\ufffd/说明.txt', true).turns,
        ],
        calls: [
          { turn: 0, name: 'fs_list', arguments: '{}', result: '["/数\ufffd"]' },
          ...(read('/数\ufffd/说明.txt', true).calls ?? []).map((call) => ({ ...call, turn: 1 })),
        ],
      },
    ],
  ])('stays the model’s where %s', (_, sketch) => {
    expect(attribution(sketch)).toMatch(/^model /)
  })

  it('blames the server for later damage too, though results repeat the first', () => {
    const first = read('/数\ufffd/说明.txt', true)
    const calls = [
      ...(first.calls ?? []).map((call) => ({ ...call, isError: false, result: '{"echo":"/数\ufffd/说明.txt"}' })),
      ...(read('/数据/说\ufffd.txt', true).calls ?? []).map((call) => ({ ...call, turn: 1 })),
    ]
    const [one, last] = first.turns
    const second = read('/数据/说\ufffd.txt', true).turns[0]

    expect(attribution({ ...FILE, turns: [one ?? '', second ?? '', last ?? ''], calls })).toMatch(
      /^server text-damaged: "\/数据\/说�\.txt" at 9 is "\/数据\/说明\.txt" in the prompt$/,
    )
  })
})

describe('the restored text', () => {
  const KEY = { model: 'm', protocol: 'fncall-nous', task: 't', sample: 0 } as const
  const restored = (text: string, given: string): string | null =>
    damagedTexts({ turns: [turnLine(text, KEY)], tools: [], givenBefore: () => [given] }).restored(0, text)?.text ??
    null

  it.each([
    ['M\ufffd\ufffdnchen', 'to München', 'München'],
    ['\ufffdber alles', 'über', 'über alles'],
    ['caf\ufffd', 'a café.', 'café'],
    ['北\ufffd\ufffd', '查询北京和广州', '北京'],
    ['北\ufffd\ufffd\ufffd\ufffd', '查询北京和广州', '北京和'],
    ['hi\ufffd\ufffd\ufffd\ufffd!', 'hi😀!', 'hi😀!'],
    ['"/\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd/"', '/数据/说明.txt', '"/数据/"'],
    ['in M\ufffdnchen.', 'München, today', 'in München.'],
    ['S\ufffdo Paulo, M\ufffdxico', 'São Paulo', 'São Paulo, M\ufffdxico'],
    ['M\ufffdnchen', 'Mxnchen', null],
    ['M\ufffd\ufffd\ufffdnchen', 'München', null],
  ])('of %j, given %j, is %j', (text, given, whole) => {
    expect(restored(text, given)).toBe(whole)
  })

  it('takes linear time of hostile texts, and gives up on one that is nothing but damage', () => {
    const began = performance.now()

    expect(restored('aa\ufffd '.repeat(200_000), 'aaü')).toBeNull()
    expect(restored('aa\ufffd'.repeat(20), 'a'.repeat(1_000_000))).toBeNull()
    expect(restored(`ü\ufffd${'\ufffd'.repeat(22)}z`, 'ü'.repeat(300_000))).toBeNull()
    expect(performance.now() - began).toBeLessThan(3000)
  })
})
