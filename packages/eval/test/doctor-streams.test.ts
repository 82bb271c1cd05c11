import { describe, expect, it } from 'vitest'
import type { ScriptFinding } from '../src/doctor/finding.ts'
import { examineQuickly } from './helpers/examine-quickly.ts'
import { withOtherApis } from './helpers/other-api.ts'
import { quickServer } from './helpers/quick-server.ts'

type Change = (data: readonly string[]) => readonly string[]

/** What the doctor finds in the stream of one script whose events are changed. */
async function findingOf(script: string, change: Change): Promise<ScriptFinding | undefined> {
  const { baseUrl } = await quickServer({ data: (data, { id }) => (id === script ? change(data) : data) })
  const { scripts } = await examineQuickly({ baseUrl, apiKey: 'EMPTY', model: 'm', timeoutMs: 5000 })
  return scripts.find((row) => row.script === script)?.streamed
}

/** Replaces a text in every event, or in the events after the first that have it. */
function replaced(from: string, to: string, { later = false } = {}): Change {
  return (data) => {
    const first = data.findIndex((each) => each.includes(from))
    return data.map((each, at) => (later && at <= first ? each : each.replace(from, to)))
  }
}

/** The data of an event of choice 0. */
function chunk(delta: object, finish: string | null = null, more: object = {}): string {
  return JSON.stringify({ id: 'r', choices: [{ index: 0, delta, finish_reason: finish }], ...more })
}

const inserted =
  (at: number, ...more: readonly string[]): Change =>
  (data) =>
    data.toSpliced(at, 0, ...more)

/** The second delta of the call bears this as well. */
const pieceWith = (call: object): Change => inserted(2, chunk({ tool_calls: [{ index: 0, ...call }] }))

describe('what the doctor said by laws of its own', () => {
  // The first column is the name that the law had in the doctor before: each is carried by a law of chat, or by another judge.
  it.each([
    ['is-json', 'one-call', inserted(1, '[1]'), 'fail', 'C16 (every event is a JSON object): it is "[1]", in event 2'],
    ['one-finish', 'one-call', replaced('"tool_calls"}]', 'null}]'), 'fail', 'C7 ('],
    ['one-finish', 'no-call', inserted(3, chunk({}, 'stop')), 'fail', 'C7 ('],
    ['nothing-after', 'no-call', inserted(3, chunk({ content: 'Hi' })), 'fail', 'C7 ('],
    ['call-index', 'one-call', replaced('{"index":0,"id"', '{"id"'), 'fail', 'C3 ('],
    ['call-index', 'one-call', replaced('calls":[{"index":0', 'calls":[{"index":1'), 'fail', 'C6 ('],
    ['call-id', 'one-call', replaced('"id":"call_0",', ''), 'fail', 'C4 ('],
    ['call-id', 'one-call', pieceWith({ id: 'other' }), 'fail', 'C5 ('],
    ['call-id', 'parallel-calls', replaced('call_1', 'call_0'), 'fail', 'C15 ('],
    ['call-name', 'one-call', replaced('"name":"get_weather",', ''), 'fail', 'C4 ('],
    ['call-name', 'one-call', pieceWith({ function: { name: 'get_weather' } }), 'warn', 'C5 ('],
    ['call-name', 'one-call', pieceWith({ function: { name: 'other' } }), 'fail', 'C5 ('],
    ['arguments-text', 'no-arguments', replaced('"arguments":"{}"', '"arguments":{}'), 'fail', 'C10 ('],
    ['whole-characters', 'no-call', replaced('Hello!', '\\ud83c'), 'fail', 'C14 ('],
    ['reply-id', 'one-call', replaced('"id":"r"', '"id":"s"', { later: true }), 'warn', 'C2 ('],
    ['finish-names-calls', 'one-call', replaced('"tool_calls"}]', '"stop"}]'), 'warn', 'the finish reason is "stop"'],
    ['finish-names-calls', 'no-call', replaced('"stop"}]', '"tool_calls"}]'), 'fail', 'and no call arrives'],
  ] as const)('%s in %s', async (_, script, change, verdict, says) => {
    const found = await findingOf(script, change)

    expect(found?.verdict).toBe(verdict)
    expect(found?.evidence).toContain(says)
  })

  it('whole-characters in a text that holds U+FFFD, whole replies too', async () => {
    const { baseUrl } = await quickServer({
      reply: (reply) => ({ ...reply, content: reply.content === null ? null : `${reply.content}\ufffd` }),
    })
    const { scripts } = await examineQuickly({ baseUrl, apiKey: 'EMPTY', model: 'm' })

    expect(scripts.find(({ script }) => script === 'no-call')?.streamed).toMatchObject({
      verdict: 'warn',
      evidence: 'C17 (no text has U+FFFD, which servers write for half a character): a text has it, in event 2',
    })
  })

  it('is said of an event that is not JSON as of a reply that broke off', async () => {
    const found = await findingOf('one-call', inserted(1, '{"id": "r'))

    expect(found).toMatchObject({ verdict: 'fail', evidence: 'the reply broke off or is not JSON: {"id": "r' })
  })
})

describe('the doctor', () => {
  it.each([
    ['no role', replaced('"role":"assistant",', ''), 'fail', 'C1 ('],
    ['no end mark', (data) => data.slice(0, -1), 'warn', 'C8 ('],
    ['usage with a choice', replaced(',"choices":[{', ',"usage":{},"choices":[{'), 'warn', 'C11 ('],
  ] satisfies readonly (readonly [string, Change, string, string])[])(
    'knows the other laws of chat: %s',
    async (_, change, verdict, says) => {
      const found = await findingOf('one-call', change)

      expect([found?.verdict, found?.evidence.slice(0, says.length)]).toEqual([verdict, says])
    },
  )

  it('names every law that a stream breaks', async () => {
    const [noRole, noIndex] = [replaced('"role":"assistant",', ''), replaced('{"index":0,"id"', '{"id"')]
    const found = await findingOf('one-call', (data) => noIndex(noRole(data)).slice(0, -1))

    expect(found).toEqual({
      verdict: 'fail',
      evidence:
        'C1 (the first chunk says role: assistant): it does not, in event 1; C3 (every delta of a call has an integer index, and different ' +
        'calls have different ones): a delta of a call has no index, in event 2; C4 (every call begins with its id and its name): its first ' +
        'delta lacks the id, in event 3',
      whatToChange:
        'Update the server: openai raises "missing role for choice 0"; openai drops calls without an index, and glues together the arguments ' +
        'of calls with the same one; openai makes up an id, and gives a call without a name. Until then ask for whole replies.',
    })
  })

  it('says what the clients of the makers do', async () => {
    const found = await findingOf('one-call', replaced('"role":"assistant",', ''))

    expect(found?.whatToChange).toBe(
      'Update the server: openai raises "missing role for choice 0". Until then ask for whole replies.',
    )
  })

  it('shows the breach that breaks something, also after one that clients tolerate', async () => {
    const again = pieceWith({ function: { name: 'get_weather' } })
    const found = await findingOf('one-call', (data) => again(pieceWith({ id: 'other' })(data)))

    expect(found?.verdict).toBe('fail')
    expect(found?.evidence).toMatch(/the id changes.*, in event 4$/)
  })

  it.each([
    ['[DONE], which clients ignore', 'message_stop', (event: string) => `${event}data: [DONE]\n\n`, 'ok'],
    ['no start of a call', 'content_block_start', () => '', 'fail M2 ('],
    [
      'another name of an event',
      'message_delta',
      (event: string) => event.replace('event: message_delta', 'event: x'),
      'fail M10 (',
    ],
  ] as const)('judges streams of messages by the laws of messages: %s', async (_, type, change, wanted) => {
    const { baseUrl } = await quickServer()
    const over = withOtherApis(globalThis.fetch)
    const fetch: typeof globalThis.fetch = async (url, init) => {
      const response = await over(url, init)
      if (response.headers.get('content-type') !== 'text/event-stream') return response
      const text = (await response.text()).replace(new RegExp(`event: ${type}\\ndata: .*\\n\\n`), change)
      return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
    }
    const { scripts } = await examineQuickly({ baseUrl, apiKey: 'EMPTY', model: 'm', apis: ['messages'], fetch })

    const found = scripts.find(({ script }) => script === 'one-call')?.streamed
    expect(`${found?.verdict} ${found?.evidence}`.slice(0, wanted.length)).toBe(wanted)
  })
})
