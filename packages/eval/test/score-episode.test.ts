import { describe, expect, it } from 'vitest'
import { END_LABELS } from '@callspec/labels'
import type { CallLine, TurnLine } from '../src/trace/trace.ts'
import { EPISODE_RULES, loopOf } from '../src/score/episode-rules.ts'
import type { Failure } from '../src/trace/completion.ts'
import { scored } from '../src/judging/score-episode.ts'
import { loadBuiltInSuite } from '../src/suite/read-suite.ts'
import { endLine, KEY, turnLine } from './helpers/trace.ts'
import { score } from './helpers/sketch.ts'
import type { Sketch } from './helpers/sketch.ts'

const CALL = '<tool_call>\n{"name": "calculator", "arguments": {"expression": "37*48-129"}}\n</tool_call>'
const failure = (kind: Failure['kind']): Partial<TurnLine> => ({ failure: { kind, status: null, message: '' } })

describe('an episode', () => {
  it('that does what the task asks is a success, and its tokens are summed', () => {
    expect(score({ turns: [CALL, 'It is 1647.'], calls: [{}] })).toMatchObject({
      end: 'no_tool_stop',
      success: true,
      calls: 1,
      tokens: { prompt: 4, completion: 2, reasoning: null },
      progress: 1,
    })
  })

  it('counts the tokens of one turn, too, and says nothing of servers that count too many', () => {
    const scored = score({ turns: ['It is 1647.'] })

    expect(scored.tokens).toEqual({ prompt: 2, completion: 1, reasoning: null })
    expect(scored).not.toHaveProperty('countsTooMany')
  })

  it('sums the tokens of thoughts where every turn has them', () => {
    const turn = (completion: number, reasoning?: number): Partial<TurnLine> => ({
      text: 'It is 1647.',
      usage: { prompt: 2, completion, ...(reasoning === undefined ? {} : { reasoning }) },
    })

    expect(score({ turns: [turn(9, 4), turn(5, 3)] }).tokens).toEqual({ prompt: 4, completion: 14, reasoning: 7 })
    expect(score({ turns: [turn(9, 4), turn(5), turn(6, 2)] }).tokens?.reasoning).toBeNull()
    expect(score({ turns: [turn(9), turn(5, 3)] }).tokens?.reasoning).toBeNull()
  })

  it('of a task that ends with a call needs no answer', () => {
    const sketch = { turns: [CALL, ''], calls: [{}] }

    expect(score({ ...sketch, until: 'call' })).toMatchObject({ pass: true, reasons: [] })
    expect(score(sketch)).toMatchObject({ pass: false, reasons: ['no_final_answer'] })
  })

  it('says how many turns a restart has made void, if it was restarted', () => {
    expect(score({ turns: ['It is 1647.'], superseded: 3 })).toMatchObject({ superseded: 3, tokens: { prompt: 2 } })
    expect(score({ turns: ['It is 1647.'] })).not.toHaveProperty('superseded')
  })

  it('has the time of a turn, unless the reply came from a cache or the request failed', () => {
    const turns = [
      { text: 'It is 1647.', ms: 40 },
      { ms: 41, cached: true },
      { ms: 42, ...failure('infra') },
    ]

    expect(score({ turns }).turns.map(({ ms }) => ms)).toEqual([40, null, null])
  })

  it('has the time of the first chunk, unless the reply came from a cache', () => {
    const chunks = [
      [70, 3],
      [90, 11],
    ] as const

    expect(
      score({
        turns: [
          { text: 'It is 1647.', chunks },
          { text: 'It is 1647.', chunks, cached: true },
        ],
      }).turns,
    ).toMatchObject([{ firstMs: 70 }, { firstMs: null }])
  })

  it('with a call that lacks its end is parsed after a repair', () => {
    const open = CALL.replace('\n</tool_call>', '')

    expect(score({ turns: [open, 'It is 1647.'], calls: [{}] }).turns[0]).toMatchObject({
      ...{ strict: 'malformed', lenient: 'recovered', parsed: 'lenient' },
    })
  })

  it('that guesses right without the call ends cleanly, but is no success', () => {
    expect(score({ turns: ['It is 1647.'] })).toMatchObject({
      end: 'no_tool_stop',
      cleanStop: true,
      pass: false,
      success: false,
      reasons: ['missing_call:calculator'],
    })
  })

  it.each([
    ['fncall-nous', 'It is 1647.<|im_end|>', 'no_tool_stop'],
    ['fncall-nous', 'It is 1647.<|im_end|>\n<|endoftext|>\n', 'no_tool_stop'],
    ['fncall-qwen', '是 1647。<|im_end|>', 'no_tool_stop'],
    ['native', 'It is 1647.<|eot_id|>', 'no_tool_stop'],
    ['react', 'I know.\nFinal Answer: 1647<|im_end|>', 'final_answer'],
  ] as const)('of %s that answers right before an end mark is a success: %j', (protocol, text, end) => {
    const { turns, ...scored } = score({ protocol, turns: [CALL, text], calls: [{}] })

    expect(scored).toMatchObject({ end, cleanStop: true, success: true, attribution: null })
    expect(turns.at(-1)).toMatchObject({
      ...{ strict: 'leaked_marker', endMarkKept: true, parsed: null },
      attribution: { blames: 'server', rule: 'end-mark-kept' },
    })
  })

  it.each([
    ['a call', `${CALL}<|im_end|>`],
    ['a broken call', '<tool_call>\n{"name": <|im_end|>'],
    ['text behind the mark', 'It is 1647.<|im_end|>\n<|im_start|>user\nand?'],
    ['another mark in the text', 'It <|im_start|> is 1647.<|im_end|>'],
  ])('is no answer before an end mark with %s', (_, text) => {
    expect(score({ turns: [text] })).toMatchObject({ end: 'parse_dead_end', turns: [{ endMarkKept: false }] })
  })

  it('that answers at once before an end mark meant no call', () => {
    expect(score({ turns: ['It is 1647.<|im_end|>'], verdict: { answer: { any: true }, maxCalls: 0 } }).trigger).toBe(
      'tn',
    )
  })

  it('with a call that the host made counts it as parsed, though the text goes on', () => {
    const goesOn = `${CALL}\n<tool_response>\n1\n</tool_response>`
    const loose = goesOn.replace('"}}', '",}}')

    expect(score({ turns: [goesOn, '1647'], calls: [{}] }).turns[0]).toMatchObject({
      ...{ strict: 'hallucinated_observation', parsed: 'strict' },
    })
    expect(score({ turns: [loose, '1647'], calls: [{}] }).turns[0]?.parsed).toBe('lenient')
    expect(score({ turns: [goesOn, '1647'] }).turns[0]?.parsed).toBeNull()
    expect(score({ turns: [CALL, '1647'] }).turns[0]?.parsed).toBe('strict')
  })

  it('of a role ends by what was asked for before the words for the user, too', () => {
    const question = { kind: 'answer' } as const
    const state: Partial<TurnLine> = { text: '', question: { kind: 'state', states: ['calculator'] } }

    expect(score({ protocol: 'role-react', turns: [state, { text: 'It is 1647.', question }] }).end).toBe(
      'empty_output',
    )
  })

  it('says of each turn which of several endpoints answered it', () => {
    const endpoint = 'http://127.0.0.1:1/v1'
    const tried = [{ endpoint: 'http://127.0.0.1:2/v1', attempts: 3 }]

    const { turns } = score({ turns: [{ text: CALL, endpoint, tried }, { text: '1647', endpoint }, '1647'] })

    expect(turns.map((turn) => [turn.endpoint, turn.tried])).toEqual([
      [endpoint, tried],
      [endpoint, undefined],
      [undefined, undefined],
    ])
    expect(turns[1]).not.toHaveProperty('tried')
    expect(turns[2]).not.toHaveProperty('endpoint')
  })

  it('passes over calls whose arguments cannot be read, where the world is asked for', () => {
    const set = (key: string, value: string): Partial<CallLine> => ({
      ...{ name: 'kv_set', arguments: JSON.stringify({ key, value }), result: '{"ok":true}' },
    })
    const calls = [set('cfg:theme', 'dark'), set('cfg:lang', 'en'), set('cfg:beta', 'true')]
    const unread = { ...set('', ''), arguments: '{"key": ', result: 'Error', isError: true }

    expect(score({ task: 'P06', turns: [CALL, 'Stored.'], calls: [unread, ...calls] }).pass).toBe(true)
    expect(score({ task: 'P06', turns: [CALL, 'Stored.'], calls: [unread, ...calls.slice(1)] }).pass).toBe(false)
  })

  it('without usage has unknown tokens, not 0', () => {
    expect(score({ turns: [{ text: 'x', usage: null }] }).tokens).toBeNull()
  })

  it.each([
    ['infra_error', { turns: [failure('infra')] }],
    ['infra_error', { turns: [] }],
    ['refused', { turns: [failure('refused')] }],
    ['refused', { turns: [{ text: 'I', finishReason: 'content_filter' }] }],
    ['context_overflow', { turns: [CALL, failure('context')], calls: [{}] }],
    ['refused', { turns: [{ text: 'I', finishReason: 'safety' }] }],
    ['context_overflow', { turns: [{ text: '', finishReason: 'length', usage: { prompt: 4096, completion: 0 } }] }],
    ['truncated', { turns: [{ text: 'It is', finishReason: 'length' }] }],
    ['truncated', { turns: [{ text: 'It is', finishReason: 'max_tokens' }] }],
    [
      'truncated',
      { turns: [{ text: '<tool_call>\n{"name": "ca', usage: { prompt: 9, completion: 64 } }], maxTokens: 64 },
    ],
    ['empty_output', { turns: [''] }],
    ['empty_output', { turns: Array.from({ length: 8 }, () => ''), reason: 'limit' }],
    [
      'hallucinated_observation',
      { protocol: 'react', turns: ['I know.\nObservation: 1647\nThought: ok\nFinal Answer: 1647'] },
    ],
    ['parse_dead_end', { turns: ['<tool_call>\n{"name": '] }],
    ['parse_dead_end', { protocol: 'react', turns: ['Action: calculator\nAction Input: {"expression": "1"}'] }],
    ['parse_dead_end', { turns: ['fine'], reason: 'raised' }],
    ['repeat_loop', { turns: [CALL, CALL, CALL], calls: [{ turn: 0 }, { turn: 1 }, { turn: 2 }], reason: 'guard' }],
    [
      'tool_error_spiral',
      { turns: [CALL], calls: [1, 2, 3, 4].map((number) => ({ name: `x${number}`, isError: true })), reason: 'guard' },
    ],
    ['budget_exhausted', { turns: [CALL], calls: [{}], reason: 'limit' }],
    ['final_answer', { protocol: 'react', turns: ['ok\nFinal Answer: 1647'] }],
    ['no_tool_stop', { protocol: 'react', turns: ['1647'] }],
    ['no_tool_stop', { turns: ['1647'] }],
  ] satisfies [string, Sketch][])('ends as %s: %j', (end, sketch) => {
    expect(score(sketch).end).toBe(end)
  })

  it('names the limit that it ran into, and none where it was not the end', () => {
    expect(score({ turns: [CALL], calls: [{}], reason: 'limit' }).limit).toBe('model_calls')
    expect(score({ turns: ['1647'] }).limit).toBeNull()
    expect(score({ turns: [''], reason: 'limit' }).limit).toBeNull()
  })

  it('ends in one of twelve ways, in the order of the taxonomy', () => {
    expect(EPISODE_RULES.map((rule) => rule.label)).toEqual(END_LABELS)
  })
})

describe('a loop', () => {
  const call = (name: string, result = 'ok', isError = false): CallLine => ({
    kind: 'call',
    model: 'm',
    protocol: 'react',
    task: 't',
    sample: 0,
    turn: 0,
    name,
    arguments: '{"a": 1}',
    result,
    isError,
  })

  it('is the same call with the same result more often than allowed', () => {
    expect(loopOf([call('a'), call('a')], 2)).toBeNull()
    expect(loopOf([call('a'), call('a'), call('a')], 2)).toBe('repeat_loop')
    expect(loopOf([call('a'), call('a'), call('a')], 3)).toBeNull()
    expect(loopOf([call('a')], 0)).toBe('repeat_loop')
  })

  it('is not one call as often as the task allows it, though that is a cycle of any length', () => {
    expect(
      loopOf(
        Array.from({ length: 9 }, () => call('a')),
        9,
      ),
    ).toBeNull()
  })

  it('is not a retry that gets another result', () => {
    expect(loopOf([call('a', 'busy', true), call('a', 'busy', true), call('a', 'done')], 2)).toBeNull()
  })

  it('is the same call with other spaces and key order', () => {
    const spaced = { ...call('a'), arguments: '{ "a":1 }' }

    expect(loopOf([call('a'), spaced, call('a')], 2)).toBe('repeat_loop')
  })

  it('is a cycle of two or three calls, three times', () => {
    const twice = [call('a'), call('b'), call('a'), call('b')]

    expect(loopOf(twice, 2)).toBeNull()
    expect(loopOf([...twice, call('a'), call('b')], 2)).toBe('repeat_loop')
    expect(
      loopOf(
        [0, 1, 2].flatMap(() => [call('a'), call('b'), call('c')]),
        2,
      ),
    ).toBe('repeat_loop')
  })

  it('is four errors in a row that are not all the same', () => {
    const errors = ['a', 'b', 'c', 'd'].map((name) => call(name, 'no', true))

    expect(loopOf(errors.slice(0, 3), 2)).toBeNull()
    expect(loopOf(errors, 2)).toBe('tool_error_spiral')
    for (const few of [1, 2]) expect(loopOf(errors.slice(0, few), 2)).toBeNull()
    const pairs = ['a', 'a', 'b', 'b'].map((name) => call(name, 'no', true))
    expect(loopOf(pairs, 2)).toBe('tool_error_spiral')
    expect(loopOf([...errors.slice(0, 3), call('e'), ...errors.slice(3)], 2)).toBeNull()
  })
})

describe('a reply that the server withholds', () => {
  it.each([
    ['auto', 'text-swallowed'],
    [null, 'text-swallowed'],
    ['required', 'call-swallowed'],
    [{ type: 'function', function: { name: 'calculator' } }, 'call-swallowed'],
  ])('is a call where the request forces one: tool_choice %j', (choice, rule) => {
    const suite = loadBuiltInSuite()
    const task = suite.tasks.find(({ id }) => id === 'S01') ?? suite.tasks[0]
    if (task === undefined) throw new Error('no task')
    const key = { ...KEY, protocol: 'native' } as const
    const turn = turnLine('Let me look.', { ...key, usage: { prompt: 400, completion: 23 } })
    const trace = { key, turns: [turn], calls: [], end: endLine(key) }

    const options = { suite, name: 'm', parameters: { tool_choice: choice }, stops: 'on' } as const
    expect(scored({ key, task }, trace, options).score.attribution?.rule).toBe(rule)
  })
})
