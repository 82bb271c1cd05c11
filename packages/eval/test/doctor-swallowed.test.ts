import { afterEach, describe, expect, it } from 'vitest'
import { examineQuickly } from './helpers/examine-quickly.ts'
import type { ScriptFinding } from '../src/doctor/finding.ts'
import { asksForNous, closeSick, ills, report, verdict } from './helpers/examine-sick.ts'
import { quickServer } from './helpers/quick-server.ts'
import type { Defect, WireReply } from './helpers/quick-server.ts'
import { CALL, PROSE, REACT } from './helpers/sick-server.ts'
import type { Illness } from './helpers/sick-server.ts'

afterEach(closeSick)

/** A parser that drops calls, in a server without text completions that says `stop`. */
const DROPS = { habits: ['drops-calls'], finish: 'stop', refuses: ['completions'] } as const satisfies Illness
const CHINESE = '我来看一下这个城市现在的天气如何，再告诉你结果，请你稍等片刻，马上就好。'
/** A model that writes no call where a chat asks for it as text. */
const NO_MARKS: NonNullable<Illness['text']> = (body) =>
  body.tools === undefined && asksForNous(body) ? 'No.' : undefined

describe('the doctor finds a swallowed call', () => {
  it('by the call that the model writes elsewhere', async () => {
    const found = await report(DROPS)

    expect(verdict(found, 'native-calls')).toEqual([
      'fail',
      `the server drops the call of the model: "${PROSE}" arrived, 27 tokens were counted, and the 20 characters that arrived take 10 at most; asked for as text, it is "${PROSE} <tool_call> {\\"name\\": \\"calculator\\", \\"arguments\\": {\\"expressio"`,
      expect.stringContaining('tool parser') as string,
    ])
  })

  it('by a forced call that does not come, and then advises no other model', async () => {
    const found = await report({ ...DROPS, text: NO_MARKS })

    expect(verdict(found, 'native-calls').slice(0, 2)).toEqual([
      'fail',
      expect.stringContaining('take 10 at most; no forced call arrives either') as string,
    ])
    expect(JSON.stringify(found)).not.toContain('another model')
  })

  it('where every reply of the server is the same sentence', async () => {
    const found = await report({ refuses: ['completions'], text: () => 'Let me look.', counts: () => 23 })

    expect(verdict(found, 'native-calls').slice(0, 2)).toEqual([
      'fail',
      expect.stringContaining('23 tokens were counted, and the 12 characters that arrived take 6 at most') as string,
    ])
    expect(JSON.stringify(found)).not.toContain('another model')
  })

  it('and knows without a second witness only that text was lost', async () => {
    const found = await report({ ...DROPS, refuses: ['completions', 'tool_choice'], text: NO_MARKS })

    expect(verdict(found, 'native-calls')).toEqual([
      'warn',
      expect.stringContaining('text was lost, a call or a hidden thought: ') as string,
      expect.stringContaining('if it is a thought, nothing') as string,
    ])
  })

  it('advises no other model where a forced call does not come', async () => {
    const found = await report({ text: ({ tools }) => (tools === undefined ? undefined : 'It is 391.') })

    expect(verdict(found, 'native-calls').slice(0, 2)).toEqual([
      'warn',
      'the model made no call by itself: "It is 391.", and none with tool_choice either',
    ])
    expect(JSON.stringify(found)).not.toContain('another model')
  })
})

it('the doctor finds dropped prose without text completions', async () => {
  const found = await report({ habits: ['drops-prose'], refuses: ['completions'] })

  expect(verdict(found, 'call-prose').slice(0, 2)).toEqual([
    'fail',
    `whole replies drop "${PROSE}", which the model writes before its call, and its tokens are counted`,
  ])
})

/** A sound server whose model makes no call by itself: what it says, and what is counted. */
const sound = (text: string, counts: (tokens: number) => number): Illness => ({
  refuses: ['completions'],
  counts,
  text: (body) => {
    if (body.tools !== undefined) return body.tool_choice === undefined ? text : CALL
    return asksForNous(body) ? `${PROSE}\n${CALL}` : `${REACT} Try ${body.seed}.`
  },
})

it.each([
  ['speaks Chinese', sound(CHINESE, (tokens) => tokens * 5)],
  ['hides thoughts, and counts them', sound('It is 391.', (tokens) => tokens + 300)],
  ['makes its counts up', sound('It is 391.', () => 90)],
])('the doctor accuses no server that %s', async (_, illness) => {
  const found = await report({ ...illness, finish: 'stop' })

  expect(verdict(found, 'native-calls').slice(0, 2)).toEqual([
    'unknown',
    expect.stringContaining('the model made no call by itself: ') as string,
  ])
  expect(Object.values(ills(found))).not.toContain('fail')
})

/** What is found by `--quick` of one script, whole. */
async function quick(reply: NonNullable<Defect['reply']>, script = 'one-call'): Promise<ScriptFinding | undefined> {
  const { baseUrl } = await quickServer({ reply })
  const { scripts } = await examineQuickly({ baseUrl, apiKey: 'EMPTY', model: 'm', timeoutMs: 5000 })
  return scripts.find((row) => row.script === script)?.whole
}

/** A reply with the tokens that it takes. */
function counted(reply: WireReply): WireReply {
  const calls = (reply.tool_calls ?? []).map((call) => JSON.stringify(call.function))
  return { ...reply, tokens: Math.ceil([reply.content ?? '', ...calls].join('').length / 4) + 2 }
}

/** Its call is dropped. */
function dropped(reply: WireReply): WireReply {
  const { tokens = 0 } = counted(reply)
  return reply.tool_calls === undefined
    ? counted(reply)
    : { content: 'Let me look.', finish: 'stop', tokens: tokens + 6 }
}

describe('the quick doctor', () => {
  it('finds a swallowed call where forced ones do not come either', async () => {
    expect(await quick(dropped)).toEqual({
      verdict: 'fail',
      evidence:
        'the server drops the call of the model: "Let me look."; 23 tokens were counted, and the 12 characters that arrived take 6 at most; no forced call arrives either',
      whatToChange: expect.stringContaining('ignores tool_choice, or it drops the call') as string,
    })
  })

  it('knows without a second witness only that text was lost', async () => {
    expect(await quick((reply, { choice }) => (choice === undefined ? dropped(reply) : counted(reply)))).toEqual({
      verdict: 'warn',
      evidence: expect.stringContaining('text was lost, a call or a hidden thought: "Let me look."') as string,
      whatToChange: expect.stringContaining('if it is a thought, nothing') as string,
    })
  })

  it.each([
    [
      'speaks Chinese',
      (reply: WireReply) => ({ ...reply, content: CHINESE, tokens: Math.floor(1.4 * CHINESE.length) }),
    ],
    ['hides thoughts, and counts them', (reply: WireReply) => ({ ...reply, content: 'It is cold.', tokens: 300 })],
  ])('accuses no server that %s and whose model makes no call by itself', async (_, said) => {
    const finding = await quick((reply, { choice, calls }) => {
      const { tool_calls: _calls, ...silent } = reply
      if (choice === undefined && calls.length > 0) return { ...said(silent), finish: 'stop' }
      return said(reply).tokens === 300 ? { ...counted(reply), tokens: 310 } : counted(reply)
    })

    expect(finding).toMatchObject({ verdict: 'unknown', whatToChange: 'Try another model.' })
  })
})
