import { API_LAWS, CLIENT_NOTES, isOfCalls } from '@callspec/apis'
import type { ApiBreach } from '@callspec/apis'
import { countedTokens, mostTokens, swallowedIn, swallowedText } from '../reading/swallowed.ts'
import { canonicalJson, objectIn } from '../text/json.ts'
import { quotedExcerpt } from '../text/excerpt.ts'
import type { Completion, NativeCall } from '../trace/completion.ts'
import { finishOf } from '../trace/completion.ts'
import { argumentIssues } from '../world/argument-issues.ts'
import type { Finding, ScriptFinding } from './finding.ts'
import { adviseParser, ANY_PARSER, LOST_TEXT, NO_FORCED_CALL } from './finding.ts'
import { announced, leftInText } from './judge-native.ts'
import { leftCallIn } from './ask-calls.ts'
import { isCut } from './prober.ts'
import type { Script, ScriptedCall } from './scripts.ts'

/** A reply to a script, and the broken laws of its stream; none for a whole reply. */
export interface Seen {
  readonly script: Script
  readonly reply: Completion
  readonly breaches: readonly ApiBreach[]
  /** Null until all scripts were sent. */
  readonly others: OtherReplies | null
}

/** What the other replies show about a reply without a call. */
export interface OtherReplies {
  /** Whether token counts can prove that a part was lost. */
  readonly countsProve: boolean
  /** Whether there are replies to `tool_choice`, all without a call. */
  readonly isForceIgnored: boolean
}

/** Null if it has nothing to report. */
export type Judge = (seen: Seen) => ScriptFinding | null

export function found(
  verdict: Finding['verdict'],
  evidence: string,
  whatToChange: string | null = null,
): ScriptFinding {
  return { verdict, evidence, whatToChange }
}

/** The finding of the first judge that has one: defects of the server come before oddities. */
export function judgeScript(seen: Seen): ScriptFinding {
  for (const judge of JUDGES) {
    const finding = judge(seen)
    if (finding !== null) return finding
  }
  const { toolCalls, text } = seen.reply
  return found('ok', toolCalls.length > 0 ? callsText(toolCalls) : quotedExcerpt(text))
}

/** Streams of which clients read something else, or nothing. */
const judgeBrokenStream: Judge = ({ breaches }) => {
  const broken = breaches.filter((each) => each.weight === 'broken' && !isJudgedElsewhere(each))
  if (broken.length === 0) return null
  const notes = [...new Set(broken.slice(0, SHOWN_BREACHES).flatMap(({ law }) => CLIENT_NOTES[law] ?? []))]
  const harm = notes.length === 0 ? 'clients lose or mix up something' : notes.join('; ')
  return found('fail', breachesText(broken), `Update the server: ${harm}. Until then ask for whole replies.`)
}

/** Whether another judge says more about a breach, or no client minds it. */
function isJudgedElsewhere(breach: ApiBreach): boolean {
  return ELSEWHERE.has(breach.law) || isOfCalls(breach)
}

const ELSEWHERE: ReadonlySet<string> = new Set(['C9', 'M6', 'M15'])

/** A stream that is quite different breaks most laws. */
const SHOWN_BREACHES = 3

function breachesText(breaches: readonly ApiBreach[]): string {
  const shown = breaches.slice(0, SHOWN_BREACHES).map(({ law, evidence, event }) => {
    return `${law} (${API_LAWS[law]}): ${evidence}${event === 0 ? '' : `, in event ${event}`}`
  })
  const rest = breaches.slice(SHOWN_BREACHES).map(({ law }) => law)
  return [...shown, ...(rest.length === 0 ? [] : [`also ${rest.join(', ')}`])].join('; ')
}

/** Calls that the server did not read, or dropped. */
const judgeLostCalls: Judge = ({ script, reply }) => {
  const left = leftInText({ where: '', reply: { ...reply, toolCalls: [] } })
  if (left !== null) return found('fail', left.evidence, left.whatToChange)
  const swallowed = swallowedIn(reply)
  const lost = announced({ where: '', reply }) ?? (swallowed?.arrived === 0 ? swallowedText(swallowed) : null)
  if (lost !== null) return found('fail', lost, ANY_PARSER)
  if (reply.toolCalls.length > 0 || script.calls.length === 0) return null
  const inThought = leftCallIn(reply.reasoning)
  if (inThought === null || !inThought.isWhole || reply.text.trim() !== '') return null
  const { whatToChange } = adviseParser(reply.reasoning, inThought.start)
  return found(
    'fail',
    `the call was left in the reasoning: ${quotedExcerpt(reply.reasoning.slice(inThought.start))}`,
    whatToChange,
  )
}

/** No call although the script asks for one. */
const judgeNoCall: Judge = ({ script, reply, others }) => {
  if (script.calls.length === 0 || reply.toolCalls.length > 0) return null
  const said = quotedExcerpt(reply.text)
  if (isCut(reply)) return found('unknown', `cut off before a call: ${said}`)
  const swallowed = others?.countsProve === true ? swallowedIn(reply) : null
  const lost = swallowed === null ? '' : `; ${swallowedText(swallowed)}`
  if (script.choice !== undefined)
    return found('fail', `no call, although tool_choice asks for one: ${said}${lost}`, NO_FORCED_CALL)
  const isIgnored = others?.isForceIgnored === true
  if (swallowed !== null && isIgnored)
    return found(
      'fail',
      `the server drops the call of the model: ${said}${lost}; no forced call arrives either`,
      NO_FORCED_CALL,
    )
  if (swallowed !== null) return found('warn', `text was lost, a call or a hidden thought: ${said}${lost}`, LOST_TEXT)
  return found('unknown', `the model made no call: ${said}`, isIgnored ? NO_FORCED_CALL : 'Try another model.')
}

const judgeText: Judge = ({ script, reply: { text, toolCalls, ...reply } }) => {
  if (/<\/?think(?:ing)?>/.test(text))
    return found(
      'warn',
      `the reasoning is in the text: ${quotedExcerpt(text)}`,
      'Give the server a reasoning parser (--reasoning-parser).',
    )
  if (script.calls.length > 0 || toolCalls.length > 0) return null
  if (text.trim() === '')
    return isCut({ text, toolCalls, ...reply })
      ? found('unknown', 'cut off before a text')
      : found('warn', 'the reply is empty')
  if (script.mentions === undefined || text.includes(script.mentions)) return null
  return found(
    'warn',
    `the result is not in the answer: ${quotedExcerpt(text)}`,
    'Does the chat template show results of tools?',
  )
}

const judgeEnd: Judge = ({ script, reply: { finishReason, toolCalls }, breaches }) => {
  if (finishReason === null) return found('warn', 'the reply has no finish_reason')
  // OpenAI sends "stop" for a tool that was named in tool_choice.
  const mayStop = typeof script.choice === 'object'
  if (toolCalls.length > 0 && finishOf(finishReason) === 'stop' && !mayStop)
    return found(
      'warn',
      `the finish reason is ${quotedExcerpt(finishReason)}, not "tool_calls"`,
      'Agents that rely on it stop here.',
    )
  const odd = breaches.filter((each) => !isJudgedElsewhere(each))
  return odd.length === 0 ? null : found('warn', breachesText(odd))
}

const LOST = 'The server loses them: update it, or give it another tool parser (vLLM, SGLang: --tool-call-parser).'
const BROKEN = 'Is it the tool parser of another model (vLLM, SGLang: --tool-call-parser)? Clients drop such a call.'
const GARBLED =
  'The server cuts characters between chunks, or escapes them twice: update it. Clients pass the damaged text on to the tool.'
const MODEL_OR_SERVER =
  'Is it the model, or a tool parser for another one? Look at what the model writes without the parser.'
const NO_ID = 'Update the server: clients match results to calls by their ids.'
const AS_TEXT = 'Clients that expect a text of JSON fail: update the server.'

/** Calls that a client cannot use. */
const judgeBrokenCalls: Judge = ({ script, reply }) => {
  if (reply.warnings.includes('no-call-id')) return found('fail', 'a call has no unique id', NO_ID)
  if (reply.warnings.includes('arguments-not-text'))
    return found('fail', 'the arguments are a value, not a text of JSON', AS_TEXT)
  const broken = reply.toolCalls.find((call) => objectIn(call.arguments) === null)
  if (broken !== undefined) return found('fail', `the arguments are not a JSON object: ${callText(broken)}`, BROKEN)
  const isShort = reply.toolCalls.some((call, at) => lacksArguments(call, script.calls[at]))
  const counted = countedTokens(reply)
  if (isShort && counted > mostTokens(reply))
    return found('fail', `the arguments are empty, although ${counted} tokens were counted`, LOST)
  const damaged = reply.toolCalls.find((call) => DAMAGED.test(call.arguments))
  if (damaged !== undefined) return found('fail', `characters are damaged: ${callText(damaged)}`, GARBLED)
  const named = typeof script.choice === 'object' ? script.choice.function.name : null
  const other = named === null ? undefined : reply.toolCalls.find(({ name }) => name !== named)
  return other === undefined
    ? null
    : found('fail', `${quotedExcerpt(other.name)} is called, not the tool that was named`, FORCES)
}

const FORCES = 'The server does not honour tool_choice with a name.'

/** The replacement character, and escapes that were escaped twice. */
const DAMAGED = /\ufffd|\\\\u[0-9a-fA-F]{4}/

function lacksArguments(call: NativeCall, asked: ScriptedCall | undefined): boolean {
  if (call.name !== asked?.name) return false
  return Object.keys(asked.args).length > 0 && Object.keys(objectIn(call.arguments) ?? {}).length === 0
}

/** Calls for which the model may be responsible, too. */
const judgeOddCalls: Judge = ({ script, reply }) => {
  const { toolCalls } = reply
  const [first] = toolCalls
  if (script.calls.length === 0)
    return first === undefined ? null : found('warn', `a call without need: ${callText(first)}`, MODEL_OR_SERVER)
  for (const call of toolCalls) {
    const tool = script.tools.find(({ name }) => name === call.name)
    if (tool === undefined) return found('warn', `there is no tool ${quotedExcerpt(call.name)}`, MODEL_OR_SERVER)
    const [issue] = argumentIssues(objectIn(call.arguments), tool.parameters)
    if (issue !== undefined)
      return found(
        'warn',
        `${callText(call)} does not fit its schema: ${quotedExcerpt(issue.message)}`,
        MODEL_OR_SERVER,
      )
  }
  if (toolCalls.length < script.calls.length)
    return found('unknown', `${toolCalls.length} of ${script.calls.length} calls: ${callsText(toolCalls)}`, ONE_BY_ONE)
  const isOther = (call: NativeCall): boolean => !script.calls.some((asked) => isRequestedCall(call, asked))
  const other = toolCalls.find(isOther)
  return other === undefined
    ? null
    : found('warn', `different arguments than requested: ${callText(other)}`, MODEL_OR_SERVER)
}

const ONE_BY_ONE =
  'Does the server make parallel calls (parallel_tool_calls)? Many models call one tool after the other.'

function isRequestedCall(call: NativeCall, asked: { readonly name: string; readonly args: object }): boolean {
  return call.name === asked.name && canonicalJson(objectIn(call.arguments)) === canonicalJson(asked.args)
}

function callsText(calls: readonly NativeCall[]): string {
  return calls.slice(0, 3).map(callText).join(', ')
}

function callText({ name, arguments: args }: NativeCall): string {
  return `${name.slice(0, 80)}(${quotedExcerpt(args)})`
}

const JUDGES: readonly Judge[] = [
  ...[judgeBrokenStream, judgeLostCalls, judgeBrokenCalls, judgeNoCall],
  ...[judgeText, judgeOddCalls, judgeEnd],
]
