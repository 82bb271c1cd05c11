import { type Format, type ReplyItem, callsOf, isStrict } from '@callspec/core'
import { grammarParts } from '@callspec/core/grammar'
import { GrammarError } from '../expression.ts'
import { type ProbeCall, isProse, readProbe, sharedEnd, splitJoint, writeHistory, writeProbe } from './writer-probe.ts'

/** What encloses a piece of a reply. */
export type Marks = { readonly open: string; readonly close: string }

/** How a format writes the parts of a reply, as its writer shows. */
export type ReplySpelling = {
  /** Around a thought, without white space at its end; null where the format knows none. */
  readonly thought: Marks | null
  /** Whether the prompt may open a thought; else the reply does. */
  readonly mayBeginInThought: boolean
  /** Whether a reply without a thought may begin with the end of one, as in earlier turns of prompts. */
  readonly mayEndThought: boolean
  /** Whether the reader finds calls after a thought. */
  readonly callsAfterThought: boolean
  /** Whether replies consist of messages, so that thoughts are always possible. */
  readonly hasMessages: boolean
  /** Around a text that is all of a reply; empty where text is not enclosed. */
  readonly text: Marks
  /** Around a text that precedes calls. */
  readonly textBeforeCalls: Marks
  /** What the writer puts before calls that no text precedes. */
  readonly lead: string
  /** Around all calls of a reply; empty where each call stands alone. */
  readonly section: Marks
  readonly betweenCalls: string
  /** The mark that begins the first call, at which free text ends; null where calls have none. */
  readonly trigger: string | null
  /** What prose must not contain because of the trigger: mostly the trigger itself. */
  readonly stem: string | null
  /** Marks that free text must not contain, because the reader reacts to them. */
  readonly excluded: readonly string[]
  /** With what prose must not begin, white space aside, because the reader takes it for a call. */
  readonly notFirst: string
  /** What may end a message before the token that ends the turn; writers leave it out. */
  readonly endings: readonly string[]
  /** Whether a reply is either prose or calls. */
  readonly isAlone: boolean
  /** Whether text and further calls may follow a call. */
  readonly mayGoOn: boolean
  readonly severalCalls: boolean
}

const FIRST = 'zqone'
const SECOND = 'zqtwo'
const VALUE = 'zqvalue'
const GIVEN = { zqkey: VALUE }
const TOOLS = [FIRST, SECOND].map((name) => ({
  name,
  parameters: { type: 'object', properties: { zqkey: { type: 'string' } }, required: ['zqkey'] },
}))

/** Learns how a format writes replies: from what its writer writes, and how its reader takes it. */
export function replySpelling(format: Format): ReplySpelling {
  const first = { name: FIRST, given: GIVEN }
  const one = writeProbe(format, { calls: [first] })
  const before = one.indexOf(FIRST)
  const valueAt = one.indexOf(VALUE)
  if (before === -1 || valueAt === -1)
    throw new GrammarError(`The writer of ${format.id} does not write a call that it is given.`)
  const opening = one.slice(0, before)
  const { severalCalls } = format.traits
  const calls = callMarks(format, { opening, closing: one.slice(valueAt + VALUE.length) })
  const prose = 'Zq prose.'
  const alone = writeProbe(format, { text: prose })
  const text = marksAround(alone, prose)
  const mixed = writeProbe(format, { text: prose, calls: [first] })
  const after = mixed.slice(mixed.indexOf(prose) + prose.length, mixed.indexOf(FIRST))
  const start = callStart(format, { opening, after, text })
  const excluded = excludedMarks(format, { text, trigger: start.trigger })
  const { markers } = format
  return {
    thought: markers.thought && { open: markers.thought.open, close: markers.thought.close.trim() },
    mayBeginInThought: mayBeginInThought(format),
    mayEndThought: mayEndThought(format, first),
    callsAfterThought: readsAfterThought(format, first),
    hasMessages: markers.head !== undefined,
    text,
    textBeforeCalls: {
      open: mixed.slice(0, Math.max(0, mixed.indexOf(prose))),
      close: after.slice(0, after.length - (opening.length - start.lead.length)),
    },
    lead: start.lead,
    section: { open: calls.section.open.slice(start.lead.length), close: calls.section.close },
    betweenCalls: calls.between,
    trigger: start.trigger,
    stem: start.trigger === null ? null : stemOf(format, start.trigger, one.slice(start.lead.length)),
    excluded,
    notFirst: text.open === '' ? firstCharacters(format) : '',
    endings: text.open === '' ? [] : messageEndings(format, [one, alone]),
    isAlone: readProbe(format, mixed, TOOLS)?.length !== 1,
    mayGoOn: severalCalls && mayGoOn(format, one),
    severalCalls,
  }
}

function marksAround(text: string, inner: string): Marks {
  const at = text.indexOf(inner)
  return at === -1 ? { open: '', close: '' } : { open: text.slice(0, at), close: text.slice(at + inner.length) }
}

// Where the calls begin, after what belongs to the text before them: at the first mark to which the reader reacts.
function callStart(
  format: Format,
  { opening, after, text }: { readonly opening: string; readonly after: string; readonly text: Marks },
): { readonly lead: string; readonly trigger: string | null } {
  const closed = after.startsWith(text.close) ? after.slice(text.close.length) : after
  const usual = opening.slice(opening.length - sharedEnd(opening, closed))
  const lead = opening.slice(0, opening.length - usual.length)
  if (text.open !== '') return { lead, trigger: null }
  const { callStart, others } = format.markers
  const found = [...callStart, ...others.filter((mark) => !isPlain(format, mark, text))]
    .filter((mark) => mark.trim() !== '' && usual.trimStart().startsWith(mark.trimStart()) && usual.includes(mark))
    // Of marks that differ in the white space before them, the one without is what the reader needs.
    .sort((one, other) => spaceBefore(one) - spaceBefore(other))
  const [trigger] = found
  return trigger === undefined
    ? { lead, trigger: null }
    : { lead: lead + usual.slice(0, usual.indexOf(trigger)), trigger }
}

const spaceBefore = (text: string): number => text.length - text.trimStart().length

function isPlain(format: Format, mark: string, { open, close }: Marks): boolean {
  const texts = [`Zq ${mark} there.`, `Zq ${mark}`]
  return texts.every((text) => isProse(format, open + text + close, text))
}

/** Marks to which the reader reacts in prose, except for one that holds the trigger of calls, or is held by it. */
function excludedMarks(
  format: Format,
  { text, trigger }: { readonly text: Marks; readonly trigger: string | null },
): readonly string[] {
  const { callStart, callInner, callEnd, thought, others } = format.markers
  const thoughts = thought ? [thought.open.trim(), thought.close.trim()] : []
  const marks = new Set([...callStart, ...callInner, ...callEnd, ...thoughts, ...others])
  const stops = new Set([...format.stops.end, ...format.stops.handOver])
  const reacting = [...marks].filter(
    (mark) => mark.trim() !== '' && !stops.has(mark) && (callStart.includes(mark) || !isPlain(format, mark, text)),
  )
  const free = reacting.filter((mark) => trigger === null || !(mark.includes(trigger) || trigger.includes(mark)))
  // The shortest of marks that contain each other is enough.
  return free.filter((mark) => !free.some((other) => other !== mark && mark.includes(other)))
}

type Calls = { readonly section: Marks; readonly between: string }

function callMarks(format: Format, { opening, closing }: { opening: string; closing: string }): Calls {
  if (!format.traits.severalCalls) return { section: { open: '', close: '' }, between: '' }
  const two = writeProbe(format, {
    calls: [
      { name: FIRST, given: GIVEN },
      { name: SECOND, given: GIVEN },
    ],
  })
  const joint = two.slice(two.indexOf(VALUE) + VALUE.length, two.indexOf(SECOND))
  const { end, between, start } = splitJoint(joint, { first: opening, last: closing })
  return {
    section: { open: opening.slice(0, opening.length - start.length), close: closing.slice(end.length) },
    between,
  }
}

// Calls that no mark begins are found at the beginning of a reply by their first character.
function firstCharacters(format: Format): string {
  // What is left of a mark at the beginning of a reply may be removed.
  const { others } = format.markers
  const marks = others.filter((mark) => mark.length === 1 && !isProse(format, `${mark} there.`, `${mark} there.`))
  if (format.traits.onlyMarkedCalls === true) return marks.join('')
  const bare = ['[', '{'].filter((bracket) => {
    const texts = [`[${FIRST}(zqkey="a")]`, `{"name": "${FIRST}", "parameters": {"zqkey": "a"}}`, `${bracket}"a"`]
    return texts.some((text) => text.startsWith(bracket) && !isProse(format, text, text))
  })
  return [...bare, ...marks].join('')
}

function mayGoOn(format: Format, one: string): boolean {
  const read = readProbe(format, `${one}\nZq prose.${one}`, TOOLS)
  // The text may begin at once, and with what looks like a part of the call.
  const ended = ['\nZq prose.', ' Zq.', '} Zq.'].map((text) => readProbe(format, one + text, TOOLS))
  return read?.length === 2 && ended.every((calls) => calls?.length === 1)
}

function readsAfterThought(format: Format, call: ProbeCall): boolean {
  const text = writeProbe(format, { thought: 'Zq thought.', calls: [call] })
  const options = { tools: TOOLS, parallelCalls: true, thinking: true }
  return callsOf(format.read(text, options).items).length === 1
}

function mayEndThought(format: Format, call: ProbeCall): boolean {
  const close = format.markers.thought?.close.trim() ?? ''
  const { before = '', whole = '' } = writeHistory(format, call) ?? {}
  const prose = 'Zq prose.'
  return (
    close !== '' &&
    whole.startsWith(before) &&
    whole.slice(before.length).startsWith(close) &&
    isProse(format, close + prose, prose)
  )
}

function messageEndings(format: Format, replies: readonly string[]): readonly string[] {
  const stops = new Set([...format.stops.end, ...format.stops.handOver])
  const { callEnd, others } = format.markers
  return [...callEnd, ...others].filter(
    (mark) =>
      !stops.has(mark) &&
      replies.every((reply) => {
        const [whole, ended] = [reply, reply + mark].map((text) => format.read(text, { tools: TOOLS }))
        const items = (ended?.items ?? []).filter(({ kind }) => kind !== 'issue')
        return ended !== undefined && isStrict(ended.items) && JSON.stringify(items) === JSON.stringify(whole?.items)
      }) &&
      // What opens a text would be followed by it.
      replies.every((reply) => !format.read(`${reply + mark}Zq there.`).items.some(isTextOf('Zq there.'))),
  )
}

const isTextOf =
  (text: string) =>
  (item: ReplyItem): boolean =>
    item.kind === 'text' && item.text.includes(text)

// A reader may react to less than the trigger: to its first characters at the end of a reply, or without a line feed at its beginning.
function stemOf(format: Format, trigger: string, call: string): string {
  const bare = trigger.trimStart()
  if (bare !== trigger && !isProse(format, call.trimStart(), call.trimStart())) return bare
  const letters = [...trigger]
  for (let length = 1; length < letters.length; length += 1) {
    const part = letters.slice(0, length).join('')
    if (part.trim() !== '' && !isProse(format, `Zq ${part}`, `Zq ${part}`)) return part
  }
  return trigger
}

/** Whether the prompt may open a thought, in which a reply then begins. */
export function mayBeginInThought(format: Format): boolean {
  return grammarParts(format)?.grammar.thought !== undefined
}
