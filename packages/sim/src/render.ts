import type { PlannedCall } from './reference.ts'

/** A call as text, so that a fault can change either half of it. */
export interface CallText {
  readonly name: string
  readonly arguments: string
}

/** The words that a model writes for the abstract actions of a policy. */
export function callText(call: PlannedCall): CallText {
  return { name: call.name, arguments: jsonText(call.args) }
}

/** The body of a nous call between its tags. */
export function nousBody(call: CallText): string {
  return `{"name": "${call.name}", "arguments": ${call.arguments}}`
}

export function nousCall(call: CallText): string {
  return `<tool_call>\n${nousBody(call)}\n</tool_call>`
}

/**
 * JSON with the spaces that models write. A tag inside a string gets its `<` escaped, as a model must do whose host
 * splits the text at every tag before it reads JSON.
 */
export function jsonText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonText).join(', ')}]`
  if (typeof value === 'string') return JSON.stringify(value).replaceAll(/<(?=\/?tool_call>)/g, () => '\\u003c')
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}: ${jsonText(item)}`)
    .join(', ')}}`
}

/** Python's `repr` of JSON data: single quotes, True, None. */
export function pythonText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonText).join(', ')}]`
  if (typeof value === 'string') return pythonString(value)
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, item]) => `${pythonString(key)}: ${pythonText(item)}`)
    .join(', ')}}`
}

function pythonString(text: string): string {
  const escaped = text
    .replaceAll('\\', () => '\\\\')
    .replaceAll('\n', () => '\\n')
    .replaceAll(/<(?=\/?tool_call>)/g, () => '\\u003c')
  return escaped.includes("'") && !escaped.includes('"') ? `"${escaped}"` : `'${escaped.replaceAll("'", () => "\\'")}'`
}
