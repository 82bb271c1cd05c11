import type { HeadPlace, ReadHead } from '../../grammar/grammar.ts'
import { CHANNEL, CONSTRAIN, FUNCTIONS, MESSAGE, START } from './tokens.ts'

/**
 * What a head says: its role, recipient, channel and content type. White space in it never counts.
 *
 *   >  to=functions.f<|channel|>commentary <|constrain|>json<|message|>{}
 *                                                                      ^
 *   > <|channel|>commentary to=functions.f json<|message|>{}
 *                                                         ^    a call of f; both are the same
 */
export function readHead(text: string, { state, marker }: HeadPlace): ReadHead | null {
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
const NOBODY: ReadonlySet<string> = new Set(['assistant', 'all'])

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
  const [before, behind] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + CHANNEL.length)]
  const [named = '', channel = null] = CHANNEL_NAME.exec(behind) ?? []
  if (at >= 0 && channel === null) return null
  const rest = `${before} ${behind.slice(named.length)}`.split(CONSTRAINED).join(` ${CONSTRAIN}`)
  const words = rest.split(SPACE).filter((word) => word !== '')
  const role = roleIn(words, isFirst)
  const type = typeIn(words)
  const recipient = words.pop() ?? null
  if (role === null || words.length > 0 || [type, recipient].some((word) => word?.includes('<') === true)) return null
  return { role, recipient: recipient?.startsWith('to=') === true ? recipient.slice(3) : recipient, channel, type }
}

/** A recipient behind white space is no name of a channel. */
const CHANNEL_NAME = /^(?![ \t\n\f\r]+to=)[ \t\n\f\r]*([^ \t\n\f\r<]+)/
const CONSTRAINED = /<\|constrain\|>[ \t\n\f\r]*/
const SPACE = /[ \t\n\f\r]+/

/**
 * Takes the first word where it is the role. Of the first head the prompt has said it, and a model may say it once more.
 *
 * @returns null for a word that is no role and no name of a tool, behind which the recipient of its result stands
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
 * Never a call: what was said is text, without tokens and the role.
 *
 *   > <|channel|>commentary to=functions.f<|end|>{}
 *                                         ^           an end token in a head
 */
function unreadable(text: string, marker: string): ReadHead {
  const role = /^[ \t\n\f\r]*assistant(?![^ \t\n\f\r<])/.exec(text)?.[0] ?? ''
  const texts = text.slice(role.length).split(TOKEN)
  return { to: marker === START ? 'head' : 'unreadable', texts, issue: 'head-not-readable' }
}
