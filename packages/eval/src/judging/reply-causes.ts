import { balancedEnd } from '@callspec/python'
import { finishOf } from '../trace/completion.ts'
import { foreignCall } from '../reading/foreign-calls.ts'
import { isUsable } from '../score/scores.ts'
import { labelTurn } from '../score/label-turn.ts'
import type { AttributionRule, FailedTurn, EpisodeCause, ReplyExchange, TransportCause } from './attribution.ts'
import { at, quote, offsetIn, tailOf } from './attribution.ts'
import { textCall, leftCall } from './parse-failure.ts'
import { hasCalls } from '../score/view-turn.ts'
import type { TurnLine } from '../trace/trace.ts'
import { outsideCode } from '../reading/read-blocks.ts'
import { isRecord, objectIn } from '../text/json.ts'
import { TRANSPORT_CAUSES } from './transport-causes.ts'
import type { EvalFormat } from '../formats/eval-format.ts'

/**
 * A server that was to read the calls has no parser, or one for another format than the model's. A call that no parser could
 * read is not left in the text by the server alone, so it stays the model's.
 */
export const CALL_LEFT_IN_TEXT: AttributionRule<FailedTurn> = {
  id: 'call-left-in-text',
  blames: 'server',
  means:
    'The server was to read the calls, and left one in the text that can be read: its tool parser is missing, or another.',
  evidence: ({ input, views: { strict } }) => {
    if (input.format.reader.callBlocks === undefined || hasCalls(strict.reading)) return null
    const found = leftCall(strict.readable)
    if (found === null) return null
    const offset = offsetIn(input.text, strict.visible.slice(found.start))
    return `tool_calls is empty, the text holds what looks like ${found.format}, ${at(input.text, offset)}`
  },
}

/** The prompt asks for the format, so the model chose another; the host takes such a call for an answer. */
export const OTHER_FORMAT_SPOKEN: EpisodeCause = {
  id: 'wrong-protocol',
  blames: 'model',
  means: 'The episode ends in a call of another format, which the host takes for an answer.',
  evidence: ({ format, trace }) => {
    const text = trace.turns.at(-1)?.text ?? ''
    if (format.reader.callBlocks !== undefined || foreignCall(text)?.isWhole !== true) return null
    const found = leftCall(text)
    return found === null ? null : `not ${format.id}, what looks like ${found.format}, ${at(text, found.start)}`
  },
}

type ReplyCause = AttributionRule<FailedTurn>

/** The stream ended without a finish reason: what is missing was lost on the way. */
export const CUT_WITHOUT_END: ReplyCause = {
  id: 'cut-without-end',
  blames: 'server',
  means: 'The reply breaks off, and no finish reason says that it has come to its end.',
  evidence: (turn) => {
    const { line, input } = turn
    if (!lacksEnd(line) || (!breaksOff(turn) && !(isBlankReply(line) && line.usage === null))) return null
    return `there is no finish_reason, and the reply ends in ${tailOf(line.toolCalls.at(-1)?.arguments ?? input.text)}`
  },
}

/** The letters of the marks came, the marks did not. */
export const MARKS_EATEN: ReplyCause = {
  id: 'marks-eaten',
  blames: 'server',
  means: 'The call has everything but its ✿ marks: the server takes them for special tokens and leaves them out.',
  evidence: ({ input }) => {
    const place = input.format.reader.eatenAt?.(input.text) ?? null
    return place === null ? null : `what is left of ✿FUNCTION✿ and ✿ARGS✿ is ${at(input.text, place)}`
  },
}

/** A good reply arrived as reasoning. */
export const REPLY_IN_REASONING: ReplyCause = {
  id: 'reply-in-reasoning',
  blames: 'server',
  means: 'The whole reply came as reasoning, and the text is empty.',
  evidence: ({ line, input }) =>
    isAllReasoning(line) && endsInReply(input, line.reasoning.trimEnd())
      ? `the text is empty, and the reasoning ends in ${tailOf(line.reasoning)}`
      : null,
}

/** Whether nothing says why a reply has ended. */
export function lacksEnd({ finishReason, failure }: TurnLine): boolean {
  return failure === null && finishOf(finishReason) === 'unknown' && (finishReason ?? '').trim() === ''
}

/** Whether a reply is reasoning and nothing else, and came to its end. */
export function isAllReasoning({ text, toolCalls, reasoning, finishReason }: TurnLine): boolean {
  const isSilent = text.trim() === '' && toolCalls.length === 0
  return isSilent && reasoning.trim() !== '' && finishOf(finishReason) !== 'length'
}

function isBlankReply({ text, reasoning, toolCalls }: TurnLine): boolean {
  return text.trim() === '' && reasoning.trim() === '' && toolCalls.length === 0
}

/** Whether a text ends inside its last call: marks without their end, or JSON that is not closed. */
function breaksOff({ views: { strict } }: FailedTurn): boolean {
  const last = strict.blocks.at(-1)
  if (last === undefined) return endsInMark(strict.visible) || endsInJson(strict.visible)
  // A close tag ends the call, even if its JSON is broken.
  return last.repairs.includes('close-tag') || (!isClosed(last.json) && !strict.visible.trimEnd().endsWith('>'))
}

function endsInMark(text: string): boolean {
  return /(?:<\/?t?o?o?l?_?c?a?l?l?>?|✿F?U?N?C?T?I?O?N?|(?:^|\n)Action(?: Input)?:?[^\n]{0,80})\s*$/.test(
    text.slice(-120),
  )
}

function endsInJson(text: string): boolean {
  const start = text.indexOf('{')
  return start >= 0 && balancedEnd(text, start) === null
}

function isClosed(json: string): boolean {
  const start = json.search(/[{[]/)
  return start >= 0 && balancedEnd(json, start) !== null
}

/** Whether the reasoning is a reply of the format: a call that ends it, or the mark of a final answer. */
function endsInReply(input: FailedTurn['input'], reasoning: string): boolean {
  const { reader } = input.format
  if (reader.callBlocks !== undefined) {
    const holdsCall = foreignCall(reasoning)?.isWhole === true || textCall(reasoning) !== null
    return holdsCall && /[>\]})|]$/.test(reasoning)
  }
  const question = input.question ?? null
  const score = labelTurn({ ...input, text: reasoning, reasoning: null })
  if (!isUsable(score)) return false
  if (score.strict !== 'well_formed') return reader.saysWhenDone && reader.hasFinalForm(reasoning, question)
  const end = reader.blocks(reasoning).at(-1)?.end ?? reasoning.length
  return reasoning.slice(end).trim() === ''
}

/** What a server or a gateway made of a reply, where the reply itself shows it: causes of turns and of episodes. */
export const CHANGED_REPLY_CAUSES: readonly TransportCause[] = [
  {
    id: 'error-as-reply',
    blames: 'server',
    means: 'The reply is an error of a server, handed on with status 200.',
    evidence: ({ line }) => (line.toolCalls.length === 0 && isError(line.text.trim()) ? quote(line.text.trim()) : null),
  },
  {
    id: 'call-without-name',
    blames: 'server',
    means: 'A call arrived without the name of its tool.',
    evidence: ({ line: { toolCalls } }) => {
      const index = toolCalls.findIndex(({ name }) => name.trim() === '')
      return index < 0
        ? null
        : `tool_calls[${index}].name is "", its arguments ${quote(toolCalls[index]?.arguments ?? '')}`
    },
  },
  {
    id: 'calls-merged',
    blames: 'server',
    means: 'The arguments of several calls arrived as one text.',
    evidence: ({ line: { toolCalls } }) => {
      for (const [index, { arguments: text }] of toolCalls.entries()) {
        const second = secondObject(text)
        if (second !== null) return `tool_calls[${index}].arguments hold a second object, ${at(text, second)}`
      }
      return null
    },
  },
  {
    id: 'text-escaped',
    blames: 'server',
    means: 'The text is escaped as HTML: without the escapes it is a call.',
    evidence: (exchange) => changedCall(exchange, withoutEntities, /&(?:lt|gt|quot|amp|#\d)/),
  },
  {
    id: 'text-garbled',
    blames: 'server',
    means: 'The text was decoded with the wrong character set: as UTF-8 it is a call.',
    evidence: (exchange) => changedCall(exchange, ungarbled, /[\u00c2-\u00f4][\u0080-\u2122]/),
  },
]

const HTTP_ERROR =
  /^(?:\W{0,2}(?:upstream\s+)?(?:error|http(?:\/[\d.]+)?|status(?: code)?)\W{0,3})?(?:429|5\d\d)\b\W{0,3}(?:bad gateway|service (?:temporarily )?unavailable|gateway time-?out|internal server error|too many requests)(?=\s*(?:$|[:.,;(<\n-]))/i
const PROXY_ERROR =
  /^(?:(?:internal server error|bad gateway|service unavailable|gateway time-?out|upstream (?:request timeout|error)|no healthy upstream)(?=\s*(?:$|[:.,;(<\n-]))|upstream connect error or )/i
const ERROR_PAGE =
  /^<(?:!doctype html|html)\b[^]{0,400}<title>[^<]{0,80}(?:\b[45]\d\d\b|bad gateway|unavailable|time-?out|server error)/i
/** A longer text that begins with such words is about an error. */
const LONGEST_ERROR = 400

function isError(text: string): boolean {
  if (ERROR_PAGE.test(text.slice(0, 1000))) return true
  if (text.length > 4 * LONGEST_ERROR) return false
  if (text.startsWith('{')) return isErrorObject(text)
  return text.length <= LONGEST_ERROR && (HTTP_ERROR.test(text) || PROXY_ERROR.test(text))
}

/** As OpenAI-style servers write errors; tools give theirs as texts. */
function isErrorObject(text: string): boolean {
  const error = objectIn(text)?.['error']
  if (!isRecord(error) || typeof error['message'] !== 'string') return false
  return 'type' in error || 'code' in error || 'status' in error
}

/** Where the second of several JSON objects begins that follow each other in one text; null for none. */
function secondObject(text: string): number | null {
  const start = text.search(/\S/)
  const end = start < 0 || text[start] !== '{' ? null : balancedEnd(text, start)
  if (end === null) return null
  const second = end + text.slice(end).search(/\S/)
  if (second < end || text[second] !== '{') return null
  const isWhole = [text.slice(start, end), text.slice(second, balancedEnd(text, second) ?? second)].every(
    (json) => objectIn(json) !== null,
  )
  return isWhole ? second : null
}

/** Quotes the text where what it was before is another call, or the only one. */
function changedCall(
  { format, line }: ReplyExchange,
  restore: (text: string) => string | null,
  sign: RegExp,
): string | null {
  const { text } = line
  const place = text.search(sign)
  if (place < 0 || line.toolCalls.length > 0) return null
  const restored = restore(text)
  const was = restored === null ? null : formatOfCall(restored, format)
  return was === null || was === formatOfCall(text, format) ? null : at(text, place)
}

/** The format in which a text holds a call; null where it holds none. */
function formatOfCall(text: string, { name, reader }: EvalFormat): string | null {
  if (reader.callBlocks !== undefined) return leftCall(outsideCode(text))?.format ?? null
  return hasCalls(reader.readStrict(text, null)) ? name : null
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&', '#34': '"', '#39': "'" }

function withoutEntities(text: string): string {
  return text.replaceAll(/&(lt|gt|quot|amp|#34|#39);/g, (_, name: string) => ENTITIES[name] ?? '')
}

/** Where Windows-1252 differs from Latin-1, by byte from 0x80 on; what it leaves out stands for itself. */
const WINDOWS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

/** The text that was UTF-8 and was read byte by byte; null where it was not. */
function ungarbled(text: string): string | null {
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    const windows = code < 0x100 ? -1 : WINDOWS.indexOf(text.charAt(index))
    if (code >= 0x100 && windows < 0) return null
    bytes[index] = windows < 0 ? code : 0x80 + windows
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/** What happened on the way to an episode whose turns can all be used: each is a cause of turns as well. */
export const TRANSPORT_EPISODE_CAUSES: readonly EpisodeCause[] = [
  ...[...CHANGED_REPLY_CAUSES, ...TRANSPORT_CAUSES].map(({ id, blames, means, evidence }): EpisodeCause => ({
    ...{ id, blames, means },
    evidence: ({ trace: { turns }, format, asked, rendered, lost, damaged }) => {
      for (const line of turns) {
        const found = evidence({ line, format, asked, rendered, lost, damaged })
        if (found !== null) return found
      }
      return null
    },
  })),
  {
    id: REPLY_IN_REASONING.id,
    blames: 'server',
    means: 'The answer came as reasoning, as nothing before it did, and the text is empty.',
    evidence: ({ trace: { turns }, wouldPass }) => {
      const last = turns.at(-1)
      if (last === undefined || !isAllReasoning(last) || !wouldPass(last.reasoning)) return null
      // A server that separated reasoning from text before can do it: then the model wrote no answer.
      const isApart = turns.some(
        ({ text, toolCalls, reasoning }) => reasoning !== '' && (text !== '' || toolCalls.length > 0),
      )
      return isApart ? null : `the text is empty, and the reasoning ends in ${tailOf(last.reasoning)}`
    },
  },
  {
    id: CUT_WITHOUT_END.id,
    blames: 'server',
    means: 'The answer breaks off, and neither a finish reason nor a usage says that it has come to its end.',
    evidence: ({ trace: { turns } }) => {
      const last = turns.at(-1)
      return last !== undefined &&
        lacksEnd(last) &&
        last.usage === null &&
        UNFINISHED.test(last.text.trimEnd().slice(-1))
        ? `there is no finish_reason and no usage, and the reply ends in ${tailOf(last.text)}`
        : null
    },
  },
]

/** What no sentence and no list ends in. */
const UNFINISHED = /[\p{L}\p{N},;:(-]/u
