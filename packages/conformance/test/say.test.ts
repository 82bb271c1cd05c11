import { afterEach, describe, expect, it } from 'vitest'

import { fromPlain } from '@callspec/python'
import type { PlainValue, PyDict } from '@callspec/python'
import type { Case } from '../src/cases/case.ts'
import { openHttp, reasonOf, resultLine, runSuite } from '../src/index.ts'
import type { CaseResult, Implementation, SayOptions } from '../src/index.ts'
import { speakingEngine } from './helpers/speaking-engine.ts'
import type { Engine } from './helpers/speaking-engine.ts'

const CALL = '<tool_call>\n{"name": "clock", "arguments": {"zone": "UTC \\"é\\" 1.0"}}\n</tool_call>'
const READ = { content: '', calls: [{ name: 'clock', arguments: '{"zone": "UTC \\"é\\" 1.0"}' }] }
const PROSE = { content: 'Hello [you].', calls: [] }
const NOTHING_SEEN = 'not verified: the engine does not show what was said'

let running: { close?(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of running.reverse()) await each.close?.()
  running = []
})

async function over(engine: Engine, say: Partial<SayOptions> = {}): Promise<Implementation> {
  const server = await speakingEngine(engine)
  running.push(server)
  return openHttp(server.url, {
    ...{ timeLimit: 5000, formats: [engine.format ?? 'nous'] },
    say: { mode: 'auto', readsText: false, maxTokens: 2000, ...say },
  })
}

function parse(text: string, expected: PlainValue, more: Record<string, PlainValue> = {}): Case {
  return made('parse', { text, ...more }, expected)
}

function stream(text: string, expected: PlainValue): Case {
  return made('stream', { chunks: [text.slice(0, 3), text.slice(3)] }, { final: expected })
}

function made(op: string, input: Record<string, PlainValue>, expected: PlainValue): Case {
  const answer = { kind: 'returned', value: fromPlain(expected) } as const
  return {
    id: op,
    op,
    format: 'nous',
    profile: 'strict',
    input: fromPlain(input) as PyDict,
    expected: answer,
    where: '',
  }
}

async function results(implementation: Implementation, cases: readonly Case[]): Promise<readonly CaseResult[]> {
  const found: CaseResult[] = []
  for await (const result of runSuite(cases, implementation)) found.push(result)
  return found
}

async function outcomes(implementation: Implementation, cases: readonly Case[]): Promise<readonly string[]> {
  const found = await results(implementation, cases)
  return found.map(({ verdict }) =>
    [verdict.kind, ...(reasonOf(verdict) === null ? [] : [reasonOf(verdict)])].join(': '),
  )
}

describe('a text that an engine is made to say', () => {
  it.each([
    ['grammar', 'grammar'],
    ['ebnf', 'ebnf'],
    ['structured_outputs', 'structured_outputs.choice'],
    ['guided_choice', 'guided_choice'],
    ['regex', 'regex'],
  ] as const)('is said by an engine that knows %s alone', async (constrainedBy, name) => {
    const implementation = await over({ constrainedBy, showsTokens: true })

    const found = await outcomes(implementation, [parse(CALL, READ), stream(CALL, READ), parse('Hello [you].', PROSE)])

    expect(found).toEqual(['passed', 'passed', 'passed'])
    expect(implementation.remarks?.()[0]).toBe(
      `said through "${name}", also with tools: 3 texts, each seen to be the text of its case`,
    )
  })

  it('cannot be said without constrained decoding, and every way is named', async () => {
    await expect(over({ constrainedBy: 'nothing' })).rejects.toThrow(
      /says no text that --say asks for\. Tried grammar: had no effect; .*guided_regex: had no effect; repeat: had no effect\. Constrained/,
    )
    await expect(over({ constrainedBy: 'regex' }, { mode: 'choice' })).rejects.toThrow(
      /Tried structured_outputs\.choice/,
    )
  })

  it('is left out where it has calls and the server refuses a grammar together with tools', async () => {
    const implementation = await over({ constrainedBy: 'grammar', refusesBesideTools: true, showsTokens: true })

    const [call, prose] = await outcomes(implementation, [parse(CALL, READ), parse('Hello [you].', PROSE)])

    expect(call).toMatch(
      /^skipped: the server refuses grammar with tools \(answered 400 .*only texts without calls are left$/,
    )
    expect(prose).toBe('passed')
  })

  it.each([
    ['a\0b', 'no grammar can hold NUL'],
    ['a\ud800b', 'a lone surrogate cannot be said: it has no bytes'],
    ['a<|im_end|>b', '"<|im_end|>" in the text ends the turn'],
    ['word '.repeat(2000), 'the text has more than 2000 tokens, as far as can be told (--max-tokens)'],
  ])('is skipped when it cannot be said: %j', async (text, reason) => {
    const implementation = await over({ constrainedBy: 'grammar' })

    expect(await outcomes(implementation, [parse(text, PROSE)])).toEqual([`skipped: ${reason}`])
  })

  it.each([true, false])(
    'is skipped when it takes more tokens than may be asked for: tokens shown %s',
    async (showsTokens) => {
      const implementation = await over({ constrainedBy: 'grammar', showsTokens, cutsAfter: 40 })

      const [long, short] = await outcomes(implementation, [parse(CALL, READ), parse('Hello [you].', PROSE)])

      expect(long).toBe('skipped: to say the text takes more than 4064 tokens (--max-tokens)')
      expect(short).toBe('passed')
    },
  )

  it('is sent with tools that are wrapped as in the API, and invalid tools make an error', async () => {
    const implementation = await over({ constrainedBy: 'grammar', showsTokens: true })
    const clock = { name: 'clock', description: 'Tells the time.', parameters: { type: 'object', properties: {} } }
    const tools = [{ type: 'function', function: clock }]

    const found = await outcomes(implementation, [
      parse(CALL, READ, { tools }),
      parse(CALL, READ, { tools: [{ x: 1 }] }),
    ])

    expect(found[0]).toBe('passed')
    expect(found[1]).toMatch(/^errored: the input is not as expected: tools\[0\]/)
  })

  it('that was not said is an error and never a failure', async () => {
    const implementation = await over({
      ...{ constrainedBy: 'grammar', showsTokens: true },
      says: (text) => text.replace('clock', 'watch'),
    })

    const [call] = await outcomes(implementation, [parse(CALL, READ)])

    expect(call).toMatch(/^errored: was made to say the text, and said something else: "<tool_call>.*watch/)
  })

  it('that cannot be seen is reported as not verified', async () => {
    const implementation = await over({ constrainedBy: 'structured_outputs' })

    const [result] = await results(implementation, [parse(CALL, READ)])

    expect(result?.verdict.kind).toBe('passed')
    expect(result === undefined ? '' : resultLine(result)).toContain(`"notes": ["${NOTHING_SEEN}"]`)
    expect(implementation.remarks?.()[0]).toMatch(/: 1 text, 1 of them not verified: nothing shows what was said$/)
  })

  it('is refused by the engine where the message shows it, and the request where it does not', async () => {
    const shows = {
      constrainedBy: 'grammar',
      refuses: (text: string) => (text.includes('clock') ? `no: ${text}` : null),
    } as const
    const rest = 'the zone" is no JSON'
    const cut = {
      ...shows,
      refuses: (text: string) => (text.endsWith(rest) ? `Failed to parse input at pos 9: ${rest}` : null),
    }
    const hides = { ...shows, refuses: (text: string) => (text.includes('clock') ? 'list index out of range' : null) }

    const [shown] = await results(await over(shows), [parse(CALL, READ)])
    const [partly] = await results(await over(cut), [parse(`<tool_call>\n${rest}`, READ)])
    const [hidden] = await results(await over(hides), [parse(CALL, READ)])

    expect(shown?.reply).toMatchObject({ kind: 'raised' })
    expect(shown?.reply).not.toHaveProperty('notes')
    expect(partly?.reply).not.toHaveProperty('notes')
    expect(hidden?.reply).toMatchObject({ kind: 'raised', notes: [NOTHING_SEEN] })
  })
})

describe('an engine whose prompt opens a thought', () => {
  const thought = parse(
    'Hm.</think>Yes.',
    { content: 'Yes.', reasoning: 'Hm.', calls: [] },
    { thought_in_content: true },
  )

  it('is asked not to, but for texts that begin in one', async () => {
    const implementation = await over({ constrainedBy: 'grammar', showsTokens: true, opensThought: 'unless-asked' })

    expect(await outcomes(implementation, [parse(CALL, READ), stream(CALL, READ), thought])).toEqual([
      'passed',
      'passed',
      'passed',
    ])
    expect(implementation.remarks?.()[1]).toMatch(/^the prompt of the engine opens a thought: .* was sent, but for/)
  })

  it('always, says only texts that begin in one', async () => {
    const implementation = await over({ constrainedBy: 'grammar', showsTokens: true, opensThought: 'always' })

    expect(await outcomes(implementation, [parse(CALL, READ), thought])).toEqual([
      'skipped: the prompt of the engine begins inside a thought',
      'passed',
    ])
  })
})

describe('a way of saying', () => {
  it('works with tools where the parser of the engine refuses prose, and shows it', async () => {
    const refuses = (text: string): string | null => (text.startsWith('The grass') ? `no call: ${text}` : null)
    const besideTools = await over({ constrainedBy: 'grammar', showsTokens: true, refuses })

    expect(await outcomes(besideTools, [parse(CALL, READ)])).toEqual(['passed'])
  })

  it('works where the engine reads more than it said, and shows what that was: its readings are wrong', async () => {
    const readsMore = await over({ constrainedBy: 'grammar', readsBefore: '<start_of_turn>model' })

    expect(await outcomes(readsMore, [parse(CALL, READ)])).toEqual([expect.stringMatching(/^failed/)])
  })
})

describe('a marker', () => {
  const wrong = { content: 'other', calls: [] }

  it('that was sent as characters makes a failure an error, unless the engine reads text', async () => {
    const engine = { constrainedBy: 'grammar', showsTokens: true, spellsMarkers: true, markerTokens: 1 } as const

    const [byTokens] = await outcomes(await over(engine), [parse(CALL, wrong)])
    const [byText] = await outcomes(await over(engine, { readsText: true }), [parse(CALL, wrong)])

    expect(byTokens).toMatch(
      /^errored: .*; but "<tool_call>" was said as characters, although the vocabulary has it as one token; .*--reads-text$/,
    )
    expect(byText).toMatch(/^failed: /)
  })

  it('that the vocabulary lacks is reported', async () => {
    const implementation = await over({ constrainedBy: 'grammar', showsTokens: true, markerTokens: 7 })

    await outcomes(implementation, [parse(CALL, READ)])

    expect(implementation.remarks?.()).toContain(
      '"<tool_call>" is no token of this vocabulary and was said as characters: 1 ×',
    )
  })

  it('that the model writes in pieces inside of a value makes a failure an error where it was sent as one token', async () => {
    const engine = { constrainedBy: 'grammar', showsTokens: true, markerTokens: 1 } as const
    const text = '<tool_call>\n{"name": "f", "arguments": {"a": "😀 <tool_call>"}}\n</tool_call>'
    const asked = parse(text, wrong)

    const [token] = await outcomes(await over(engine), [{ ...asked, plain: [[48, 59]] }])
    const [meant] = await outcomes(await over(engine), [asked])

    expect(token).toMatch(
      /^errored: .*; but "<tool_call>" was said as one token where the model writes it in pieces; .*--reads-text$/,
    )
    expect(meant).toMatch(/^failed: /)
  })

  it('that was sent as its token leaves a failure a failure', async () => {
    const implementation = await over({ constrainedBy: 'grammar', showsTokens: true, markerTokens: 1 })

    expect((await outcomes(implementation, [parse(CALL, wrong)]))[0]).toMatch(/^failed: /)
  })
})

describe('a stream', () => {
  it.each([
    ['an id that is missing', 'the call 0 begins without an id', dropId],
    ['no finish reason', 'there are 0 finish reasons', dropReason],
    ['another text than the whole reply', 'folded, it is another reply than the whole one', changeText],
    ['a parted character', 'a character was parted', partCharacter],
  ])('with %s fails', async (_, problem, spoils) => {
    const implementation = await over({ constrainedBy: 'grammar', showsTokens: true, spoils })

    const [outcome] = await outcomes(implementation, [stream(`Wé. ${CALL}`, { ...READ, content: 'Wé. ' })])

    expect(outcome).toMatch(/^failed: /)
    expect(outcome?.replaceAll('␣', ' ')).toContain(`the stream is not lawful: ${problem}`)
  })

  it('has the ids of calls where the format has them', async () => {
    const implementation = await over(
      { format: 'mistral-v3', constrainedBy: 'grammar', showsTokens: true },
      { readsText: true },
    )
    const text = '[TOOL_CALLS][{"name": "now", "arguments": {}, "id": "a1B2c3D4e"}]'
    const call = (id: string): PlainValue => ({ content: '', calls: [{ id, name: 'now', arguments: '{}' }] })

    const [right, wrong] = await outcomes(
      implementation,
      [stream(text, call('a1B2c3D4e')), stream(text, call('e4D3c2B1a'))].map((item) => ({
        ...item,
        format: 'mistral-v3',
      })),
    )

    expect(right).toBe('passed')
    expect(wrong).toMatch(/^failed: .*"e4D3c2B1a", got "a1B2c3D4e"$/)
  })

  it('is taken for said where it has as many tokens as the same text had as a whole', async () => {
    const implementation = await over({ constrainedBy: 'grammar', showsTokens: true })

    const [result] = await results(implementation, [stream(CALL, READ)])

    expect(result?.verdict).toEqual({ kind: 'passed' })
    expect(result?.reply).not.toHaveProperty('notes')
  })
})

describe('an engine', () => {
  it('that dies in the middle leaves the rest as errors, and is reported as gone', async () => {
    const implementation = await over({ constrainedBy: 'grammar', showsTokens: true, diesAfter: 6 })

    const found = await outcomes(
      implementation,
      [1, 2, 3, 4, 5].map(() => parse(CALL, READ)),
    )

    expect(found.slice(0, 2)).toEqual(['passed', 'passed'])
    expect(found[2]).toMatch(/^errored: closed the connection/)
    expect(found.slice(3).every((each) => each.startsWith('errored: the engine is gone: '))).toBe(true)
    expect(implementation.gone?.()).toMatch(
      /^http:\S+: the server closed the connection \(\w+\); now it refuses connections \(ECONNREFUSED\)\. Start it /,
    )
  })
})

type Chunk = Parameters<NonNullable<Engine['spoils']>>[0]

function changed(chunk: Chunk, change: (text: string) => string): Chunk {
  return JSON.parse(change(JSON.stringify(chunk))) as Chunk
}

function dropId(chunk: Chunk): Chunk {
  return changed(chunk, (text) => text.replace('"id":"call_0",', ''))
}

function dropReason(chunk: Chunk): Chunk {
  return changed(chunk, (text) => text.replace(/"finish_reason":"\w+"/, '"finish_reason":null'))
}

function changeText(chunk: Chunk): Chunk {
  return changed(chunk, (text) => text.replace('Wé.', 'Wé!'))
}

function partCharacter(chunk: Chunk): Chunk {
  return changed(chunk, (text) => text.replace('é', '\\ufffd\\ufffd'))
}
