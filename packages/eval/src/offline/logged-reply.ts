import type { NativeCall } from '../client/completion.ts'
import type { JsonSchema, ToolSpec } from '../suite/task.ts'
import type { ReadRow } from './output-row.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * Reads a line of a log of an OpenAI-compatible server: a chat or text completion; one beside its request (`request`,
 * `response`), as proxies write them; or a line of a Batch output file (`response.body`). The first choice counts. Never throws.
 */
export function readLoggedReply(line: string): ReadRow {
  const whole = objectOf(parsed(line))
  if (whole === null) return { kind: 'unreadable', reason: 'this is no JSON object' }
  const response = objectOf(whole['response']) ?? whole
  const body = objectOf(response['body']) ?? response
  const request = objectOf(whole['request'])
  const choices: unknown = body['choices']
  const choice = Array.isArray(choices) ? objectOf(choices[0]) : null
  if (choice === null) return { kind: 'unreadable', reason: 'it has no "choices", so it is no answer of a model' }
  const message = objectOf(choice['message']) ?? choice
  const tools = toolsOf(objectOf(request?.['body'])?.['tools'] ?? request?.['tools'] ?? whole['tools'])
  return {
    kind: 'row',
    row: {
      model: textOf(body['model']) ?? textOf(request?.['model']) ?? '(no model)',
      text: contentOf(message['content']) ?? textOf(choice['text']) ?? '',
      functions: tools?.map((tool) => tool.name) ?? null,
      reply: {
        reasoning: textOf(message['reasoning_content']) ?? textOf(message['reasoning']) ?? '',
        toolCalls: callsOf(message['tool_calls']),
        finishReason: textOf(choice['finish_reason']),
        tools,
      },
    },
  }
}

/** The text, also of a list of parts. */
function contentOf(content: unknown): string | null {
  if (!Array.isArray(content)) return textOf(content)
  return content.map((part: unknown) => textOf(objectOf(part)?.['text']) ?? '').join('')
}

/** Arguments that some servers give as an object are written as the text that they should have been. */
function callsOf(calls: unknown): readonly NativeCall[] {
  if (!Array.isArray(calls)) return []
  return calls.flatMap((entry: unknown) => {
    const call = objectOf(entry)
    const called = objectOf(call?.['function'])
    if (called === null) return []
    const args = called['arguments']
    return [
      {
        id: textOf(call?.['id']) ?? '',
        name: textOf(called['name']) ?? '',
        arguments: typeof args === 'string' ? args : args === undefined ? '' : JSON.stringify(args),
      },
    ]
  })
}

function toolsOf(tools: unknown): readonly ToolSpec[] | null {
  if (!Array.isArray(tools)) return null
  return tools.flatMap((entry: unknown) => {
    const tool = objectOf(objectOf(entry)?.['function']) ?? objectOf(entry)
    const name = textOf(tool?.['name'])
    if (tool === null || name === null) return []
    const parameters: JsonSchema = objectOf(tool['parameters']) ?? {}
    return [{ name, description: textOf(tool['description']) ?? '', parameters }]
  })
}

function objectOf(value: unknown): Json | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
