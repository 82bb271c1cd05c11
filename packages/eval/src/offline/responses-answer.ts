import type { NativeCall } from '../trace/completion.ts'
import { callOf } from './logged-message.ts'
import type { LoggedMessage } from './logged-message.ts'
import { listOf, objectOf, textOf } from './record.ts'
import type { Json } from './record.ts'

/** What an answer of a server says, and why it ended. */
export interface LoggedAnswer extends LoggedMessage {
  readonly finishReason: string | null
}

/** Reads the body of an answer of OpenAI's Responses API, a list of items under `output`; null for any other body. Never throws. */
export function responsesAnswer(body: Json): LoggedAnswer | null {
  const items = listOf(body['output'])
  if (items === null || body['object'] !== 'response') return null
  const said = items.map(objectOf).filter((item) => item !== null)
  const toolCalls = said.flatMap((item): readonly NativeCall[] =>
    item['type'] === 'function_call' ? [callOf(textOf(item['call_id']) ?? '', item)] : [],
  )
  return {
    text: textIn(said, 'message', 'content'),
    reasoning: textIn(said, 'reasoning', 'summary'),
    toolCalls,
    finishReason: finishReasonOf(body, toolCalls.length > 0),
  }
}

/** The texts of the parts of all items of a type. */
function textIn(items: readonly Json[], type: string, member: string): string {
  const parts = items.filter((item) => item['type'] === type).flatMap((item) => listOf(item[member]) ?? [])
  return parts.map((part) => textOf(objectOf(part)?.['text']) ?? '').join('')
}

/** In the words of the chat API. */
function finishReasonOf(body: Json, hasCalls: boolean): string | null {
  const why = textOf(objectOf(body['incomplete_details'])?.['reason'])
  if (why !== null) return why === 'max_output_tokens' ? 'length' : why
  if (body['status'] !== 'completed') return null
  return hasCalls ? 'tool_calls' : 'stop'
}
