import { describe, expect, it } from 'vitest'
import { createPrefixWatch } from '../src/check/prefixes.ts'
import type { PrefixReport } from '../src/check/prefixes.ts'
import { readQuestion } from '../src/check/question.ts'

const SYSTEM = { role: 'system', content: 'Be short. Today is 2026-11-28.' }
const USER = { role: 'user', content: 'Weather in Oslo?' }
const CALL = { id: 'c', type: 'function', function: { name: 'weather', arguments: '{"city": "Oslo", "days": 1}' } }
const TURN = { role: 'assistant', content: null, reasoning_content: 'Hm.', tool_calls: [CALL] }
const RESULT = { role: 'tool', tool_call_id: 'c', content: '-3' }
const tool = (name: string): object => ({ type: 'function', function: { name, parameters: { type: 'object' } } })
const FIRST = { model: 'm', tools: [tool('weather'), tool('clock')], messages: [SYSTEM, USER, TURN, RESULT] }

function watch(...bodies: readonly object[]): PrefixReport {
  const prefixes = createPrefixWatch()
  for (const [at, body] of bodies.entries()) {
    const question = readQuestion(Buffer.from(JSON.stringify(body)), 'chat')
    if (question !== null) prefixes.add(`x#${at + 1}`, question, null)
  }
  return prefixes.end()
}

/** The same with other messages. */
function next(...messages: readonly object[]): object {
  return { ...FIRST, messages: [...messages, { role: 'user', content: 'And Rome?' }] }
}

describe('the beginning of the prompts of a conversation', () => {
  it('stays the same where a request repeats the one before and goes on', () => {
    const { followed, stable, bytes, breaks } = watch(FIRST, next(...FIRST.messages))

    expect({ followed, stable, breaks }).toEqual({ followed: 1, stable: 1, breaks: [] })
    expect(bytes.same).toBe(bytes.before)
  })

  it('is not compared where a request is sent again, or another conversation begins', () => {
    expect(watch(FIRST, FIRST, { ...FIRST, messages: [{ role: 'user', content: 'Hello' }] }).followed).toBe(0)
  })

  it.each([
    ['date', 'messages[0].content', next({ ...SYSTEM, content: 'Be short. Today is 2026-11-29.' }, USER, TURN, RESULT)],
    ['system', 'messages[0].content', next({ ...SYSTEM, content: 'Be kind.' }, USER, TURN, RESULT)],
    ['tools-order', 'tools[0]', { ...next(...FIRST.messages), tools: FIRST.tools.toReversed() }],
    ['tools', 'tools[1]', { ...next(...FIRST.messages), tools: [tool('weather'), tool('time')] }],
    ['tools', 'messages[0].content', { ...next(...FIRST.messages), tools: [tool('weather')] }],
    ['settings', 'reasoning_effort', { ...next(...FIRST.messages), reasoning_effort: 'low' }],
    [
      'thought-dropped',
      'messages[2].reasoning_content',
      next(SYSTEM, USER, { ...TURN, reasoning_content: undefined }, RESULT),
    ],
    [
      'arguments-spelled',
      'messages[2].tool_calls[0].arguments',
      next(SYSTEM, USER, withArguments('{"days":1,"city":"Oslo"}'), RESULT),
    ],
    ['message', 'messages[2].tool_calls[0].arguments', next(SYSTEM, USER, withArguments('{"city": "Rome"}'), RESULT)],
    ['message', 'messages[3].content', next(SYSTEM, USER, TURN, { ...RESULT, content: 'cold' })],
    ['message-dropped', 'messages[3].content', { ...FIRST, messages: [SYSTEM, USER, TURN] }],
  ])('changes by %s, first in %s', (cause, member, body) => {
    const { stable, breaks, bytes } = watch(FIRST, body)

    expect([stable, breaks.map((each) => [each.cause, each.member, each.first])]).toEqual([0, [[cause, member, 'x#2']]])
    expect(bytes.same).toBeLessThan(bytes.before)
  })

  it('counts the tokens that the server had, where its usage says so', () => {
    const prefixes = createPrefixWatch()
    for (const body of [FIRST, next(...FIRST.messages)]) {
      const question = readQuestion(Buffer.from(JSON.stringify(body)), 'chat')
      const usage = { prompt: 100, completion: 5, cached: 80 }
      const said = { id: '', text: '', reasoning: '', toolCalls: [], finishReason: 'stop', warnings: [], usage }
      if (question !== null)
        prefixes.add('x', question, { api: 'chat', events: [], isStream: false, said, breaches: [], error: null })
    }

    expect(prefixes.end().tokens).toEqual({ prompt: 100, cached: 80 })
  })
})

function withArguments(args: string): object {
  return { ...TURN, tool_calls: [{ ...CALL, function: { ...CALL.function, arguments: args } }] }
}
