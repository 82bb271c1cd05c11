import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message, ProfileName } from '@callspec/core/qwen-agent'
import { countTokens } from '../src/truncate/tokens.ts'
import { truncateInputMessages } from '../src/index.ts'
import { characterTokenizer } from './helpers/character-tokenizer.ts'
import { frozen } from './helpers/frozen.ts'
import { profile } from './helpers/profiles.ts'

const truncate = (messages: readonly Message[], maxTokens: number, name: ProfileName = 'main') =>
  truncateInputMessages(messages, { maxTokens, tokenizer: characterTokenizer, profile: profile(name) })
const keptBy = (messages: readonly Message[], maxTokens: number, name: ProfileName = 'main') => {
  const outcome = truncate(messages, maxTokens, name)
  return outcome.kind === 'returned' ? outcome.value : outcome.error.message
}
const say = (role: Message['role'], content: string): Message => ({ role, content })
const call: Message = { role: 'assistant', content: 'not counted', function_call: { name: 'f', arguments: '{}' } }
const CALL_TOKENS = "{'name': 'f', 'arguments': '{}'}".length

/** Letters and digits only, so that stripping and joining do not change counts. */
const word = fc.integer({ min: 1, max: 30 }).map((length) => 'abcdefghij'.repeat(3).slice(0, length))

/** One to four turns of a question, calls with results, and an answer; no turn is a lone user message. */
const turns = fc.array(
  fc
    .record({ question: word, results: fc.array(word, { maxLength: 3 }), answer: word })
    .map(({ question, results, answer }) => [
      say('user', question),
      ...results.flatMap((text): Message[] => [call, { role: 'function', name: 'f', content: text }]),
      say('assistant', answer),
    ]),
  { minLength: 1, maxLength: 4 },
)

const totalOf = (messages: readonly (Message | null)[], name: ProfileName): number =>
  messages.reduce(
    (sum, message) =>
      message === null
        ? sum
        : sum + countTokens(message, { maxTokens: 0, tokenizer: characterTokenizer, profile: profile(name) }),
    0,
  )

describe('main', () => {
  it('never exceeds the limit by more than the words that stand for what was omitted', () => {
    fc.assert(
      fc.property(word, turns, fc.integer({ min: 40, max: 400 }), (system, history, maxTokens) => {
        const messages = frozen([say('system', system), ...history.flat()])

        const kept = keptBy(messages, maxTokens)

        if (typeof kept === 'string') throw new Error(kept)
        const omitted = kept.filter((message) => message?.content === 'omit').length
        expect(totalOf(kept, 'main')).toBeLessThanOrEqual(maxTokens + omitted * 'omit'.length)
      }),
    )
  })

  it('gives the very list back when it fits', () => {
    const messages = [say('user', '12345'), call]

    expect(keptBy(messages, 5 + CALL_TOKENS)).toBe(messages)
  })

  it('cuts a lone question in the middle and forgets its other fields', () => {
    const kept = keptBy([{ role: 'user', content: '1234567890', extra: new Map([['a', 1n]]) }], 9)

    expect(kept).toEqual([{ role: 'user', content: '123...890' }])
  })

  it('empties tool results before it drops steps', () => {
    const messages = [
      say('user', 'q'),
      call,
      { role: 'function' as const, name: 'f', content: '1234567890' },
      say('assistant', 'answer'),
    ]

    expect(keptBy(messages, 1 + CALL_TOKENS + 6)).toEqual([
      messages[0],
      call,
      { role: 'function', name: 'f', content: 'omit' },
      messages[3],
    ])
  })

  it('leaves the newest results alone as long as a step before them can go', () => {
    const result = (content: string): Message => ({ role: 'function', name: 'f', content })
    const messages = [say('user', 'q'), call, result('aaaaaaaaaa'), call, result('bbbbbbbbbb')]

    const kept = keptBy(messages, 1 + 2 * CALL_TOKENS + 20 - 12)

    expect(kept).toEqual([say('user', 'q'), call, result('bbbbbbbbbb')])
  })

  it('leaves a null where a message with an image had to be cut', () => {
    expect(keptBy([{ role: 'user', content: [{ image: 'a.png' }, { text: '1234567890' }] }], 5)).toEqual([null])
  })

  it('gives a turn of one step twice when omitting its results is not enough', () => {
    const messages = [say('user', '1234567890'), { role: 'function' as const, content: '12345' }]

    const kept = keptBy(messages, 4)

    expect(kept).toEqual([
      { role: 'user', content: '...0' },
      { role: 'function', content: 'omit' },
      { role: 'user', content: '1234567890' },
      { role: 'function', content: 'omit' },
    ])
  })

  it('puts a late system message first only when something has to go', () => {
    const messages = [say('user', '123'), say('system', 's'), say('user', '4')]

    expect([keptBy(messages, 5), keptBy(messages, 2)]).toEqual([messages, [say('system', 's'), say('user', '4')]])
  })

  it('drops whole old turns and cuts in the first that it keeps', () => {
    const messages = [say('user', 'old'), say('assistant', 'reply'), say('user', '1234567890')]

    expect(keptBy(messages, 8)).toEqual([say('user', '12...890')])
  })
})

describe('v0.0.26', () => {
  it('does not spend the budget on a result that it had to cut, and so exceeds the limit', () => {
    const messages = [say('user', '12345'), { role: 'function' as const, content: 'abcdefghijklmnop' }]

    const kept = keptBy(messages, 8, 'v0.0.26')

    expect(kept).toEqual([say('user', '12345'), { role: 'function', content: 'ab...nop' }])
  })

  it('cuts the front part of an old question and drops a late system message', () => {
    const messages = [say('user', '1234567890'), say('system', 'late'), say('user', 'abc')]

    expect(keptBy(messages, 7, 'v0.0.26')).toEqual([say('user', '1234'), say('user', 'abc')])
  })

  it('does not count a call', () => {
    expect(keptBy([say('user', 'q'), call], 1 + 'not counted'.length, 'v0.0.26')).toEqual([say('user', 'q'), call])
  })
})

describe('v0.0.16', () => {
  it('does not cut results, and refuses when the newest message does not fit', () => {
    const messages = [say('system', 's'), say('user', 'q'), { role: 'function' as const, content: '1234567890' }]

    expect(keptBy(messages, 8, 'v0.0.16')).toBe(
      '\nError code: 400. Error message: The input messages exceed the maximum context length (8 tokens) after keeping ' +
        'only the system message and the latest one user message (around 11 tokens). To configure the context limit, ' +
        'please specifiy "max_input_tokens" in the model generate_cfg. Example: generate_cfg = {..., ' +
        '"max_input_tokens": 100}',
    )
  })
})

describe.each(['v0.0.13', 'v0.0.7'] as const)('%s', (name) => {
  it('keeps whole turns within the limit, for every history', () => {
    fc.assert(
      fc.property(word, turns, fc.integer({ min: 40, max: 300 }), (system, history, maxTokens) => {
        const messages = frozen([say('system', system), ...history.flat()])

        const outcome = truncate(messages, maxTokens, name)

        if (outcome.kind === 'raised') {
          expect(totalOf([say('system', system), ...(history.at(-1) ?? [])], name)).toBeGreaterThan(maxTokens)
          return
        }
        expect(totalOf(outcome.value, name)).toBeLessThanOrEqual(maxTokens)
        expect(messages.slice(messages.length - outcome.value.length + 1)).toEqual(outcome.value.slice(1))
      }),
    )
  })
})
