import type { Completion } from '../client/completion.ts'
import { excerpt } from '../client/failure.ts'
import { finishOf } from '../client/finish-reason.ts'
import { nousDialect } from '../protocols/nous.ts'
import { finding } from './finding.ts'
import type { Check, Finding } from './finding.ts'
import type { Probe } from './probes.ts'

/** Whether a plain chat request is answered. */
export function judgeChat(probe: Probe): Finding {
  if (probe.kind !== 'reply') return withoutReply('chat', probe, 'Look at the log of the server.')
  const { reply } = probe
  const said = `${reply.text}${reply.reasoning}`
  if (said.trim() === '') return finding('chat', 'warn', 'the reply is empty', 'Try another prompt or model by hand.')
  const oddities = reply.warnings.length === 0 ? '' : `; odd: ${reply.warnings.join(', ')}`
  const evidence = `answered in ${Math.round(reply.ms)} ms: ${quoted(said)}${oddities}`
  if (finishOf(reply.finishReason) === 'unknown')
    return finding('chat', 'warn', `${evidence}; the finish reason is ${JSON.stringify(reply.finishReason)}`, NO_REASON)
  return finding('chat', 'ok', evidence)
}

const NO_REASON = 'Replies that were cut at the token limit will not be told from others. Is the server up to date?'

/** Whether tokens are counted, in whole replies and in streams. */
export function judgeUsage(whole: Probe, streamed: Probe): Finding {
  const [one, other] = [usageIn(whole), usageIn(streamed)]
  if (one === undefined && other === undefined) return finding('usage', 'unknown', 'there is no reply to look at')
  if (one === null && other !== null && other !== undefined)
    return finding('usage', 'warn', 'only streams tell it', 'Evaluate with streaming, which is the default.')
  if (one === null) return finding('usage', 'warn', 'the server tells no usage', 'Tokens and cost will be unknown.')
  if (other === null)
    return finding(
      'usage',
      'warn',
      'streams do not tell it (stream_options.include_usage)',
      'Evaluate with --no-stream.',
    )
  return finding('usage', 'ok', one ?? other ?? '')
}

/** Whether a stream says what a whole reply says. `isRepeatable`: whether whole replies say the same twice; null if unknown. */
export function judgeStream(whole: Probe, streamed: Probe, isRepeatable: boolean | null): Finding {
  if (streamed.kind !== 'reply') return withoutReply('stream', streamed, 'Evaluate with --no-stream.')
  if (whole.kind !== 'reply') return finding('stream', 'unknown', 'there is no whole reply to compare with')
  if (streamed.reply.warnings.includes('not-streamed'))
    return finding(
      'stream',
      'warn',
      'the reply came whole',
      'Nothing, unless you want to know when the first token came.',
    )
  const [one, other] = [saidIn(whole.reply), saidIn(streamed.reply)]
  if (one === other) {
    const { chunks } = streamed.reply
    return finding(
      'stream',
      'ok',
      `equal to the whole reply${chunks === undefined ? '' : `, in ${chunks.length} chunks`}`,
    )
  }
  const evidence = `differs from the whole reply at character ${firstDifference(one, other)}`
  return isRepeatable === true
    ? finding('stream', 'fail', evidence, 'Evaluate with --no-stream: the server reads its own stream otherwise.')
    : finding('stream', 'unknown', `${evidence}, but whole replies differ among themselves too`)
}

/** Whether the same request with the same seed gets the same reply. */
export function judgeSeed(first: Probe, second: Probe): Finding {
  if (first.kind !== 'reply') return withoutReply('seed', first, 'Results will not be reproducible.')
  if (second.kind !== 'reply') return withoutReply('seed', second, 'Results will not be reproducible.')
  if (saidIn(first.reply) === saidIn(second.reply))
    return finding('seed', 'ok', 'the same seed gave the same reply twice, at temperature 1')
  return finding(
    'seed',
    'warn',
    'the same seed gave two replies, at temperature 1',
    'Results are not reproducible: evaluate with --repeat 3 or more, or with temperature 0.',
  )
}

/** A word from the middle of a reply, which the server is then told to stop at; null where there is none. */
export function stopWordFor(probe: Probe): string | null {
  if (probe.kind !== 'reply') return null
  const { text } = probe.reply
  const words = [...text.slice(0, 2000).matchAll(/[A-Za-z]{4,}/g)]
  const middle = words.filter(({ 0: word, index }) => text.indexOf(word) === index && index > 0)
  return middle[Math.floor(middle.length / 2)]?.[0] ?? null
}

/** Whether the server stops at a word that stood in the middle of its reply. */
export function judgeStop(plain: Probe, word: string | null, stopped: Probe): Finding {
  if (plain.kind !== 'reply' || word === null)
    return finding('stop-words', 'unknown', 'there is no text to stop in', 'Ask the model by hand, with "stop".')
  if (stopped.kind !== 'reply') return withoutReply('stop-words', stopped, 'Evaluate with --stops off.')
  const { text } = stopped.reply
  const at = text.indexOf(word)
  if (at >= 0 && text.slice(at + word.length).trim() === '')
    return finding(
      'stop-words',
      'warn',
      `the server stopped at ${JSON.stringify(word)} and left it in the text`,
      'Nothing: it is cut off once and flagged. With vLLM, see include_stop_str_in_output.',
    )
  if (at >= 0)
    return finding(
      'stop-words',
      'fail',
      `the text went on behind ${JSON.stringify(word)}: ${quoted(text.slice(at))}`,
      'ReAct and fncall-qwen rely on them. Evaluate with --stops off, so that the report says it, or change the server.',
    )
  if (plain.reply.text.startsWith(text.trimEnd()) && text.length < plain.reply.text.length)
    return finding('stop-words', 'ok', `stopped at ${JSON.stringify(word)}`)
  return finding('stop-words', 'unknown', `the reply was another one, without ${JSON.stringify(word)} in it`)
}

/** Whether the server reads calls itself when it is sent tools. */
export function judgeNative(probe: Probe): Finding {
  if (probe.kind === 'failure')
    return finding('native-calls', 'warn', `tools are refused: ${probe.failure.message}`, PARSER)
  if (probe.kind === 'late') return late('native-calls')
  const { toolCalls, text } = probe.reply
  const [call] = toolCalls
  if (call !== undefined) {
    const seen = `${call.name}(${quoted(call.arguments)})`
    return isJson(call.arguments)
      ? finding('native-calls', 'ok', `the server reads calls: ${seen}`)
      : finding('native-calls', 'warn', `the arguments are no JSON: ${seen}`, PARSER)
  }
  if (nousDialect.readLenient(text, null).intent)
    return finding('native-calls', 'fail', `the call was left in the text: ${quoted(text)}`, PARSER)
  return finding('native-calls', 'unknown', `the model made no call: ${quoted(text)}`, 'Try another model.')
}

const PARSER =
  'Give the server a tool parser (vLLM: --enable-auto-tool-choice --tool-call-parser hermes), or leave the protocol native out.'

/** Whether the marks of a text protocol come through, and nobody reads them but us. */
export function judgeMarkers(probe: Probe): Finding {
  if (probe.kind !== 'reply') return withoutReply('call-markers', probe, 'Leave the protocol fncall-nous out.')
  const { text, toolCalls } = probe.reply
  if (toolCalls.length > 0)
    return finding(
      'call-markers',
      'fail',
      'the server takes calls out of the text although no tools were sent',
      'Switch its tool parser off for this evaluation: text protocols are read by callspec.',
    )
  const strict = nousDialect.readStrict(text, null)
  if (text.includes('<tool_call>')) return finding('call-markers', 'ok', `<tool_call> came through: ${quoted(text)}`)
  if (strict.intent)
    return finding(
      'call-markers',
      'warn',
      `a call without its marks: ${quoted(text)}`,
      'Does the server strip special tokens? With vLLM, send skip_special_tokens: false as a parameter.',
    )
  return finding('call-markers', 'unknown', `the model made no call: ${quoted(text)}`, 'Try another model.')
}

/** Whether a prompt can be sent as a text. */
export function judgeRaw(probe: Probe): Finding {
  if (probe.kind === 'reply') {
    const { text } = probe.reply
    return text.includes('<|im_start|>')
      ? finding('raw-completions', 'warn', `the model ran on into the next turn: ${quoted(text)}`, NO_CHATML)
      : finding('raw-completions', 'ok', `goes on with a ChatML prompt: ${quoted(text)}`)
  }
  if (probe.kind === 'late') return late('raw-completions')
  return finding(
    'raw-completions',
    'warn',
    `not available: ${probe.failure.message}`,
    'Evaluate with --api chat, the default.',
  )
}

const NO_CHATML = 'Is it a model whose template is ChatML? If not, evaluate with --api chat, the default.'

/** Whether two replies say the same; null where one is missing. */
export function saySame(first: Probe, second: Probe): boolean | null {
  if (first.kind !== 'reply' || second.kind !== 'reply') return null
  return saidIn(first.reply) === saidIn(second.reply)
}

function withoutReply(check: Check, probe: Exclude<Probe, { kind: 'reply' }>, whatToChange: string): Finding {
  return probe.kind === 'late' ? late(check) : finding(check, 'fail', probe.failure.message, whatToChange)
}

function late(check: Check): Finding {
  return finding(check, 'unknown', 'not looked at: no time was left, or there was nothing to look at')
}

function usageIn(probe: Probe): string | null | undefined {
  if (probe.kind !== 'reply') return undefined
  const { usage } = probe.reply
  return usage === null ? null : `${usage.prompt} tokens in the prompt, ${usage.completion} in the reply`
}

function saidIn({ text, reasoning, toolCalls }: Completion): string {
  return JSON.stringify([reasoning, text, toolCalls.map(({ name, arguments: args }) => [name, args])])
}

function firstDifference(one: string, other: string): number {
  let at = 0
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1
  return at
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function quoted(text: string): string {
  return JSON.stringify(excerpt(text.slice(0, 80)))
}
