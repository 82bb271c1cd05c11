import { InputError } from '@callspec/core'
import { isDict, isList } from '@callspec/python'
import { readAgentTool } from '@callspec/core/qwen-agent'
import { checkTool } from '@callspec/qwen-agent/reference'
import { readMessage } from '@callspec/core/reference'
import type { AgentTool, FunctionCall, Profile } from '@callspec/core/qwen-agent'
import type { LoopEvent, ToolResult } from '@callspec/qwen-agent'
import type { PyDict, PyValue } from '@callspec/python'
import { pythonSchemaValidator } from './json-schema/index.ts'
import { refuseUnknown, withoutFunction } from './openai-shape.ts'

/** The tools of a case: what the agent owns, and what their calls give back, in order. */
export interface ScriptedTools {
  readonly tools: readonly AgentTool[]
  /** Runs the next call of a tool: the next result of its list, the last one again and again. */
  readonly run: (call: FunctionCall) => ToolEvent
}

type ToolEvent = Extract<LoopEvent, { type: 'tool-result' | 'tool-failed' }>

/** Where the reference's stack text stands in golden data. */
const TRACEBACK = '<TRACEBACK>\n'

/** Reads the `tools` of a case and builds them. @throws Raise for a tool that the reference refuses to build */
export function scriptedTools(given: readonly PyDict[], profile: Profile): ScriptedTools {
  const definitions = given.map((definition, at) => scriptOf(definition, `input.tools[${at}]`))
  const scripts = new Map(
    definitions.map((definition, at) => {
      const where = `input.tools[${at}]`
      return [readAgentTool(definition, where).name, resultsOf(definition, where)] as const
    }),
  )
  const calls = new Map<string, number>()
  const tools = definitions.map((definition, at) => readAgentTool(definition, `input.tools[${at}]`))
  for (const tool of tools) checkTool(tool, { profile, validator: pythonSchemaValidator })
  return {
    tools,
    run: ({ name }) => {
      const results = scripts.get(name) ?? []
      const at = calls.get(name) ?? 0
      calls.set(name, at + 1)
      return eventOf(results[Math.min(at, results.length - 1)] ?? '', profile)
    },
  }
}

/** A tool of a script, also in the shape of OpenAI. */
function scriptOf(given: PyDict, where: string): PyDict {
  const definition = withoutFunction(given)
  refuseUnknown(definition, TOOL_MEMBERS, where)
  for (const result of resultsOf(definition, where))
    if (isDict(result)) refuseUnknown(result, RESULT_MEMBERS, `${where}.results`)
  return definition
}

const TOOL_MEMBERS = [
  'name',
  'description',
  'parameters',
  'results',
  'name_for_human',
  'args_format',
  'file_access',
  'strict',
]
const RESULT_MEMBERS = ['json', 'content', 'raise']

function resultsOf(definition: PyDict, where: string): readonly PyValue[] {
  const results = definition.get('results') ?? []
  if (isList(results)) return results
  throw new InputError(`${where}.results`, 'must be a list.')
}

function eventOf(result: PyValue, profile: Profile): ToolEvent {
  if (!isDict(result)) return { type: 'tool-result', result: valueOf(result) }
  const raise = result.get('raise')
  if (raise !== undefined && isDict(raise)) {
    const type = String(raise.get('type') ?? 'Exception')
    const message = String(raise.get('message') ?? '')
    return { type: 'tool-failed', error: { type, message, traceback: TRACEBACK } }
  }
  const content = result.get('content')
  if (content !== undefined) return { type: 'tool-result', result: itemsOf(content, profile) }
  return { type: 'tool-result', result: { json: result.get('json') ?? null } }
}

function itemsOf(content: PyValue, profile: Profile): ToolResult {
  const read = readMessage(
    new Map<string, PyValue>([
      ['role', 'function'],
      ['content', content],
    ]),
    profile,
  )
  return typeof read.content === 'string' ? read.content : { content: read.content }
}

function valueOf(result: PyValue): ToolResult {
  return typeof result === 'string' ? result : { json: result }
}
