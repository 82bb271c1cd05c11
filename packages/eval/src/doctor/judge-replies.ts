import type { Failure, Completion } from '../trace/completion.ts'
import { finishOf } from '../trace/completion.ts'
import { quotedExcerpt } from '../text/excerpt.ts'
import type { Finding } from './finding.ts'
import { finding, asksForKey, HANGS, hangs, NEEDS_KEY, redirectAdvice, NO_FORCED_CALL } from './finding.ts'
import type { Modes, Probe } from './prober.ts'
import { saidIn, saySame, withoutReply, late } from './prober.ts'
import { formatId, QWEN_AGENT_FORMATS, SERVED_FORMAT, WORDED_FORMAT } from '../trace/format-names.ts'
import { evalFormat } from '../formats/table.ts'
import { bareBlocks } from '../reading/read-blocks.ts'
import { swallowedIn, swallowedText } from '../reading/swallowed.ts'

/** Whether a plain chat request is answered. */
export function judgeChat(probe: Probe): Finding {
  if (probe.kind !== 'reply') {
    return withoutReply('chat', probe, { whatToChange: probe.kind === 'failure' ? chatAdvice(probe.failure) : '' })
  }
  const { reply } = probe
  const said = `${reply.text}${reply.reasoning}`
  if (said.trim() === '') return finding('chat', 'warn', 'the reply is empty', 'Try another prompt by hand.')
  const oddities = reply.warnings.length === 0 ? '' : `; odd: ${reply.warnings.join(', ')}`
  const evidence = `answered in ${Math.round(reply.ms)} ms: ${quotedExcerpt(said)}${oddities}`
  if (finishOf(reply.finishReason) === 'unknown')
    return finding('chat', 'warn', `${evidence}; the finish reason is ${JSON.stringify(reply.finishReason)}`, NO_REASON)
  return finding('chat', 'ok', evidence)
}

function chatAdvice(failure: Failure): string {
  const { status } = failure
  if (asksForKey(status)) return NEEDS_KEY
  if (hangs(failure)) return HANGS
  return redirectAdvice(status) ?? (status === 404 ? IS_NAME_RIGHT : 'Look at the log of the server.')
}

const IS_NAME_RIGHT = 'Is the name of the model right, and does the address end in /v1?'
const NO_REASON = 'Replies that were cut at the token limit cannot be recognised. Is the server up to date?'

/** Whether tokens are counted, in whole replies and in streams. */
export function judgeUsage({ whole, streamed }: Modes): Finding {
  const [one, other] = [usageIn(whole), usageIn(streamed)]
  if (one === undefined && other === undefined) return finding('usage', 'unknown', 'there is no reply to look at')
  if (one === null && other !== null && other !== undefined)
    return finding('usage', 'warn', 'only streams report it', 'Evaluate with streaming, which is the default.')
  if (one === null) return finding('usage', 'warn', 'the server reports no usage', 'Tokens and cost will be unknown.')
  if (other === null)
    return finding(
      'usage',
      'warn',
      'streams do not report it (stream_options.include_usage)',
      'Evaluate with --no-stream.',
    )
  return finding('usage', 'ok', one ?? other ?? '')
}

/** What is known about a stream in addition to its reply. */
export interface StreamFacts {
  readonly events: number
  /** Whether two whole replies were the same; null if unknown. */
  readonly isRepeatable: boolean | null
}

/** Whether a stream has the same content as a whole reply. */
export function judgeStream({ whole, streamed }: Modes, { events, isRepeatable }: StreamFacts): Finding {
  if (streamed.kind !== 'reply') return withoutReply('stream', streamed, { whatToChange: 'Evaluate with --no-stream.' })
  if (whole.kind !== 'reply') return finding('stream', 'unknown', 'there is no whole reply to compare with')
  if (streamed.reply.warnings.includes('not-streamed'))
    return finding(
      'stream',
      'warn',
      'the reply was not streamed',
      'Nothing, unless you need the time of the first token.',
    )
  const [one, other] = [saidIn(whole.reply), saidIn(streamed.reply)]
  if (one === other)
    return finding('stream', 'ok', `equal to the whole reply, in ${events === 1 ? 'one event' : `${events} events`}`)
  const evidence = `differs from the whole reply: ${whereTheyPart(whole.reply, streamed.reply)}`
  return isRepeatable === true
    ? finding('stream', 'fail', evidence, 'Evaluate with --no-stream: the server reads its own stream otherwise.')
    : finding('stream', 'unknown', `${evidence}, but whole replies differ among themselves too`)
}

function usageIn(probe: Probe): string | null | undefined {
  if (probe.kind !== 'reply') return undefined
  const { usage } = probe.reply
  return usage === null ? null : `${usage.prompt} tokens in the prompt, ${usage.completion} in the reply`
}

/** What both say where they first differ: `"fine 😀" there, "fine �" in the stream`. */
function whereTheyPart(whole: Completion, streamed: Completion): string {
  const calls = ({ toolCalls }: Completion): string =>
    JSON.stringify(toolCalls.map(({ name, arguments: args }) => [name, args]))
  const parts = [
    [whole.reasoning, streamed.reasoning],
    [whole.text, streamed.text],
    [calls(whole), calls(streamed)],
  ] as const
  const [one, other] = (parts.find(([left, right]) => left !== right) ?? parts[1]).map((text) => [...text])
  if (one === undefined || other === undefined) return ''
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  const from = Math.max(0, at - BEFORE_DIFFERENCE)
  const around = (text: readonly string[]): string =>
    quotedExcerpt(`${from > 0 ? '…' : ''}${text.slice(from, at + AFTER_DIFFERENCE).join('')}`)
  return `${around(one)} there, ${around(other)} in the stream`
}

const BEFORE_DIFFERENCE = 10
const AFTER_DIFFERENCE = 20

/** Replies at temperature 1. */
export interface SeedProbes {
  readonly first: Probe
  /** With the seed of the first. */
  readonly again: Probe
  /** With two other seeds. */
  readonly others: readonly Probe[]
}

/** Whether the same seed gives the same reply, and other seeds give other replies, so that tries of a task differ. */
export function judgeSeeds({ first, again, others }: SeedProbes): Finding {
  const missing = [first, again].find(({ kind }) => kind !== 'reply')
  if (missing !== undefined && missing.kind !== 'reply')
    return withoutReply('seed', missing, { verdict: 'warn', whatToChange: 'Results will not be reproducible.' })
  if (saySame(first, again) !== true)
    return finding(
      'seed',
      'warn',
      'the same seed gave two replies, at temperature 1',
      'Results are not reproducible: evaluate with --repeat 3 or more, or with temperature 0.',
    )
  const compared = others.map((other) => saySame(first, other))
  if (compared.includes(false))
    return finding('seed', 'ok', 'the same seed gave the same reply twice, another seed another one, at temperature 1')
  if (compared.length < 2 || compared.includes(null))
    return finding('seed', 'ok', 'the same seed gave the same reply twice, at temperature 1')
  return finding('seed', 'warn', 'three seeds gave the same reply, at temperature 1', ALIKE)
}

const ALIKE =
  'Tries of one task will be the same and count as one: --repeat 1 shows as much as --repeat 3. Does the server, or a cache ' +
  'before it, ignore seed or temperature? If the model is only certain, longer tasks will differ.'

/** Whether the markers of a text format arrive, and the server does not read them itself. */
export function judgeMarkers(probe: Probe, { isForceIgnored }: { readonly isForceIgnored: boolean }): Finding {
  if (probe.kind !== 'reply')
    return withoutReply('call-markers', probe, { whatToChange: `Leave the format ${formatId(SERVED_FORMAT)} out.` })
  const { text, toolCalls } = probe.reply
  if (toolCalls.length > 0)
    return finding(
      'call-markers',
      'fail',
      'the server takes calls out of the text although no tools were sent',
      'Switch its tool parser off for this evaluation: text formats are read by callspec.',
    )
  const [mark = ''] = QWEN_AGENT_FORMATS.get(SERVED_FORMAT)?.markers.callStart ?? []
  if (text.includes(mark)) return finding('call-markers', 'ok', `${mark} arrives: ${quotedExcerpt(text)}`)
  if (bareBlocks(text).length > 0 || evalFormat(SERVED_FORMAT).reader.readStrict(text, null).intent)
    return finding(
      'call-markers',
      'warn',
      `a call without its markers: ${quotedExcerpt(text)}`,
      'Does the server strip special tokens? With vLLM, send skip_special_tokens: false as a parameter.',
    )
  const lost = swallowedIn(probe.reply)
  const said = `no call arrived: ${quotedExcerpt(text)}${lost === null ? '' : `; ${swallowedText(lost)}`}`
  return finding(
    'call-markers',
    'unknown',
    said,
    isForceIgnored || lost !== null ? NO_FORCED_CALL : 'Try another model.',
  )
}

/** Whether the server accepts a prompt as a text and the model understands it: the reply ends by itself, or answers it. */
export function judgeRaw(probe: Probe): Finding {
  if (probe.kind === 'late') return late('raw-completions')
  if (probe.kind === 'failure')
    return finding(
      'raw-completions',
      'warn',
      `not available: ${probe.failure.message}`,
      'Evaluate with --api chat, the default.',
    )
  const { text } = probe.reply
  if (text.includes('<|im_start|>'))
    return finding('raw-completions', 'warn', `the model ran on into the next turn: ${quotedExcerpt(text)}`, NO_CHATML)
  if (text.trim() === '') return finding('raw-completions', 'warn', 'the reply is empty', NO_CHATML)
  if (answersPrompt(text))
    return finding('raw-completions', 'ok', `goes on with a ChatML prompt: ${quotedExcerpt(text)}`)
  if (endsByItself(probe.reply))
    return finding('raw-completions', 'ok', `goes on with a ChatML prompt and ends by itself: ${quotedExcerpt(text)}`)
  if (text.includes('<think>') && !text.includes('</think>'))
    return finding('raw-completions', 'unknown', `still thinking when its tokens were used up: ${quotedExcerpt(text)}`)
  return finding('raw-completions', 'warn', `neither ends nor answers the prompt: ${quotedExcerpt(text)}`, NO_CHATML)
}

const NO_CHATML = 'Is it a model whose template is ChatML? If not, evaluate with --api chat, the default.'

/** Only a model that has seen the prompt writes a call or a final answer in the words of its format. */
function answersPrompt(text: string): boolean {
  const { reader } = evalFormat(WORDED_FORMAT)
  return reader.readLenient(text, null).intent || reader.hasFinalForm(text, null)
}

function endsByItself({ finishReason }: Completion): boolean {
  return finishOf(finishReason) === 'stop'
}
