import { fromPlain } from '@callspec/python'
import type { PlainValue, PyDict, PyValue } from '@callspec/python'
import { describe, expect, it } from 'vitest'
import { FORMATS } from '../../src/formats/index.ts'

/** Questions, calls and their results, in the OpenAI shape; `onLookUp` is called for each member of a message that is read. */
function conversation(rounds: number, argumentsAs: 'map' | 'text', onLookUp: () => void): readonly PyDict[] {
  const turns = Array.from({ length: rounds }, (_, index): readonly PlainValue[] => {
    const id = `call${String(index).padStart(5, '0')}`
    const called = { name: 'find', arguments: argumentsAs === 'map' ? { place: 'Oslo' } : '{"place": "Oslo"}' }
    return [
      { role: 'user', content: 'Where?' },
      { role: 'assistant', content: '', tool_calls: [{ id, type: 'function', function: called }] },
      { role: 'tool', tool_call_id: id, name: 'find', content: 'Here.' },
      { role: 'assistant', content: 'There.' },
    ]
  })
  const messages = [...turns.flat(), { role: 'user', content: 'And now?' }]
  return messages.map((message) => counted(fromPlain(message) as PyDict, onLookUp))
}

function counted(given: PyDict, onLookUp: () => void): PyDict {
  const dict = new Map(given)
  return Object.assign(dict, {
    get: (key: string): PyValue | undefined => {
      onLookUp()
      return given.get(key)
    },
  })
}

const SCHEMA = { type: 'object', properties: { place: { type: 'string' } } }
const TOOLS = [{ type: 'function', function: { name: 'find', description: 'Finds.', parameters: SCHEMA } }]

describe('The prompt of a conversation', () => {
  it.each(FORMATS.flatMap((format) => (format.prompt === null ? [] : [format])))(
    'in $id looks into each message a bounded number of times',
    ({ prompt, versions, inVersion }) => {
      for (const version of versions) {
        if (inVersion?.(version)?.prompt === null) continue
        const lookUps = (rounds: number): number => {
          let count = 0
          const options: PyDict = new Map<string, PyValue>([
            ['add_generation_prompt', true],
            ['date', '2026-01-02'],
          ])
          const outcomes = (['map', 'text'] as const).map((as) => {
            const messages = conversation(rounds, as, () => count++)
            return prompt?.({ messages, tools: fromPlain(TOOLS) as readonly PyValue[], options }, version).kind
          })
          expect(outcomes).toContain('prompted')
          return count
        }

        expect(lookUps(80) / lookUps(40), version).toBeLessThan(2.1)
      }
    },
  )
})
