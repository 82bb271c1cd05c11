import type { ToolSpec } from '../../trace/task.ts'

/** A call that a script asks for. */
export interface ScriptedCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** One request with a right answer: what a server has to get through, whatever its model is worth. */
export interface Script {
  /** Stays as it is: programs read it. */
  readonly id: string
  /** What the model is told before; absent for nothing. */
  readonly system?: string
  readonly question: string
  /** A call and its result that the model has behind it; absent for none. */
  readonly past?: { readonly call: ScriptedCall; readonly result: string }
  readonly tools: readonly ToolSpec[]
  /** `tool_choice`; absent where it is left to the model. */
  readonly choice?: 'required' | { readonly type: 'function'; readonly function: { readonly name: string } }
  /** The calls of a right reply; none where it is a text. */
  readonly calls: readonly ScriptedCall[]
  /** What a right text holds; absent where any text will do, or none is asked for. */
  readonly mentions?: string
}

/** The messages of a script as they go over the wire. */
export function messagesOf({ system, question, past }: Script): readonly Readonly<Record<string, unknown>>[] {
  const told = system === undefined ? [] : [{ role: 'system', content: system }]
  const asked = [...told, { role: 'user', content: question }]
  if (past === undefined) return asked
  const { call, result } = past
  const made = { id: 'call_1', type: 'function', function: { name: call.name, arguments: JSON.stringify(call.args) } }
  return [
    ...asked,
    { role: 'assistant', content: null, tool_calls: [made] },
    { role: 'tool', tool_call_id: made.id, content: result },
  ]
}
