import type { Completion } from '../trace/completion.ts'
import { splitThought } from '../reading/read-blocks.ts'
import { parsedJson } from '../text/json.ts'
import { quotedExcerpt } from '../text/excerpt.ts'
import type { CallProbes, RawReply, RawCall } from './ask-calls.ts'
import type { Finding } from './finding.ts'
import { finding } from './finding.ts'
import type { ModeReply, Modes, Probe } from './prober.ts'
import { isCut, late, repliesOf, withoutReply } from './prober.ts'
import { QWEN_AGENT_FORMATS } from '../trace/format-names.ts'

/**
 * Whether the text before a call arrives, compared with the greedy continuation of the same prompt as a bare text.
 *
 * @param isRepeatable whether greedy replies are the same twice; null if unknown
 */
export function judgeProse({ auto, raw, marked }: CallProbes, isRepeatable: boolean | null): Finding {
  if (auto.whole.kind === 'late') return late('call-prose')
  const replies = repliesOf(auto).filter(({ reply }) => reply.toolCalls.length > 0 && !isCut(reply))
  if (replies.length === 0) return finding('call-prose', 'unknown', 'no call arrived to look at')
  const silent = replies.find(({ reply }) => saidBefore(reply) === '')
  const talking = replies.find(({ reply }) => saidBefore(reply) !== '')
  if (silent === undefined)
    return finding(
      'call-prose',
      'ok',
      `it arrives: ${quotedExcerpt(talking === undefined ? '' : saidBefore(talking.reply))}`,
    )
  // If the stream has more text than the whole reply, or the reverse, no bare text is needed.
  if (talking !== undefined && isRepeatable === true) return dropped(silent, saidBefore(talking.reply), '')
  const written = [raw, marked].filter(hasCall)
  if (written.length === 0) return finding('call-prose', 'unknown', NOTHING_TO_COMPARE)
  const withProse = written.find(({ call }) => call.prose !== '')
  if (withProse === undefined) return finding('call-prose', 'unknown', 'the model says nothing before its calls')
  return compared(silent, withProse, { isRepeatable, isMarked: withProse !== raw })
}

function hasCall(raw: RawReply | null): raw is RawWithCall {
  return raw !== null && raw.call !== null
}

const NOTHING_TO_COMPARE = 'nothing comes before the call, and there is no call in a bare text to compare with'
const DROPS =
  'The text before a call is lost, and missing in the history that the model receives. Update the server, or ' +
  'give it another tool parser.'

interface RawWithCall extends RawReply {
  readonly call: RawCall
}

interface Comparing {
  readonly isRepeatable: boolean | null
  /** Whether it answers a chat that asks for calls as text. That is another prompt: only token counts prove that the reply is the same. */
  readonly isMarked: boolean
}

function compared(silent: ModeReply, raw: RawWithCall, { isRepeatable, isMarked }: Comparing): Finding {
  const { prose } = raw.call
  const asked = isMarked ? 'where a chat asks for calls as text' : 'after a bare prompt'
  if (!isSameCall(silent.reply, raw.call))
    return finding('call-prose', 'unknown', `the model makes another call ${asked}`)
  switch (isSameReply(silent.reply, raw)) {
    case true:
      return dropped(silent, prose, ', and its tokens are counted')
    case false:
      return finding('call-prose', 'unknown', `the model says ${quotedExcerpt(prose)} only ${asked}`)
    default:
      if (isMarked) return finding('call-prose', 'unknown', NOTHING_TO_COMPARE)
      if (raw.isExact && isRepeatable === true) return dropped(silent, prose, '')
      return finding('call-prose', 'warn', `perhaps ${dropText(silent, prose)}`, DROPS)
  }
}

function dropped(silent: ModeReply, prose: string, further: string): Finding {
  return finding('call-prose', 'fail', `${dropText(silent, prose)}${further}`, DROPS)
}

function dropText({ where }: ModeReply, prose: string): string {
  return `${where === '' ? 'whole replies' : 'streams'} drop ${quotedExcerpt(prose)}, which the model writes before its call`
}

/** In an unknown format the call cannot be compared and counts as the same. */
function isSameCall({ toolCalls: [call] }: Completion, { name, args }: RawCall): boolean {
  if (call === undefined || name === null) return call !== undefined
  return name === call.name && (args === null || canonicalArguments(args) === canonicalArguments(call.arguments))
}

function canonicalArguments(json: string): string {
  const value = parsedJson(json)
  return value === undefined ? json : JSON.stringify(value)
}

/**
 * Whether the model wrote the same text in both replies, by their reasoning or by their token counts; null if neither shows it.
 */
function isSameReply({ reasoning, text, usage }: Completion, raw: RawWithCall): boolean | null {
  const thought = `${reasoning}${splitThought(text).thought}`.trim()
  const rawThought = splitThought(raw.reply.text).thought.trim()
  if (thought !== '' || rawThought !== '')
    return thought === rawThought && (raw.isExact || countsAlike(usage, raw) === true)
  return countsAlike(usage, raw)
}

function countsAlike(usage: Completion['usage'], raw: RawWithCall): boolean | null {
  const whole = raw.reply.usage
  if (usage === null || whole === null) return null
  // A reply without the prose is shorter by its share of the bare text.
  const part = raw.call.prose.length / Math.max(1, raw.reply.text.length)
  return usage.completion >= whole.completion * (1 - part / 2)
}

function saidBefore({ text }: Completion): string {
  return splitThought(text).visible.trim()
}

/** A stop word from the middle of a reply: a word, or else a few characters. */
export function stopWordFor(probe: Probe): string | null {
  if (probe.kind !== 'reply') return null
  const text = probe.reply.text.slice(0, 2000)
  const words = [...text.matchAll(/[A-Za-z]{4,}/g)]
  const middle = words.filter(({ 0: word, index }) => text.indexOf(word) === index && index > 0)
  return middle[Math.floor(middle.length / 2)]?.[0] ?? piece(text)
}

/** The last few characters of the first half that do not occur before, without blanks at the ends, which servers remove. */
function piece(text: string): string | null {
  for (let at = Math.floor(text.length / 2); at > 0; at -= 1) {
    const found = text.slice(at, at + STOP_WORD_LENGTH)
    if (found.trim().length === STOP_WORD_LENGTH && isWhole(found) && text.indexOf(found) === at) return found
  }
  return null
}

const STOP_WORD_LENGTH = 4

/** Half a character cannot be sent. */
function isWhole(text: string): boolean {
  return !/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(text)
}

/** Whether the server stops at a word from the middle of its reply, whole and streamed. */
export function judgeStop(plain: Probe, word: string | null, stopped: Modes): Finding {
  if (plain.kind !== 'reply' || word === null)
    return finding('stop-words', 'unknown', 'there is no text to stop in', 'Ask the model by hand, with "stop".')
  const failed = [stopped.whole, stopped.streamed].find(({ kind }) => kind === 'failure') ?? stopped.whole
  if (failed.kind !== 'reply') return withoutReply('stop-words', failed, { whatToChange: 'Evaluate with --stops off.' })
  const found = repliesOf(stopped).map((mode) => judgeOne(plain.reply.text, word, mode))
  return found.toSorted((one, other) => RANK.indexOf(one.verdict) - RANK.indexOf(other.verdict))[0] ?? NONE
}

/** The worst counts. */
const RANK: readonly Finding['verdict'][] = ['fail', 'warn', 'unknown', 'ok']

const STOPPED = [...QWEN_AGENT_FORMATS.values()]
  .filter(({ stops }) => stops.words.length > 0)
  .map(({ id }) => id)
  .join(' and ')

const NONE = finding('stop-words', 'unknown', 'there is no reply to look at')

function judgeOne(whole: string, word: string, { where, reply: { text } }: ModeReply): Finding {
  const at = text.indexOf(word)
  if (at >= 0 && text.slice(at + word.length).trim() === '')
    return finding(
      'stop-words',
      'warn',
      `${where}the server stopped at ${JSON.stringify(word)} and left it in the text`,
      'Nothing: callspec removes it and warns. With vLLM, see include_stop_str_in_output.',
    )
  if (at >= 0)
    return finding(
      'stop-words',
      'fail',
      `${where}the text continued after ${JSON.stringify(word)}: ${quotedExcerpt(text.slice(at))}`,
      `${STOPPED} rely on them. Evaluate with --stops off, so that the report says it, or change the server.`,
    )
  if (whole.startsWith(text.trimEnd()) && text.length < whole.length)
    return finding('stop-words', 'ok', `stopped at ${JSON.stringify(word)}`)
  return finding('stop-words', 'unknown', `${where}the reply was different, without ${JSON.stringify(word)} in it`)
}
