import type { Completion } from '../trace/completion.ts'
import { finishOf } from '../trace/completion.ts'
import { swallowedIn, swallowedText, countedTokens, mostTokens } from '../reading/swallowed.ts'
import { splitThought } from '../reading/read-blocks.ts'
import { quotedExcerpt } from '../text/excerpt.ts'
import type { CallProbes, ForcedCalls, RawReply } from './ask-calls.ts'
import { forcedReplies, hasArguments, leftCallIn } from './ask-calls.ts'
import type { Finding, Check } from './finding.ts'
import { finding, adviseParser, ANY_PARSER, LOST_TEXT, NO_FORCED_CALL } from './finding.ts'
import type { Probe, ModeReply } from './prober.ts'
import { isCut, late, repliesOf } from './prober.ts'
import { objectIn } from '../text/json.ts'
import type { ToolSpec } from '../trace/task.ts'

/** Whether the server reads the calls of its model when it is sent tools, whole and streamed. */
export function judgeNative(probes: CallProbes, isRepeatable: boolean | null): Finding {
  const { auto, forced, raw } = probes
  if (auto.whole.kind === 'late') return late('native-calls')
  const failed = failureOf(auto.whole, '') ?? failureOf(auto.streamed, 'in streams ')
  if (failed !== null) return failed
  const replies = repliesOf(auto)
  const all = [...replies, ...forcedReplies(forced)]
  const left = first(all, leftInText)
  if (left !== null) return finding('native-calls', 'fail', left.evidence, left.whatToChange)
  const lost = first(all, announced) ?? first(replies, comesEmpty)
  if (lost !== null) return finding('native-calls', 'fail', lost, adviseParser(raw?.reply.text ?? '').whatToChange)
  const called = replies.find(({ reply }) => reply.toolCalls.length > 0)
  const silent = replies.find(({ reply }) => reply.toolCalls.length === 0 && !isCut(reply))
  if (called !== undefined && silent !== undefined && isRepeatable === true) return oneSided(called, silent)
  if (called !== undefined) return finding('native-calls', 'ok', `the server reads calls: ${callText(called)}`)
  const [one] = replies
  if (
    raw !== null &&
    raw.isExact &&
    raw.call !== null &&
    one !== undefined &&
    !isCut(one.reply) &&
    isRepeatable === true
  )
    return unread(raw.reply.text)
  return lostOnTheWay(probes) ?? withoutCall(one, forced)
}

/**
 * If fewer characters arrived than the tokens need, the lost part may be a call or reasoning. It is a call if the model writes one as text, or
 * if a forced call does not arrive either.
 */
function lostOnTheWay({ auto, forced, raw, marked, countsProve }: CallProbes): Finding | null {
  if (!countsProve) return null
  const silent = [...repliesOf(auto), ...forcedReplies(forced)].filter(({ reply }) => reply.toolCalls.length === 0)
  const lost = first(silent, ({ where, reply }) => {
    const swallowed = swallowedIn(reply)
    return swallowed === null ? null : `${where}${quotedExcerpt(reply.text)} arrived, ${swallowedText(swallowed)}`
  })
  if (lost === null) return null
  const written = [raw, marked].find((each) => each?.call != null)?.reply.text
  const { whatToChange } = adviseParser(raw?.call == null ? '' : raw.reply.text)
  if (written !== undefined)
    return finding(
      'native-calls',
      'fail',
      `${LOST_CALL}: ${lost}; asked for as text, it is ${quotedExcerpt(written)}`,
      whatToChange,
    )
  if (isForceIgnored(forced))
    return finding('native-calls', 'fail', `${LOST_CALL}: ${lost}; no forced call arrives either`, NO_FORCED_CALL)
  return finding('native-calls', 'warn', `text was lost, a call or a hidden thought: ${lost}`, LOST_TEXT)
}

const LOST_CALL = 'the server drops the call of the model'

function unread(text: string): Finding {
  const { mismatch, whatToChange } = adviseParser(text)
  const evidence = `the model writes ${quotedExcerpt(text)}, and no call arrives`
  return finding('native-calls', 'fail', mismatch === null ? evidence : `${mismatch}; ${evidence}`, whatToChange)
}

/** The server refuses tools, or its parser fails on the text of its model. */
function failureOf(probe: Probe, where: string): Finding | null {
  if (probe.kind !== 'failure') return null
  const { failure } = probe
  return failure.kind === 'unparsed-output'
    ? finding(
        'native-calls',
        'fail',
        `${where}the server cannot read what the model wrote: ${failure.message}`,
        ANY_PARSER,
      )
    : finding('native-calls', 'warn', `${where}tools are refused: ${failure.message}`, ANY_PARSER)
}

function first<T>(replies: readonly ModeReply[], look: (reply: ModeReply) => T | null): T | null {
  for (const each of replies) {
    const found = look(each)
    if (found !== null) return found
  }
  return null
}

/** A complete call that was left in a text. */
export interface LeftInText {
  readonly evidence: string
  readonly whatToChange: string
}

/** Null if no complete call is left in the text, or if the server did read calls. */
export function leftInText({ where, reply: { text, toolCalls } }: ModeReply): LeftInText | null {
  const left = toolCalls.length > 0 ? null : leftCallIn(text)
  if (left === null || !left.isWhole) return null
  const { visible } = splitThought(text)
  const { mismatch, whatToChange } = adviseParser(visible, left.start)
  const form = left.format === null ? '' : `, in the form of ${left.format}`
  return {
    evidence: `${where}${mismatch ?? `the call was left in the text${form}`}: ${quotedExcerpt(visible.slice(left.start))}`,
    whatToChange,
  }
}

/** Evidence of a finish reason that announces calls, without a call; null otherwise. */
export function announced({ where, reply: { finishReason, toolCalls } }: ModeReply): string | null {
  return finishOf(finishReason) === 'tool_calls' && toolCalls.length === 0
    ? `${where}the finish reason is ${JSON.stringify(finishReason)}, and no call arrives`
    : null
}

/** Evidence of an empty reply with counted tokens; null otherwise. */
function comesEmpty({ where, reply }: ModeReply): string | null {
  const lost = swallowedIn(reply)
  return lost?.arrived === 0 ? `${where}${swallowedText(lost)}` : null
}

function oneSided(called: ModeReply, silent: ModeReply): Finding {
  const [has, lacks] = called.where === '' ? ['whole replies', 'streams'] : ['streams', 'whole replies']
  const change =
    lacks === 'streams' ? 'Evaluate native with --no-stream.' : 'Evaluate native with streaming, the default.'
  const evidence = `${has} hold the call ${callText(called)}, ${lacks} only ${quotedExcerpt(silent.reply.text)}`
  return finding('native-calls', 'fail', evidence, change)
}

function withoutCall(one: ModeReply | undefined, forced: ForcedCalls | null): Finding {
  const wasCut = one !== undefined && isCut(one.reply)
  const text = quotedExcerpt(one?.reply.text ?? '')
  const isBroken = one !== undefined && leftCallIn(one.reply.text) !== null
  const what = isBroken ? 'the model made a call that is broken' : 'the model made no call by itself'
  const said = `${wasCut ? 'the reply was cut off before a call' : what}: ${text}`
  const unknown = (more: string, change = 'Try another model.'): Finding =>
    finding('native-calls', 'unknown', `${said}${more}`, change)
  const made = forcedReplies(forced).find(({ reply }) => reply.toolCalls.length > 0)
  if (made !== undefined) return unknown(`; forced, it makes one: ${callText(made)}`)
  if (isForceIgnored(forced))
    return finding('native-calls', 'warn', `${said}, and none with tool_choice either`, NO_FORCED_CALL)
  if (forced === null) return unknown('')
  const { whole } = forced.required
  return whole.kind === 'failure'
    ? unknown(`; tool_choice is refused: ${whole.failure.message}`, NO_FORCED_CALL)
    : unknown('')
}

/** Whether replies to `tool_choice` ended normally, all without a call. */
export function isForceIgnored(forced: ForcedCalls | null): boolean {
  const replies = forcedReplies(forced)
  return replies.every(({ reply }) => reply.toolCalls.length === 0) && replies.some(({ reply }) => !isCut(reply))
}

function callText({ reply: { toolCalls } }: ModeReply): string {
  const [call] = toolCalls
  return call === undefined ? '' : `${call.name.slice(0, 80)}(${quotedExcerpt(call.arguments)})`
}

/** Whether the arguments of calls arrive: those that the tool requires, as a text of JSON. */
export function judgeArguments(
  probes: CallProbes,
  { tools, isRepeatable }: { readonly tools: readonly ToolSpec[]; readonly isRepeatable: boolean | null },
): Finding {
  const seen = withCalls(probes)
  if (seen.length === 0) return nothingSeen('call-arguments', probes)
  const short = seen.find(({ reply }) => !isComplete(reply, tools))
  if (short !== undefined) {
    const call = short.reply.toolCalls[0]
    const evidence = `${short.where}${call?.name.slice(0, 80) ?? ''} comes with ${quotedExcerpt(call?.arguments ?? '')}`
    const proof = proofOfLoss(short, probes, { tools, isRepeatable, seen })
    return proof === null
      ? finding('call-arguments', 'warn', `${evidence}, which is not what the tool needs`, MODEL_OR_SERVER)
      : finding('call-arguments', 'fail', `${evidence}, ${proof}`, LOST)
  }
  const odd = seen.find(({ reply }) => reply.warnings.includes('arguments-not-text'))
  if (odd !== undefined)
    return finding('call-arguments', 'warn', `${odd.where}they are an object, not a text of JSON`, AS_TEXT)
  return finding('call-arguments', 'ok', `they arrive: ${quotedExcerpt(seen[0]?.reply.toolCalls[0]?.arguments ?? '')}`)
}

const LOST = 'The server loses them: update it, or give it another tool parser. Until then leave the format native out.'
const MODEL_OR_SERVER =
  'Is it the model, or a tool parser for another one? Look at what the model writes without the parser.'
const AS_TEXT = 'Nothing: callspec converts it to text. Other clients may fail.'

/** Whether every call has a unique id, by which its result is matched. */
export function judgeIds(probes: CallProbes): Finding {
  const seen = withCalls(probes)
  if (seen.length === 0) return nothingSeen('call-ids', probes)
  const without = seen.find(({ reply }) => reply.warnings.includes('no-call-id'))
  return without === undefined
    ? finding('call-ids', 'ok', `every call has one: ${quotedExcerpt(seen[0]?.reply.toolCalls[0]?.id ?? '')}`)
    : finding('call-ids', 'fail', `${without.where}a call has no unique id`, NO_ID)
}

const NO_ID =
  'Update the server. callspec numbers such calls itself; templates and clients that match results by ids fail.'

function withCalls({ auto, forced }: CallProbes): readonly ModeReply[] {
  return [...repliesOf(auto), ...forcedReplies(forced)].filter(
    ({ reply }) => reply.toolCalls.length > 0 && !isCut(reply),
  )
}

function nothingSeen(check: Check, { auto }: CallProbes): Finding {
  return auto.whole.kind === 'late' ? late(check) : finding(check, 'unknown', 'no call arrived to look at')
}

/** Whether the arguments of the first call are JSON with every member that its tool requires. */
function isComplete({ toolCalls }: Completion, tools: readonly ToolSpec[]): boolean {
  const [call] = toolCalls
  const args = call === undefined ? null : objectIn(call.arguments)
  if (call === undefined || args === null) return false
  const required = tools.find(({ name }) => name === call.name)?.parameters['required']
  return !Array.isArray(required) || required.every((member) => Object.hasOwn(args, String(member)))
}

interface KnownReplies {
  readonly tools: readonly ToolSpec[]
  readonly isRepeatable: boolean | null
  readonly seen: readonly ModeReply[]
}

/** Evidence that the model wrote more than arrived; null if the model may have written no more. */
function proofOfLoss(short: ModeReply, { raw, forced }: CallProbes, known: KnownReplies): string | null {
  const { seen, tools, isRepeatable } = known
  const whole = seen.find(({ reply }) => isComplete(reply, tools))
  if (whole !== undefined && whole.where !== short.where && isRepeatable === true)
    return `${whole.where === '' ? 'whole replies' : 'streams'} have ${quotedExcerpt(whole.reply.toolCalls[0]?.arguments ?? '')}`
  if (raw?.call?.args !== undefined && raw.call.args !== null && hasArguments(raw.call.args) && isSameCall(short, raw))
    return `although the model writes ${quotedExcerpt(raw.call.args)}`
  const counted = countedTokens(short.reply)
  if (counted > mostTokens(short.reply)) return `although ${counted} tokens were counted`
  return forcedReplies(forced).some(hasNoArguments) ? 'even where a call is forced' : null
}

function hasNoArguments({ reply: { toolCalls } }: ModeReply): boolean {
  return toolCalls[0] !== undefined && !hasArguments(toolCalls[0].arguments)
}

function isSameCall({ reply }: ModeReply, { call }: RawReply): boolean {
  return call?.name === reply.toolCalls[0]?.name
}
