import { finishOf } from '../trace/finish-reason.ts'
import type { NativeCall } from '../trace/completion.ts'
import type { TurnLine } from '../trace/trace.ts'
import { balancedEnd } from '../text/balanced.ts'
import type { AttributionRule } from './attribution.ts'
import { quote } from './quotation.ts'
import type { RenderedPrompts } from './rendered.ts'
import { isSameModel } from './same-model.ts'

/** A reply as it came, and what was asked for. */
export interface Exchange {
  readonly line: TurnLine
  /** What the model is called in requests and reports; empty where that is not known. */
  readonly asked: readonly string[]
  readonly rendered: RenderedPrompts
}

type WayCause = AttributionRule<Exchange>

/** A server, or a proxy before it, that falls back on another model. */
export const OTHER_MODEL: WayCause = {
  id: 'other-model',
  blames: 'server',
  means: 'Another model answered than the one that was asked for.',
  evidence: ({ line: { servedModel = '' }, asked }) =>
    servedModel === '' || asked.length === 0 || asked.some((name) => isSameModel(name, servedModel))
      ? null
      : `asked for ${quote(asked.at(-1) ?? '')}, answered by ${quote(servedModel)}`,
}

/** A tool parser that reads the name and loses what stands behind it. */
export const ARGUMENTS_SWALLOWED: WayCause = {
  id: 'arguments-swallowed',
  blames: 'server',
  means: 'The server counted far more tokens than it gave, and the arguments of a call are empty or break off.',
  evidence: ({ line }) => {
    const lost = line.toolCalls.find(isWithoutArguments)
    const counted = (line.usage?.completion ?? 0) - (line.usage?.reasoning ?? 0)
    const most = mostTokens(line)
    return lost === undefined || counted <= most || finishOf(line.finishReason) === 'length'
      ? null
      : `usage counts ${counted} tokens, what arrived takes ${most} at most, and the arguments of ${quote(lost.name)} are ${quote(lost.arguments)}`
  },
}

/** A chat template without tools, or without a system turn. */
export const PROMPT_NOT_RENDERED: WayCause = {
  id: 'prompt-not-rendered',
  blames: 'server',
  means: 'The server counted fewer prompt tokens than the messages and the tools take: its template leaves some out.',
  evidence: ({ line, rendered }) => rendered.lacksPrompt(line.turn),
}

/** A chat template without a turn for results, or a context that is cut at its beginning. */
export const RESULTS_NOT_RENDERED: WayCause = {
  id: 'results-not-rendered',
  blames: 'server',
  means: 'The prompt did not grow by the results: the template of the server leaves them out, or it cuts the prompt.',
  evidence: ({ line, rendered }) => rendered.lacksResults(line.turn),
}

/**
 * What happens on the way and can be seen without reading the reply, so that it explains a turn that cannot be used as well
 * as an episode whose turns all can: a wrong answer of another model is not the model's.
 */
export const WAY_CAUSES: readonly WayCause[] = [
  OTHER_MODEL,
  ARGUMENTS_SWALLOWED,
  PROMPT_NOT_RENDERED,
  RESULTS_NOT_RENDERED,
]

function isWithoutArguments({ arguments: text }: NativeCall): boolean {
  const json = text.trim()
  return (
    json === '' || json === 'null' || /^\{\s*\}$/.test(json) || (json.startsWith('{') && balancedEnd(json, 0) === null)
  )
}

/** What a format puts round a call, generously. */
const ROUND_A_CALL = 24

/** More tokens than any tokenizer makes of what arrived: two characters each, or one and a half of them for one that is not ASCII. */
function mostTokens({ text, reasoning, toolCalls, usage }: TurnLine): number {
  const thought = usage?.reasoning === undefined ? reasoning : ''
  const all = [text, thought, ...toolCalls.flatMap((call) => [call.name, call.arguments])].join('')
  const others = all.match(/[^\p{ASCII}]/gu)?.length ?? 0
  return Math.ceil((all.length - others) / 2 + others * 1.5) + ROUND_A_CALL * toolCalls.length
}
