import type { NativeCall } from '../trace/completion.ts'
import type { CallLine, EpisodeTrace, TurnLine } from '../trace/trace.ts'
import type { ToolSpec } from '../trace/task.ts'
import { isUsable } from '../score/scores.ts'
import { labelTurn } from '../score/label-turn.ts'
import type { AttributionRule, DamagedTexts, EpisodeCause, FailedTurn, RestoredText } from './attribution.ts'
import { at, quote } from './attribution.ts'

/** What decoders write for bytes that are no character. */
const DAMAGED = '\ufffd'
const DAMAGES = /\ufffd+/g
/** As JSON writes it in ASCII. */
const ESCAPED = /\\ufffd/gi

/** Characters next to the damage that the prompt must have, too. */
const CONTEXT = 12
/** A reply with more damaged places is no copy with a few cut characters. */
const MOST_PLACES = 20
/** The most of U+FFFD in a row. */
const LONGEST = 24
/** How often it is looked for: what is next to the damage and is found more often shows nothing. */
const MOST_SOUGHT = 1000

export interface SeenTexts {
  readonly turns: readonly TurnLine[]
  readonly tools: readonly ToolSpec[]
  /** The task and the results so far, before each turn. */
  readonly givenBefore: (turn: number) => readonly string[]
}

/**
 * Compares damaged words with those that the model was shown. A prompt that has U+FFFD itself, before the first damaged reply, proves
 * nothing: the model may copy it.
 */
export function damagedTexts(seen: SeenTexts): DamagedTexts {
  const first = seen.turns.findIndex(isDamaged)
  let isCopied: boolean | null = null
  const textsBefore = (turn: number): readonly string[] => shownBefore(seen, turn)
  return {
    restored: (turn, text) => {
      if (first < 0 || turn < first) return null
      isCopied ??= textsBefore(first).some((each) => each.replaceAll(ESCAPED, DAMAGED).includes(DAMAGED))
      // What follows may repeat the damage of the first one.
      return isCopied ? null : restoredFrom(text, () => textsBefore(turn).filter((each) => !each.includes(DAMAGED)))
    },
  }
}

function isDamaged({ text, toolCalls }: TurnLine): boolean {
  return [text, ...toolCalls.flatMap((call) => [call.name, call.arguments])].some((each) =>
    each.replaceAll(ESCAPED, DAMAGED).includes(DAMAGED),
  )
}

function shownBefore({ turns, tools, givenBefore }: SeenTexts, turn: number): readonly string[] {
  const sent = turns
    .slice(0, turn + 1)
    .flatMap(({ sent: { added } }) => (typeof added === 'string' ? [added] : added.map((each) => JSON.stringify(each))))
  return [...givenBefore(turn), ...sent, JSON.stringify(tools)]
}

/** Null where no damaged word is one of the texts. */
function restoredFrom(given: string, texts: () => readonly string[]): RestoredText | null {
  const text = given.replaceAll(ESCAPED, DAMAGED)
  const places = [...text.matchAll(DAMAGES)]
  if (places.length === 0 || places.length > MOST_PLACES) return null
  const sources = texts()
  const parts: string[] = []
  let [from, evidence] = [0, '']
  for (const { index, 0: run } of places) {
    const lost = lostAt(text, { start: index, count: run.length }, sources)
    if (lost === null) continue
    const { left, right, found } = lost
    parts.push(text.slice(from, index), found)
    from = index + run.length
    const place = at(text, index - left.length, left.length + run.length + right.length)
    evidence ||= `${place} is ${quote(`${left}${found}${right}`)} in the prompt`
  }
  return evidence === '' ? null : { text: [...parts, text.slice(from)].join(''), evidence }
}

interface Gap {
  readonly left: string
  readonly right: string
  /** How many of U+FFFD. */
  readonly count: number
}

/** What may be next to the damage: characters of paths, addresses and marks; else letters alone, as a full stop ends a sentence. */
const NEXT_TO = [/[^\s\ufffd"'`{}[\](),:;<>=，。：；！？、“”]/u, /[\p{L}\p{N}\p{M}]/u]

interface Run {
  readonly start: number
  readonly count: number
}

function lostAt(
  text: string,
  { start, count }: Run,
  sources: readonly string[],
): (Gap & { readonly found: string }) | null {
  const before = [...text.slice(Math.max(0, start - 2 * CONTEXT), start)].toReversed()
  const after = [...text.slice(start + count, start + count + 2 * CONTEXT)]
  for (const pattern of NEXT_TO) {
    const left = leading(before, pattern).toReversed().join('')
    const gap = { left, right: leading(after, pattern).join(''), count }
    const found = lostIn(gap, sources)
    if (found !== null) return { ...gap, found }
  }
  return null
}

function leading(characters: readonly string[], pattern: RegExp): readonly string[] {
  const end = characters.findIndex((each) => !pattern.test(each))
  return characters.slice(0, Math.min(end < 0 ? characters.length : end, CONTEXT))
}

/** What the texts have between the same characters: as few beyond ASCII as could leave so many halves. Null for none. */
function lostIn(gap: Gap, texts: readonly string[]): string | null {
  const { left, right, count } = gap
  // One ASCII letter is in every text.
  if (Buffer.byteLength(left + right) < 2 || count > LONGEST) return null
  const anchor = left === '' ? right : left
  let sought = 0
  for (const text of texts)
    for (let place = text.indexOf(anchor); place >= 0; place = text.indexOf(anchor, place + 1)) {
      if ((sought += 1) > MOST_SOUGHT) return null
      const found = left === '' ? lostBefore(text, place, count) : lostAfter(text, place + left.length, gap)
      if (found !== null) return found
    }
  return null
}

function lostAfter(text: string, start: number, { right, count }: Gap): string | null {
  let [found, bytes, characters] = ['', 0, 0]
  while (characters < count) {
    const character = String.fromCodePoint(text.codePointAt(start + found.length) ?? 0)
    if (!isBeyondAscii(character)) return null
    found += character
    characters += 1
    bytes += Buffer.byteLength(character)
    if (bytes >= count && text.startsWith(right, start + found.length)) return found
  }
  return null
}

function lostBefore(text: string, end: number, count: number): string | null {
  let [found, bytes] = ['', 0]
  for (const character of [...text.slice(Math.max(0, end - 2 * count), end)].toReversed()) {
    if (!isBeyondAscii(character)) return null
    found = `${character}${found}`
    bytes += Buffer.byteLength(character)
    if (bytes >= count) return found
  }
  return null
}

function isBeyondAscii(character: string): boolean {
  return character > '\u007f' && character !== DAMAGED && !/\p{Surrogate}/u.test(character)
}

const ID = 'text-damaged'

/** The server, or what lies between, lost a character. Where no word of the prompt shows which, the model may have written broken bytes itself. */
export const TURN_DAMAGED: AttributionRule<FailedTurn> = {
  id: ID,
  blames: 'server',
  means: 'Words of the prompt arrived with U+FFFD in place of characters, and with these the reply can be used.',
  evidence: ({ damaged, line, input }) => {
    const text = damaged.restored(line.turn, input.text)
    const calls = (input.toolCalls ?? []).map((call) => restoredCall(call, (part) => damaged.restored(line.turn, part)))
    const evidence = text?.evidence ?? calls.find((call) => call.evidence !== null)?.evidence ?? null
    if (evidence === null) return null
    const whole = { ...input, text: text?.text ?? input.text, toolCalls: calls.map(({ call }) => call) }
    return isUsable(labelTurn(whole)) ? evidence : null
  },
}

/** A good call with a damaged value, or such an answer. */
export const EPISODE_DAMAGED: EpisodeCause = {
  id: ID,
  blames: 'server',
  means:
    'Words of the prompt arrived with U+FFFD in place of characters: with these the outcome would be right, or a tool refused a call with them.',
  evidence: ({ damaged, trace, wouldPassAs }) => {
    const calls = trace.calls.map((line) => ({
      line,
      ...restoredCall(line, (part) => damaged.restored(line.turn, part)),
    }))
    const refused = calls.find(({ line, evidence }) => line.isError && evidence !== null)
    if (refused !== undefined) return refused.evidence
    const texts = trace.turns.map((line) => ({ line, whole: damaged.restored(line.turn, line.text) }))
    const evidence = [...calls.map((each) => each.evidence), ...texts.map(({ whole }) => whole?.evidence ?? null)]
    const first = evidence.find((each) => each !== null)
    if (first === undefined) return null
    const restored: EpisodeTrace = {
      ...trace,
      calls: calls.map(({ call }) => call),
      turns: texts.map(({ line, whole }) => (whole === null ? line : { ...line, text: whole.text })),
    }
    return wouldPassAs(restored) ? first : null
  },
}

interface RestoredCall<Call> {
  readonly call: Call
  readonly evidence: string | null
}

function restoredCall<Call extends NativeCall | CallLine>(
  call: Call,
  restored: (part: string) => RestoredText | null,
): RestoredCall<Call> {
  const [name, args] = [restored(call.name), restored(call.arguments)]
  if (name === null && args === null) return { call, evidence: null }
  return {
    call: { ...call, name: name?.text ?? call.name, arguments: args?.text ?? call.arguments },
    evidence: (name ?? args)?.evidence ?? null,
  }
}
