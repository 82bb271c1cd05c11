import type { ToolFailure, ToolResult } from '../loop.ts'
import type { Content, Profile } from '@callspec/core/qwen-agent'
import { dumps, repr, isList, Raise } from '@callspec/python'

/** Errors that no agent turns into a result: the run ends with them (spec §11.3). */
const PROPAGATED: readonly string[] = ['ToolServiceError', 'DocParserError']

/** Python exceptions that are no `Exception`, and so pass every `except Exception`. */
const NOT_CAUGHT: readonly string[] = ['KeyboardInterrupt', 'SystemExit', 'GeneratorExit', 'BaseException']

/**
 * What the agent puts into the function message for what a tool gave back: a text and a list of content items as they
 * are, anything else as JSON with indent 4.
 */
export function formatToolResult(result: ToolResult): Content {
  if (typeof result === 'string') return result
  if ('content' in result) return result.content
  if (typeof result.json === 'string') return result.json
  // as in the reference: all items of an empty list are content items, so it is one (`_call_tool`).
  if (isList(result.json) && result.json.length === 0) return []
  return dumps(result.json, { indent: 4 })
}

/** The result for a name that the agent has no tool for; the grammar is the reference's. */
export function unknownToolText(name: string): string {
  return `Tool ${name} does not exists.`
}

/**
 * The result that tells the model of a tool's exception.
 *
 * @throws Raise the exception itself, for the types that the profile's agents do not catch
 */
export function toolFailureText(name: string, failure: ToolFailure, profile: Profile): string {
  const message = exceptionText(failure)
  const propagates = profile.toolServiceErrorsPropagate && PROPAGATED.includes(failure.type)
  if (propagates || NOT_CAUGHT.includes(failure.type)) throw new Raise(failure.type, message)
  const traceback = failure.traceback ?? ''
  return `An error occurred when calling tool \`${name}\`:\n${failure.type}: ${message}\nTraceback:\n${traceback}`
}

/** Python's `str(exception)`. */
export function exceptionText({ type, message }: ToolFailure): string {
  return type === 'KeyError' ? repr(message) : message
}
