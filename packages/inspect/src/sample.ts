import { fromPlain, isDict } from '@callspec/python'
import type { PyDict } from '@callspec/python'

const TOOL = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Returns the weather of a city.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city'],
    },
  },
}

const CALL = {
  id: 'call00001',
  type: 'function',
  function: { name: 'get_weather', arguments: { city: 'Oslo', days: 2 } },
}

/** A conversation with a tool, a call and its result; the model continues. */
export function sampleVariables(): PyDict {
  const value = fromPlain({
    messages: [
      { role: 'system', content: 'Answer briefly.' },
      { role: 'user', content: 'Will it rain in Oslo tomorrow?' },
      { role: 'assistant', content: '', tool_calls: [CALL] },
      { role: 'tool', tool_call_id: CALL.id, name: 'get_weather', content: '{"rain": true}' },
    ],
    tools: [TOOL],
    add_generation_prompt: true,
  })
  return isDict(value) ? value : new Map()
}
