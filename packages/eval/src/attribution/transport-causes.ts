import { balancedEnd } from '@callspec/python'
import { finishOf } from '../trace/completion.ts'
import type { NativeCall } from '../trace/completion.ts'
import { countedTokens, mostTokens, swallowedIn } from '../reading/swallowed.ts'
import { quote } from './quotation.ts'
import { areMadeUp } from './rendered.ts'
import type { EpisodeTrace, TurnLine } from '../trace/trace.ts'
import type { CountName, LostTexts, TransportCause } from './attribution.ts'

/**
 * Whether two names may stand for one model: `org/name` and `name`, a path to a file, capitals, a date or a build behind the
 * name, a quantisation, a tag such as `:latest`. What is left is compared letter by letter, so `mini` and `8b` count. A name
 * that names no model (`default`) may be anything.
 */
export function isSameModel(one: string, other: string): boolean {
  if (one === other) return true
  const [left, right] = [bareName(one), bareName(other)]
  return left === right || NAMELESS.has(left) || NAMELESS.has(right)
}

/** What users and servers write where a name is wanted and none is needed. */
const NAMELESS: ReadonlySet<string> = new Set([
  ...['', 'default', 'model', 'auto', 'local', 'localmodel', 'llm', 'tgi', 'vllm', 'openrouterauto'],
])

/** Parts of a name that tell a build, a file or a route of a model, and not another model. */
const BUILD =
  /^(?:\d{4,8}|0\d\d|latest|preview|exp|beta|free|gguf|safetensors|bin|awq|gptq|exl2|mlx|bnb|hf|it|instruct|chat|fp\d+|bf16|int[48]|[48]bit|w\da\d+)$/
/** How llama.cpp spells a quantisation, with its size: `Q4_K_M`. */
const QUANTISATION = /[-_.](?:ud-)?i?q\d(?:_[a-z0-9]{1,3}){0,3}(?![a-z0-9])/

function bareName(name: string): string {
  const last =
    name
      .trim()
      .toLowerCase()
      .slice(0, LONGEST)
      .replace(/[\\/]+$/, '')
      .split(/[\\/]/)
      .at(-1) ?? ''
  const undated = last.replace(/[-_@](?:19|20)\d\d-\d\d-\d\d(?!\d)/, '').replace(QUANTISATION, '')
  const parts = undated.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== '')
  const kept = parts.filter((part, at) => at === 0 || !BUILD.test(part))
  return kept.join('')
}

/** Names are hostile too. */
const LONGEST = 400

/** A server, or a proxy before it, that falls back on another model. */
export const OTHER_MODEL: TransportCause = {
  id: 'other-model',
  blames: 'server',
  means: 'Another model answered than the one that was asked for.',
  evidence: ({ line: { servedModel = '' }, asked }) =>
    servedModel === '' || asked.length === 0 || asked.some((name) => isSameModel(name, servedModel))
      ? null
      : `asked for ${quote(asked.at(-1) ?? '')}, answered by ${quote(servedModel)}`,
}

/** A tool parser that drops a call which it cannot read. That it was a call and not a thought shows where one had to come. */
export const CALL_SWALLOWED: TransportCause = {
  id: 'call-swallowed',
  blames: 'server',
  restsOn: 'completion',
  means: 'The request forces a call, none arrived, and the server counted far more tokens than it gave.',
  evidence: ({ line, lost }) => (lost.forcesCall ? lostText(line, lost) : null),
}

/** A server that withholds a part of a reply. Where all replies of a row count too much, nothing shows whether it is a call or a thought. */
export const TEXT_SWALLOWED: TransportCause = {
  id: 'text-swallowed',
  blames: 'server',
  restsOn: 'completion',
  means:
    'The server counted far more tokens than it gave, and no call arrived: it withholds text, a call or a thought.',
  evidence: ({ line, lost }) => lostText(line, lost),
}

function lostText(line: TurnLine, lost: LostTexts): string | null {
  const swallowed = lost.of(line.turn)
  if (swallowed === null) return null
  const { counted, most, arrived } = swallowed
  return arrived === 0
    ? `usage counts ${counted} tokens, but text, reasoning and tool_calls are empty`
    : `usage counts ${counted} tokens, what arrived takes ${most} at most: ${quote(line.text)}`
}

/** A tool parser that reads the name and loses what stands behind it. */
export const ARGUMENTS_SWALLOWED: TransportCause = {
  id: 'arguments-swallowed',
  blames: 'server',
  restsOn: 'completion',
  means: 'The server counted far more tokens than it gave, and the arguments of a call are empty or break off.',
  evidence: ({ line }) => {
    const lost = line.toolCalls.find(isWithoutArguments)
    const counted = countedTokens(line)
    const most = mostTokens(line)
    return lost === undefined || counted <= most || finishOf(line.finishReason) === 'length'
      ? null
      : `usage counts ${counted} tokens, what arrived takes ${most} at most, and the arguments of ${quote(lost.name)} are ${quote(lost.arguments)}`
  },
}

/** A chat template without tools, or without a system turn. */
export const PROMPT_NOT_RENDERED: TransportCause = {
  id: 'prompt-not-rendered',
  blames: 'server',
  restsOn: 'prompt',
  means: 'The server counted fewer prompt tokens than the messages and the tools take: its template leaves some out.',
  evidence: ({ line, rendered }) => rendered.lacksPrompt(line.turn),
}

/** A chat template without a turn for results, or a context that is cut at its beginning. */
export const RESULTS_NOT_RENDERED: TransportCause = {
  id: 'results-not-rendered',
  blames: 'server',
  restsOn: 'prompt',
  means: 'The prompt did not grow by the results: the template of the server leaves them out, or it cuts the prompt.',
  evidence: ({ line, rendered }) => rendered.lacksResults(line.turn),
}

/**
 * What happens on the way and can be seen without reading the reply, so that it explains a turn that cannot be used as well
 * as an episode whose turns all can: a wrong answer of another model is not the model's.
 */
export const TRANSPORT_CAUSES: readonly TransportCause[] = [
  OTHER_MODEL,
  CALL_SWALLOWED,
  TEXT_SWALLOWED,
  ARGUMENTS_SWALLOWED,
  PROMPT_NOT_RENDERED,
  RESULTS_NOT_RENDERED,
]

/** The count that a cause rests on, by its id. */
export const RESTS_ON: ReadonlyMap<string, CountName> = new Map(
  TRANSPORT_CAUSES.flatMap(({ id, restsOn }) => (restsOn === undefined ? [] : [[id, restsOn] as const])),
)

/** What the counts of an episode show, as `Exchange` has it. */
export function lostTextsOf(
  { turns, calls }: Pick<EpisodeTrace, 'turns' | 'calls'>,
  { forcesCall }: Pick<LostTexts, 'forcesCall'>,
): LostTexts {
  const called = new Set(calls.map(({ turn }) => turn))
  const isWhole = (line: TurnLine): boolean => called.has(line.turn) && !line.toolCalls.some(isWithoutArguments)
  let proves: boolean | null = null
  return {
    forcesCall,
    of: (turn) => {
      const line = turns[turn]
      if (line === undefined || line.failure !== null || line.toolCalls.length > 0 || called.has(turn)) return null
      proves ??= !areMadeUp(turns) && !turns.some((each) => isWhole(each) && swallowedIn(each) !== null)
      return proves ? swallowedIn(line) : null
    },
  }
}

/**
 * Whether a reply that did what was asked counts more tokens than it can take: the server hides thoughts, or makes its counts up, so
 * that too many tokens prove nothing in its other replies.
 */
export function countsTooMany({ turns, calls }: Pick<EpisodeTrace, 'turns' | 'calls'>, success: boolean): boolean {
  const called = new Set(calls.map(({ turn }) => turn))
  return turns.some(
    (line) =>
      (success || called.has(line.turn)) &&
      line.failure === null &&
      !line.toolCalls.some(isWithoutArguments) &&
      swallowedIn(line) !== null,
  )
}

function isWithoutArguments({ arguments: text }: NativeCall): boolean {
  const json = text.trim()
  return (
    json === '' || json === 'null' || /^\{\s*\}$/.test(json) || (json.startsWith('{') && balancedEnd(json, 0) === null)
  )
}
