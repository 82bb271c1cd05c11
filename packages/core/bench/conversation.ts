import type { ItemMessage, ToolDefinition } from '../src/messages/message.ts'
import { loads } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

/** A conversation of `count` messages: question, call, result, answer, over and over. */
export function conversation(count: number): readonly ItemMessage[] {
  return Array.from({ length: count }, (_, index): ItemMessage => {
    if (index === 0) return { role: 'system', content: [{ text: 'You are a helpful assistant.' }] }
    const name = `tool_${index % 7}`
    switch (index % 4) {
      case 1:
        return {
          role: 'user',
          content: [{ text: `What is the weather in Hangzhou on day ${index}? Please compare it.` }],
        }
      case 2:
        return {
          role: 'assistant',
          content: [{ text: 'I will look that up.' }],
          function_call: { name, arguments: `{"city": "杭州", "days": ${index}, "unit": "celsius"}` },
        }
      case 3:
        return { role: 'function', name, content: [{ text: `{"temperature": 21.5, "day": ${index}, "sky": "clear"}` }] }
      default:
        return {
          role: 'assistant',
          content: [{ text: `It is going to be 21.5 degrees on day ${index}, with a clear sky.` }],
        }
    }
  })
}

/** `count` tools with schemas of a usual size, about 800 bytes each. */
export function tools(count: number): readonly ToolDefinition[] {
  return Array.from({ length: count }, (_, index) =>
    dict({
      name: `tool_${index}`,
      description: `Tool number ${index} looks up the weather of a city, in the unit that was asked for, for several days.`,
      parameters: dict({
        type: 'object',
        properties: dict({
          city: dict({ type: 'string', description: 'The city, such as Hangzhou or 杭州' }),
          days: dict({ type: 'integer', minimum: 1n, maximum: 16n, description: 'How many days from today' }),
          unit: dict({ type: 'string', enum: ['celsius', 'fahrenheit'], default: 'celsius' }),
          options: dict({
            type: 'object',
            properties: dict({ hourly: dict({ type: 'boolean' }), ratio: dict({ type: 'number', default: 0.5 }) }),
          }),
          tags: dict({ type: 'array', items: dict({ type: 'string', description: 'A tag that the answer carries' }) }),
        }),
        required: ['city', 'days'],
      }),
    }),
  )
}

/** The same conversation in the OpenAI shape; arguments are maps, or texts of JSON. */
export function chat(count: number, argumentsAs: 'map' | 'text'): readonly PyDict[] {
  return conversation(count).map(({ role, content, name = '', function_call: call }, index) => {
    const said = content.map(({ text }) => text ?? '').join('')
    // Some families take nine letters and digits only.
    const id = (at: number): string => `call${String(at).padStart(5, '0')}`
    if (role === 'function') return dict({ role: 'tool', tool_call_id: id(index - 1), name, content: said })
    if (call === undefined || call === null) return dict({ role, content: said })
    const given = argumentsAs === 'map' ? loads(call.arguments) : call.arguments
    const called = dict({ name: call.name, arguments: given })
    // Some families take no text next to a call.
    return dict({ role, content: '', tool_calls: [dict({ id: id(index), type: 'function', function: called })] })
  })
}

/** What a prompt costs at least: every text joined, every tool written with Python's separators. */
export function barePrompt(messages: readonly ItemMessage[], functions: readonly ToolDefinition[]): string {
  let prompt = ''
  for (const tool of functions) prompt += bareDumps(tool) + '\n'
  for (const message of messages) {
    prompt += `${message.role}\n`
    for (const item of message.content) prompt += item.text ?? ''
    if (message.function_call) prompt += `${message.function_call.name}: ${message.function_call.arguments}`
    prompt += '\n'
  }
  return prompt
}

/** The same for a conversation in the OpenAI shape. */
export function bareChat(messages: readonly PyDict[], functions: readonly PyValue[]): string {
  let prompt = ''
  for (const tool of functions) prompt += bareDumps(tool) + '\n'
  for (const message of messages) {
    prompt += `${String(message.get('role'))}\n${String(message.get('content') ?? '')}`
    for (const call of (message.get('tool_calls') ?? []) as readonly PyDict[]) {
      const called = call.get('function') as PyDict
      const given = called.get('arguments') ?? null
      prompt += `${String(called.get('name'))}: ${typeof given === 'string' ? given : bareDumps(given)}`
    }
    prompt += '\n'
  }
  return prompt
}

/** `json.dumps` in the fewest steps: one text that grows, the engine's own quoting. */
function bareDumps(value: PyValue): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (value instanceof Map) {
    let text = ''
    for (const [key, item] of value as PyDict)
      text += `${text === '' ? '{' : ', '}${JSON.stringify(key)}: ${bareDumps(item)}`
    return `${text === '' ? '{' : text}}`
  }
  if (Array.isArray(value)) {
    let text = ''
    for (const item of value as readonly PyValue[]) text += (text === '' ? '[' : ', ') + bareDumps(item)
    return `${text === '' ? '[' : text}]`
  }
  return String(value)
}

function dict(members: Readonly<Record<string, PyValue>>): PyDict {
  return new Map(Object.entries(members))
}
