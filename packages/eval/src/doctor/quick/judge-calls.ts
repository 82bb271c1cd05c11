import { countedTokens, mostTokens } from '../../reading/swallowed.ts'
import { quoted } from '../../text/excerpt.ts'
import { canonicalJson } from '../../text/canonical-json.ts'
import { objectIn } from '../../text/json.ts'
import type { NativeCall } from '../../trace/completion.ts'
import { argumentIssues } from '../../world/argument-issues.ts'
import type { ScriptedCall } from './script.ts'
import { found } from './seen.ts'
import type { Judge } from './seen.ts'

const LOST = 'The server loses them: update it, or give it another tool parser (vLLM, SGLang: --tool-call-parser).'
const BROKEN = 'Is it the tool parser of another model (vLLM, SGLang: --tool-call-parser)? Clients give such a call up.'
const MODEL_OR_SERVER =
  'Is it the model, or a tool parser for another one? Look at what the model writes without the parser.'
const NO_ID = 'Update the server: a client that matches results by their ids cannot.'
const AS_TEXT = 'Clients that expect a text of JSON break on it: update the server.'

/** What makes a call useless to a client. */
export const judgeBrokenCalls: Judge = ({ script, reply }) => {
  if (reply.warnings.includes('no-call-id')) return found('fail', 'a call comes without an id of its own', NO_ID)
  if (reply.warnings.includes('arguments-not-text'))
    return found('fail', 'the arguments come as a value, not as a text of JSON', AS_TEXT)
  const broken = reply.toolCalls.find((call) => objectIn(call.arguments) === null)
  if (broken !== undefined) return found('fail', `the arguments are no JSON object: ${callText(broken)}`, BROKEN)
  const isShort = reply.toolCalls.some((call, at) => lacksArguments(call, script.calls[at]))
  const counted = countedTokens(reply)
  if (isShort && counted > mostTokens(reply))
    return found('fail', `the arguments are empty, although ${counted} tokens were counted`, LOST)
  const damaged = reply.toolCalls.find((call) => DAMAGED.test(call.arguments))
  if (damaged !== undefined) return found('fail', `characters are damaged: ${callText(damaged)}`, BROKEN)
  const named = typeof script.choice === 'object' ? script.choice.function.name : null
  const other = named === null ? undefined : reply.toolCalls.find(({ name }) => name !== named)
  return other === undefined
    ? null
    : found('fail', `${quoted(other.name)} is called, not the tool that was named`, FORCES)
}

const FORCES = 'The server does not honour tool_choice with a name.'

/** What stands for a character that could not be decoded, and escapes that were escaped once more. */
const DAMAGED = /\ufffd|\\\\u[0-9a-fA-F]{4}/

function lacksArguments(call: NativeCall, asked: ScriptedCall | undefined): boolean {
  if (call.name !== asked?.name) return false
  return Object.keys(asked.args).length > 0 && Object.keys(objectIn(call.arguments) ?? {}).length === 0
}

/** What may be the doing of the model as well. */
export const judgeOddCalls: Judge = ({ script, reply }) => {
  const { toolCalls } = reply
  const [first] = toolCalls
  if (script.calls.length === 0)
    return first === undefined
      ? null
      : found('warn', `a call that nobody asked for: ${callText(first)}`, MODEL_OR_SERVER)
  for (const call of toolCalls) {
    const tool = script.tools.find(({ name }) => name === call.name)
    if (tool === undefined) return found('warn', `there is no tool ${quoted(call.name)}`, MODEL_OR_SERVER)
    const [issue] = argumentIssues(objectIn(call.arguments), tool.parameters)
    if (issue !== undefined)
      return found('warn', `${callText(call)} does not fit its schema: ${quoted(issue.message)}`, MODEL_OR_SERVER)
  }
  if (toolCalls.length < script.calls.length)
    return found('unknown', `${toolCalls.length} of ${script.calls.length} calls: ${callsText(toolCalls)}`, ONE_BY_ONE)
  const isOther = (call: NativeCall): boolean => !script.calls.some((asked) => isSame(call, asked))
  const other = toolCalls.find(isOther)
  return other === undefined
    ? null
    : found('warn', `other arguments than those asked for: ${callText(other)}`, MODEL_OR_SERVER)
}

const ONE_BY_ONE =
  'Does the server make parallel calls (parallel_tool_calls)? Many models call one tool after the other.'

function isSame(call: NativeCall, asked: { readonly name: string; readonly args: object }): boolean {
  return call.name === asked.name && canonicalJson(objectIn(call.arguments)) === canonicalJson(asked.args)
}

/** The calls on one line. */
export function callsText(calls: readonly NativeCall[]): string {
  return calls.slice(0, 3).map(callText).join(', ')
}

function callText({ name, arguments: args }: NativeCall): string {
  return `${name.slice(0, 80)}(${quoted(args)})`
}
