import type { Grammar, Transitions, HeadPlace, ReadHead } from '../../grammar/grammar.ts'
import { standardKind } from '@callspec/python'
import type { CallItem, ReplyItem } from '../../reply/item.ts'

/** The special tokens. Everything else is text, also the words of a head. */
export const START = '<|start|>'
export const CHANNEL = '<|channel|>'
export const CONSTRAIN = '<|constrain|>'
export const MESSAGE = '<|message|>'
export const END = '<|end|>'
/** Ends a call, and the turn. */
export const CALL = '<|call|>'
/** Ends a reply. */
export const RETURN = '<|return|>'

/** The prefix of the recipients that are functions of the request. */
export const FUNCTIONS = 'functions.'

/** In a text an end token counts only if the next message follows it, or the reply ends. */
const TO_NEXT = { to: 'between', followedBy: [START], closes: true } as const
const ENDS: Transitions = { [END]: TO_NEXT, [CALL]: TO_NEXT, [RETURN]: TO_NEXT }

/** Where `readHead` is not asked, a head leads nowhere else. */
const HEAD_ENDS: Transitions = { [MESSAGE]: 'text', [END]: 'text', [CALL]: 'text', [RETURN]: 'text', [START]: 'text' }

/** How replies are read. The prompt ends with `<|start|>assistant`, so that a reply begins inside a head. */
export const grammar: Grammar = {
  start: 'first',
  // > <|channel|>analysis<|message|>Hm.<|end|>
  //                                 ^
  thought: 'thought',
  stops: [RETURN, CALL],
  states: {
    // > <|channel|>final<|message|>
    //                    ^
    first: { kind: 'head', transitions: HEAD_ENDS },
    // > <|end|><|start|>assistant<|channel|>final<|message|>
    //                   ^                                     the role is part of the head
    head: { kind: 'head', transitions: HEAD_ENDS },
    thought: { kind: 'reasoning', transitions: ENDS },
    // > <|channel|>final<|message|>Noon.
    //                              ^
    text: { kind: 'text', transitions: ENDS },
    // > <|channel|>analysis<|channel|>commentary<|message|>Hm.<|start|>
    //                                                      ^            no head: all is text up to the next message
    unreadable: { kind: 'text', transitions: { ...ENDS, [START]: 'head' } },
    // > <|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>
    //                                                                    ^
    arguments: { kind: 'json', isRaw: true, isWholeText: true, transitions: ENDS },
    // > <|start|>functions.f to=assistant<|message|>12<|end|>
    //                                               ^         what others say is no part of the reply
    foreign: { kind: 'nothing', transitions: ENDS },
    // > <|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Noon.
    //                                           ^
    between: { kind: 'nothing', transitions: { [START]: 'head' } },
  },
  readHead,
}

/**
 * What a head says: its role, recipient, channel and content type. White space in it never counts.
 *
 *   >  to=functions.f<|channel|>commentary <|constrain|>json<|message|>{}
 *                                                                      ^
 *   > <|channel|>commentary to=functions.f json<|message|>{}
 *                                                         ^    a call of f; both are the same
 */
function readHead(text: string, { state, marker }: HeadPlace): ReadHead | null {
  const isFirst = state === 'first'
  if (marker === '') return endOfReply(text, isFirst)
  const head = marker === MESSAGE ? headOf(text, isFirst) : null
  if (head === null) return unreadable(text, marker)
  const { role, recipient, channel, type } = head
  if (role !== 'assistant') return { to: 'foreign' }
  if (recipient === null || NOBODY.has(recipient)) {
    const known = channel === null ? {} : { channel }
    return { to: channel === 'analysis' ? 'thought' : 'text', ...known }
  }
  const name = recipient.startsWith(FUNCTIONS) ? recipient.slice(FUNCTIONS.length) : recipient
  if (name === '') return unreadable(text, marker)
  return { to: 'arguments', call: { name, ...(type === '' || type === 'json' ? {} : { isFree: true }) } }
}

/** Recipients that are no tools. */
const NOBODY: ReadonlySet<string> = new Set(['assistant', 'all', 'user'])

const ROLES: ReadonlySet<string> = new Set(['assistant', 'user', 'system', 'developer', 'tool'])

interface Head {
  readonly role: string
  readonly recipient: string | null
  readonly channel: string | null
  readonly type: string
}

/**
 * Null for a head with a word too many, a channel without a name, or a token that does not belong there.
 *
 *   > <|channel|>commentary to=functions.f x y<|message|>
 *                                         ^                 one word may follow as a type, not two
 *   > <|channel|> to=functions.f<|message|>
 *                ^                            the channel has no name
 */
function headOf(text: string, isFirst: boolean): Head | null {
  const at = text.indexOf(CHANNEL)
  const [before, after] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + CHANNEL.length)]
  const [named = '', channel = null] = CHANNEL_NAME.exec(after) ?? []
  if (at >= 0 && channel === null) return null
  const rest = `${before} ${after.slice(named.length)}`.split(CONSTRAINED).join(` ${CONSTRAIN}`)
  const words = rest.split(SPACE).filter((word) => word !== '')
  const role = roleIn(words, isFirst)
  const type = typeIn(words)
  const recipient = words.pop() ?? null
  if (role === null || words.length > 0 || [type, recipient].some((word) => word?.includes('<') === true)) return null
  return { role, recipient: recipient?.startsWith('to=') === true ? recipient.slice(3) : recipient, channel, type }
}

/** A recipient after white space is not the name of a channel. */
const CHANNEL_NAME = /^(?![ \t\n\f\r]+to=)[ \t\n\f\r]*([^ \t\n\f\r<]+)/
const CONSTRAINED = /<\|constrain\|>[ \t\n\f\r]*/
const SPACE = /[ \t\n\f\r]+/

/**
 * Takes the first word where it is the role. Of the first head the prompt has said it, and a model may say it once more.
 *
 * @returns null for a word that is neither a role nor the name of a tool, which the recipient of its result follows
 */
function roleIn(words: string[], isFirst: boolean): string | null {
  const [first] = words
  if (isFirst ? first !== 'assistant' : first === undefined || first.startsWith('to=') || first.startsWith(CONSTRAIN))
    return 'assistant'
  return ROLES.has(first ?? '') || words.length > 1 ? (words.shift() ?? null) : null
}

/**
 * Takes the last word where it is the type of the content. A word alone is a recipient, unless it is marked as a type.
 *
 *   > <|channel|>analysis to=python code<|message|>
 *                                   ^                 a type
 *   > <|channel|>analysis python<|message|>
 *                         ^                   a recipient
 */
function typeIn(words: string[]): string {
  const last = words.at(-1) ?? 'to='
  const isMarked = last.startsWith(CONSTRAIN)
  if (last.startsWith('to=') || (!isMarked && words.length === 1)) return ''
  words.pop()
  return isMarked ? last.slice(CONSTRAIN.length) : last
}

/**
 * A reply that ends inside a head was cut there; one that has no token at all has lost them on its way.
 *
 *   > <|channel|>comm
 *                    ^   cut
 *   > analysisEasy.assistantfinalNoon.
 *                                     ^   text, and the issue says so
 */
function endOfReply(text: string, isFirst: boolean): ReadHead | null {
  if (!isFirst || TOKEN.test(text)) return null
  return /\S/.test(text) ? { to: 'between', texts: [text], issue: 'markers-missing' } : { to: 'between' }
}

const TOKEN = /<\|(?:start|channel|constrain|message|end|call|return)\|>/

/**
 * Never a call: its words are text, without tokens and the role.
 *
 *   > <|channel|>commentary to=functions.f<|end|>{}
 *                                         ^           an end token in a head
 */
function unreadable(text: string, marker: string): ReadHead {
  const role = /^[ \t\n\f\r]*assistant(?![^ \t\n\f\r<])/.exec(text)?.[0] ?? ''
  const texts = text.slice(role.length).split(TOKEN)
  return { to: marker === START ? 'head' : 'unreadable', texts, issue: 'head-not-readable' }
}

/** One message: head, content, and the token that ends it. */
interface Written {
  readonly text: string
  readonly end: string
}

/**
 * The text of a reply, after `<|start|>assistant`. The last end token is left out, as servers leave it out, unless only it
 * says that a thought or a call is complete.
 */
export function write(items: readonly ReplyItem[]): string {
  const lastCall = items.findLastIndex(({ kind }) => kind === 'call')
  const messages = items.flatMap((item, at): readonly Written[] => {
    if (item.kind === 'issue') return []
    if (item.kind === 'call') return [{ text: callHead(item) + MESSAGE + item.arguments, end: CALL }]
    const usual = item.kind === 'reasoning' ? 'analysis' : at < lastCall ? 'commentary' : 'final'
    return [{ text: CHANNEL + (item.channel ?? usual) + MESSAGE + item.text, end: END }]
  })
  const whole = messages.map(({ text, end }) => text + end).join(`${START}assistant`)
  const last = items.findLast(({ kind }) => kind !== 'issue')
  if (last === undefined || last.kind === 'reasoning') return whole
  if (last.kind === 'call' && standardKind(last.arguments) === 'none') return whole
  return whole.slice(0, whole.length - (messages.at(-1)?.end.length ?? 0))
}

function callHead({ name, isFree }: CallItem): string {
  const recipient = BUILT_IN.test(name) ? name : FUNCTIONS + name
  const channel = BUILT_IN.test(name) ? 'analysis' : 'commentary'
  return `${CHANNEL}${channel} to=${recipient} ${isFree === true ? 'code' : `${CONSTRAIN}json`}`
}

/** Tools of the maker, which are no functions of the request. */
const BUILT_IN = /^(?:python$|browser\.|container\.)/
