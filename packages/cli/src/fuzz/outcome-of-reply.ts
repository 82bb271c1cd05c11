import { isDict, isList } from '@callspec/core'
import type { AssistantMessage, ParseOutcome, PyDict, PyValue, StreamDelta } from '@callspec/core'
import { dumps } from '@callspec/core'

/** The outcome that an answer of the protocol stands for: items in order, or prose, reasoning and calls flat. */
export function outcomeOfOutput(output: PyDict): ParseOutcome {
  const items = output.get('items')
  return { kind: 'parsed', messages: isList(items) ? items.flatMap(messageOfItem) : flatMessages(output), issues: [] }
}

/** An input that was refused. */
export function rejectedOutcome(type: string, message: string): ParseOutcome {
  return { kind: 'rejected', error: { type, message }, issue: { code: 'rejected', message, start: 0, end: 0 } }
}

function messageOfItem(item: PyValue): readonly AssistantMessage[] {
  if (!isDict(item)) return []
  switch (item.get('type')) {
    case 'reasoning':
      return [{ role: 'assistant', content: '', reasoning_content: textAt(item, 'text') }]
    case 'call':
      return [callMessage(item)]
    default:
      return [{ role: 'assistant', content: textAt(item, 'text') }]
  }
}

function flatMessages(output: PyDict): readonly AssistantMessage[] {
  const [reasoning, content] = [textAt(output, 'reasoning'), textAt(output, 'content')]
  const calls = output.get('calls')
  return [
    ...(reasoning === '' ? [] : [{ role: 'assistant', content: '', reasoning_content: reasoning } as const]),
    ...(content === '' ? [] : [{ role: 'assistant', content } as const]),
    ...(isList(calls) ? calls.filter(isDict).map(callMessage) : []),
  ]
}

function callMessage(call: PyDict): AssistantMessage {
  return {
    role: 'assistant',
    content: '',
    function_call: { name: textAt(call, 'name'), arguments: argumentsText(call.get('arguments')) },
  }
}

/** Arguments may be a JSON value, or a text that holds JSON. */
function argumentsText(value: PyValue | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return value
  const written = dumps(value)
  return written.kind === 'returned' ? written.value : ''
}

/** The deltas that an implementation gave, in the form of core; the last one carries the reason for the end. */
export function deltasOfOutput(deltas: readonly PyValue[]): readonly StreamDelta[] {
  const parts = deltas.flatMap((entry): readonly StreamDelta[] => {
    const delta = isDict(entry) ? entry.get('delta') : undefined
    if (!isDict(delta)) return []
    const calls = delta.get('calls')
    const [content, reasoning] = [textAt(delta, 'content'), textAt(delta, 'reasoning')]
    const toolCalls = (isList(calls) ? calls.filter(isDict) : []).map((call) => {
      const name = call.get('name')
      const args = call.get('arguments')
      return {
        index: Number(call.get('index') ?? 0),
        function: {
          ...(typeof name === 'string' ? { name } : {}),
          ...(args === undefined ? {} : { arguments: argumentsText(args) }),
        },
      }
    })
    return [
      {
        ...(content === '' ? {} : { content }),
        ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
        ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
      } as StreamDelta,
    ]
  })
  return parts
}

function textAt(map: PyDict, key: string): string {
  const value = map.get(key)
  return typeof value === 'string' ? value : ''
}
