import { describe, expect, it } from 'vitest'
import { createStreamWatch } from '../src/client/stream-laws.ts'

function delta(said: object, finish: string | null = null, more: object = {}): object {
  return { id: 'r', choices: [{ index: 0, delta: said, finish_reason: finish, ...more }] }
}

function call(index: unknown, more: object, called: object): object {
  return delta({ tool_calls: [{ index, ...more, function: called }] })
}

const HEAD = call(0, { id: 'a' }, { name: 'f', arguments: '' })
const END = delta({}, 'tool_calls')

function breaches(...events: readonly unknown[]): readonly (readonly unknown[])[] {
  const watch = createStreamWatch()
  for (const event of events) watch.add(event)
  return watch.end().map(({ law, weight, event, times }) => [law, weight, event, times])
}

describe('the watch over a stream', () => {
  it('has nothing to say of what OpenAI sends', () => {
    const second = call(1, { id: 'b' }, { name: 'f', arguments: '{}' })

    expect(
      breaches(delta({ role: 'assistant', content: null }), HEAD, call(0, {}, { arguments: '{}' }), second, END),
    ).toEqual([])
    expect(breaches(delta({ content: 'Hi 🎉' }), delta({}, 'stop'), { id: 'r', choices: [], usage: {} })).toEqual([])
  })

  it('counts how often a law was broken, and says where first', () => {
    const again = call(0, {}, { arguments: { a: 1 } })

    expect(breaches(HEAD, again, again, END)).toEqual([['arguments-text', 'broken', 2, 2]])
  })

  it.each([
    ['an event that is no JSON', [undefined, delta({ content: 'a' }, 'stop')], ['is-json', 'broken', 1, 1]],
    ['no finish reason', [delta({ content: 'a' })], ['one-finish', 'odd', 0, 1]],
    ['two finish reasons', [delta({ content: 'a' }, 'stop'), delta({}, 'stop')], ['one-finish', 'broken', 2, 1]],
    ['more behind the end', [delta({}, 'stop'), delta({ content: 'a' })], ['nothing-after', 'broken', 2, 1]],
    ['calls that are announced and absent', [delta({ content: 'a' }), END], ['finish-names-calls', 'broken', 0, 1]],
    ['calls that are not announced', [HEAD, delta({}, 'stop')], ['finish-names-calls', 'odd', 0, 1]],
    ['a call without an index', [call(undefined, { id: 'a' }, { name: 'f' }), END], ['call-index', 'broken', 1, 1]],
    ['a call that is counted from 1', [call(1, { id: 'a' }, { name: 'f' }), END], ['call-index', 'broken', 1, 1]],
    ['a call without an id', [call(0, {}, { name: 'f' }), END], ['call-id', 'broken', 1, 1]],
    ['an id that changes', [HEAD, call(0, { id: 'b' }, {}), END], ['call-id', 'broken', 2, 1]],
    ['two calls of one id', [HEAD, call(1, { id: 'a' }, { name: 'f' }), END], ['call-id', 'broken', 2, 1]],
    ['a name that comes again', [HEAD, call(0, {}, { name: 'f' }), END], ['call-name', 'odd', 2, 1]],
    ['a name that changes', [HEAD, call(0, {}, { name: 'g' }), END], ['call-name', 'broken', 2, 1]],
    ['a call without a name', [call(0, { id: 'a' }, { arguments: '' }), END], ['call-name', 'broken', 1, 1]],
    ['half a character', [delta({ content: 'a\ud83c' }, 'stop')], ['whole-characters', 'broken', 1, 1]],
    ['the mark of lost bytes', [delta({ content: '\ufffd' }, 'stop')], ['whole-characters', 'odd', 1, 1]],
    ['another id', [delta({ content: 'a' }), { ...delta({}, 'stop'), id: 's' }], ['reply-id', 'odd', 2, 1]],
  ])('tells of %s', (_, events, breach) => {
    expect(breaches(...events)).toEqual([breach])
  })

  it('judges each of several choices by itself', () => {
    const other = { id: 'r', choices: [{ index: 1, delta: { content: 'b' }, finish_reason: 'stop' }] }

    expect(breaches(other, delta({ content: 'a' }, 'stop'))).toEqual([])
    expect(breaches(other, delta({ content: 'a' }))).toEqual([['one-finish', 'odd', 0, 1]])
  })

  it('bears every shape that no server should send', () => {
    const shapes = [null, 1, 'x', [], { choices: 1 }, { choices: [null, 1] }, delta([]), delta({ tool_calls: [null] })]

    expect(() => breaches(...shapes)).not.toThrow()
  })
})
