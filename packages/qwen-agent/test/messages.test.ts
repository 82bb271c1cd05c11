import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { InputError, fromPlain, attempt } from '@callspec/python'
import type { PlainValue, PyValue } from '@callspec/python'
import { dumpMessage, PROFILES, readMessages } from '@callspec/core/qwen-agent'
import { readMessage } from '@callspec/core/reference'
import { MAIN, profile } from './helpers/profiles.ts'

const read = (value: PlainValue, version = MAIN) => attempt(() => readMessage(fromPlain(value), version))
const errorOf = (value: PlainValue, version = MAIN) => {
  const outcome = read(value, version)
  return outcome.kind === 'raised' ? outcome.error : outcome
}

describe('readMessage', () => {
  it('counts an empty text as a text, and an empty image not as an image', () => {
    const outcome = read({ role: 'user', content: [{ text: '', image: '' }] })

    expect(outcome).toEqual({ kind: 'returned', value: { role: 'user', content: [{ text: '', image: '' }] } })
  })

  it.each([{}, { video: [] }, { audio: '' }, { text: null }, { text: 'x', file: 'y' }])(
    'rejects the item %j',
    (item) => {
      const error = errorOf({ role: 'user', content: [item] })

      expect(error).toEqual({
        type: 'ValidationError',
        message:
          "Input should be a valid string; Value error, Exactly one of 'text', 'image', 'file', 'audio', or 'video' " +
          'must be provided.',
      })
    },
  )

  it('names every fault, in the order of the fields', () => {
    const error = errorOf({ role: 'robot', content: 5, name: 6, function_call: 'f', extra: [] })

    expect(error).toEqual({
      type: 'ValidationError',
      message: [
        'Value error, robot must be one of user,assistant,system,function',
        'Input should be a valid string',
        'Input should be a valid list',
        'Input should be a valid string',
        'Input should be a valid dictionary or instance of FunctionCall',
        'Input should be a valid dictionary',
      ].join('; '),
    })
  })

  it('raises a TypeError for keys that an item or a call does not have', () => {
    const errors = [
      errorOf({ role: 'user', content: [{ words: 'x' }] }),
      errorOf({ role: 'user', content: '', function_call: { name: 'f', arguments: '', id: 1 } }),
      errorOf({ role: 'user', content: '', function_call: { name: 'f' } }),
      errorOf({ name: 'x' }),
    ]

    expect(errors).toEqual([
      { type: 'TypeError', message: "ContentItem.__init__() got an unexpected keyword argument 'words'" },
      { type: 'TypeError', message: "FunctionCall.__init__() got an unexpected keyword argument 'id'" },
      { type: 'TypeError', message: "FunctionCall.__init__() missing 1 required positional argument: 'arguments'" },
      {
        type: 'TypeError',
        message: "Message.__init__() missing 2 required positional arguments: 'role' and 'content'",
      },
    ])
  })

  it('knows audio maps from v0.0.18 and no audio at all in v0.0.13', () => {
    const message = { role: 'user', content: [{ audio: { data: 'a.wav' } }] }

    const types = ['main', 'v0.0.16', 'v0.0.13'].map((name) => {
      const outcome = read(message, profile(name as 'main'))
      return outcome.kind === 'raised' ? outcome.error.type : outcome.kind
    })

    expect(types).toEqual(['returned', 'ValidationError', 'TypeError'])
  })

  it('keeps lone surrogates, big integers and the order of keys in extra', () => {
    const extra = new Map<string, PyValue>([
      ['10', 12345678901234567890n],
      ['2', '\ud800'],
    ])

    const message = readMessage(fromPlain({ role: 'user', content: '\udfff', extra }), MAIN)

    expect(dumpMessage(message, MAIN)).toEqual(
      new Map<string, PyValue>([
        ['role', 'user'],
        ['content', '\udfff'],
        ['extra', extra],
      ]),
    )
    expect([...(message.extra ?? [])].map(([key]) => key)).toEqual(['10', '2'])
  })
})

describe('dumpMessage', () => {
  it('writes an empty reasoning_content only where null becomes one', () => {
    const message = { role: 'user', content: 'x' } as const

    const keys = (['main', 'v0.0.16', 'v0.0.13'] as const).map((name) => [
      ...dumpMessage(message, profile(name)).keys(),
    ])

    expect(keys).toEqual([
      ['role', 'content'],
      ['role', 'content', 'reasoning_content'],
      ['role', 'content'],
    ])
  })

  it('keeps empty texts, lists and maps, and leaves out null', () => {
    const message = { role: 'function', content: [], name: '', extra: new Map(), function_call: null } as const

    const dump = dumpMessage(message, MAIN)

    expect([...dump]).toEqual([
      ['role', 'function'],
      ['content', []],
      ['name', ''],
      ['extra', new Map()],
    ])
  })
})

describe('readMessages', () => {
  it.each<[PlainValue, string]>([
    [
      [
        { role: 'user', content: 'x' },
        { role: 'robot', content: 'x' },
      ],
      'messages[1].role',
    ],
    [[{ role: 'user', content: [{ text: 'x' }, { image: 5 }] }], 'messages[0].content[1].image'],
    [
      [{ role: 'user', content: 'x', function_call: { name: 'f', arguments: {} } }],
      'messages[0].function_call.arguments',
    ],
    [[{ role: 'user' }], 'messages[0]'],
    [['hello'], 'messages[0]'],
    ['hello', 'messages'],
  ])("names index and field of a caller's fault: %j", (messages, where) => {
    const work = () => readMessages(messages, MAIN)

    expect(work).toThrow(InputError)
    expect(work).toThrow(new RegExp(`^${where.replaceAll(/[[\].]/g, '\\$&')}: `))
  })

  test.prop([messages(), fc.constantFrom(...PROFILES.values())], { numRuns: 2000 })(
    'reads a plain object as the map of the same data',
    (message, version) => {
      const read = (value: PlainValue) => {
        try {
          return readMessages([value], version)
        } catch (error) {
          return String(error)
        }
      }

      const [plain, map] = [read(message), read(fromPlain(message))]

      expect(plain).toEqual(map)
    },
  )

  it('keeps nothing of the caller that may change later', () => {
    const content = [{ text: 'x' }]
    const call = { name: 'f', arguments: '{}' }
    const read = readMessages([{ role: 'assistant', content, function_call: call }], MAIN)

    content.push({ text: 'y' })
    call.name = 'g'

    expect(read).toEqual([
      { role: 'assistant', content: [{ text: 'x' }], function_call: { name: 'f', arguments: '{}' } },
    ])
  })
})

/** Messages of callers: mostly right, and some with a fault in any place. */
function messages(): fc.Arbitrary<PlainValue> {
  const text = fc.constantFrom('', 'x')
  const odd = fc.constantFrom<PlainValue>(null, undefined, 5, [], {})
  const item = fc.record(
    { text: rarely(odd, text), image: rarely(text, fc.constant(undefined)) },
    { requiredKeys: ['text'] },
  )
  const call = fc.record(
    { name: rarely(odd, text), arguments: rarely(odd, text), id: rarely(text, fc.constant(undefined)) },
    { requiredKeys: ['name', 'arguments'] },
  )
  return fc.record(
    {
      role: rarely(fc.constant('robot'), fc.constantFrom('user', 'assistant', 'system', 'function')),
      content: rarely<PlainValue>(odd, fc.oneof(text, fc.array(item, { maxLength: 3 }))),
      reasoning_content: rarely(odd, text),
      name: rarely(odd, text),
      function_call: rarely<PlainValue>(odd, call),
      extra: fc.constantFrom<PlainValue>(null, {}, { function_id: '1' }, new Map([['function_id', '1']]), 'x'),
      tool_calls: fc.constant(null),
    },
    { requiredKeys: ['role', 'content'] },
  )
}

function rarely<T>(odd: fc.Arbitrary<T>, usual: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 1, arbitrary: odd }, { weight: 9, arbitrary: usual })
}
