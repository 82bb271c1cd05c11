import { splitThought } from '../reading/read-blocks.ts'
import { parsedJson } from '../text/json.ts'
import { quotedExcerpt } from '../text/excerpt.ts'
import { plural } from '../text/text.ts'
import type { Completion } from '../trace/completion.ts'
import type { ToolSpec } from '../trace/task.ts'
import type { CallProbes } from './ask-calls.ts'
import type { Finding } from './finding.ts'
import { finding } from './finding.ts'
import { isCut, repliesOf } from './prober.ts'

/** What a reader makes of the text of a model: the answer that a server with this reader would give. */
export interface PredictedReply {
  readonly content: string
  readonly reasoning: string
  readonly calls: readonly PredictedCall[]
  /** Why the reader refuses the text, in one line; null if it reads it. */
  readonly raised: string | null
}

/** A predicted call; the arguments are JSON. */
export interface PredictedCall {
  readonly name: string
  readonly arguments: string
}

/** Predicts an answer from the text that a model wrote after a prompt. */
export type PredictReply = (
  text: string,
  given: { readonly prompt: string; readonly tools: readonly ToolSpec[] },
) => PredictedReply

/**
 * Compares the answers of a server with those that a reader predicts: the reader reads the greedy continuation of the server's own prompt.
 *
 * @param isRepeatable whether greedy replies are the same twice; null if unknown
 */
export function judgePredicted(
  { auto, raw }: CallProbes,
  predict: PredictReply,
  { tools, isRepeatable }: { readonly tools: readonly ToolSpec[]; readonly isRepeatable: boolean | null },
): Finding {
  const found = finding.bind(null, 'response-template')
  const replies = repliesOf(auto).filter(({ reply }) => !isCut(reply))
  if (replies.length === 0) return found('unknown', 'no whole reply arrived to compare with')
  if (raw === null || raw.prompt === null)
    return found(
      'unknown',
      'the text of the model is not known: the server does not show its prompt, or takes none at /completions',
    )
  if (isCut(raw.reply)) return found('unknown', 'the text of the model was cut off')
  const predicted = predict(raw.reply.text, { prompt: raw.prompt, tools })
  if (predicted.raised !== null)
    return found(
      'warn',
      `it refuses what the model writes (${predicted.raised.slice(0, 120)}): ${quotedExcerpt(raw.reply.text)}`,
      CORRECT,
    )
  if (predicted.calls.length === 0 && raw.call === null && replies.some(({ reply }) => reply.toolCalls.length > 0))
    return found(
      'unknown',
      'the server answers with a call, and its text at /completions has none: special tokens may be left out there',
    )
  for (const { where, reply } of replies) {
    const difference = differenceBetween(predicted, reply)
    if (difference === null) continue
    if (isRepeatable === true) return found('warn', `${where}${difference}`, CHANGE)
    return found('unknown', `${where}${difference}; greedy replies of this server differ from each other, too`)
  }
  return found(
    'ok',
    `the server answers as it predicts: ${shown(predicted.calls)}, ${predicted.content.trim() === '' ? 'no text' : 'text'}`,
  )
}

const CORRECT =
  'Correct the response template, or its patterns; callspec template parse shows what it makes of this text.'
const CHANGE =
  'Give the server this response template (vLLM: --tool-call-parser response_template --reasoning-parser response_template), or correct it.'

/** Null if they agree: calls by their JSON values, texts without the white space around them. */
function differenceBetween(predicted: PredictedReply, { toolCalls, text, reasoning }: Completion): string | null {
  const [wanted, got] = [predicted.calls.map(callText), toolCalls.map(callText)]
  if (wanted.join('\n') !== got.join('\n'))
    return `the template reads ${shown(predicted.calls)}, the server answers ${shown(toolCalls)}`
  const { visible, thought } = splitThought(text)
  if (predicted.content.trim() !== visible.trim())
    return `the template reads the text ${quotedExcerpt(predicted.content.trim())}, the server answers ${quotedExcerpt(visible.trim())}`
  const given = `${reasoning}${thought}`.trim()
  return predicted.reasoning.trim() === given
    ? null
    : `the template reads the thought ${quotedExcerpt(predicted.reasoning.trim())}, the server answers ${quotedExcerpt(given)}`
}

function callText({ name, arguments: given }: PredictedCall): string {
  const value = parsedJson(given)
  return `${name} ${value === undefined ? given : JSON.stringify(value)}`
}

function shown(calls: readonly PredictedCall[]): string {
  const [first] = calls
  if (first === undefined) return 'no call'
  return calls.length === 1 ? `the call ${quotedExcerpt(callText(first))}` : plural(calls.length, 'call')
}
