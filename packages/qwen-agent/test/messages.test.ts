import { describe, expect, it } from 'vitest'
import { InputError, fromPlain, attempt } from '@callspec/python'
import type { PlainValue, PyValue } from '@callspec/python'
import { dumpMessage, readMessages } from '@callspec/core/qwen-agent'
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
})
