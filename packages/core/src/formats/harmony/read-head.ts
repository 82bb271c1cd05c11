import type { HeadPlace, ReadHead } from '../../grammar/grammar.ts'
import { CALL, CHANNEL, CONSTRAIN, END, FUNCTIONS, MESSAGE, RETURN, START } from './tokens.ts'

/**
 * What a head says: its role, recipient, channel and content type. White space in it never counts.
 *
 *   >  to=functions.f<|channel|>commentary <|constrain|>json<|message|>
 *   > <|channel|>commentary to=functions.f json<|message|>
 *                                                         ^   a call of f; both are the same
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
  return { to: 'arguments', call: { name, ...(type === null || type === 'json' ? {} : { isFree: true }) } }
}

/** Recipients that are no tools. */
const NOBODY: ReadonlySet<string> = new Set(['assistant', 'all'])

const ROLES: ReadonlySet<string> = new Set(['assistant', 'user', 'system', 'developer', 'tool'])

interface Head {
  readonly role: string
  readonly recipient: string | null
  readonly channel: string | null
  readonly type: string | null
}

/** Null for a head with a word too many, a channel without a name, or a token that does not belong there. */
function headOf(text: string, isFirst: boolean): Head | null {
  const at = text.indexOf(CHANNEL)
  const [before, behind] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + CHANNEL.length)]
  const named = CHANNEL_NAME.exec(behind)
  if (at >= 0 && named === null) return null
  const [shown = '', channel = null] = named ?? []
  const rest = `${before} ${behind.slice(shown.length)}`
  const words = wordsOf(rest.includes(CONSTRAIN) ? rest.split(CONSTRAINED).join(` ${CONSTRAIN}`) : rest)
  const role = isFirst ? firstRole(words) : laterRole(words)
  if (role === null) return null
  const type = typeIn(words)
  const recipient = words.pop() ?? null
  if (words.length > 0 || [type, recipient].some((word) => word?.includes('<') === true)) return null
  return { role, recipient: recipient?.startsWith('to=') === true ? recipient.slice(3) : recipient, channel, type }
}

/** A recipient behind white space is no name of a channel. */
const CHANNEL_NAME = /^(?![ \t\n\f\r]+to=)[ \t\n\f\r]*([^ \t\n\f\r<]+)/

const CONSTRAINED = /<\|constrain\|>[ \t\n\f\r]*/

/** What stands between white space. */
function wordsOf(text: string): string[] {
  const words: string[] = []
  let start = 0
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && !isHeadSpace(text.charCodeAt(at))) continue
    if (at > start) words.push(text.slice(start, at))
    start = at + 1
  }
  return words
}

/** Blank, tab, line feed, form feed, carriage return. */
function isHeadSpace(unit: number): boolean {
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d && unit !== 0x0b)
}

/** The prompt has said the role; a model may say it once more. */
function firstRole(words: string[]): string {
  if (words[0] === 'assistant') words.shift()
  return 'assistant'
}

/** Null for a word that is no role and no name of a tool, behind which the recipient of its result stands. */
function laterRole(words: string[]): string | null {
  const [first] = words
  if (first === undefined || first.startsWith('to=') || first.startsWith(CONSTRAIN)) return 'assistant'
  if (!ROLES.has(first) && words.length === 1) return null
  words.shift()
  return first
}

/** Takes the last word where it is the type of the content. A word alone is a recipient, unless it is marked as a type. */
function typeIn(words: string[]): string | null {
  const last = words.at(-1)
  if (last === undefined || last.startsWith('to=')) return null
  const isMarked = last.startsWith(CONSTRAIN)
  if (!isMarked && words.length === 1) return null
  words.pop()
  const type = isMarked ? last.slice(CONSTRAIN.length) : last
  return type === '' ? null : type
}

/** A reply that ends inside a head was cut there; one that has no token at all has lost them on its way. */
function endOfReply(text: string, isFirst: boolean): ReadHead | null {
  if (!isFirst || TOKENS.some((token) => text.includes(token))) return null
  return /\S/.test(text) ? { to: 'between', texts: [text], issue: 'markers-missing' } : { to: 'between' }
}

const TOKENS: readonly string[] = [START, CHANNEL, CONSTRAIN, MESSAGE, END, CALL, RETURN]

/** Never a call: what was said is text, without tokens and the role. */
function unreadable(text: string, marker: string): ReadHead {
  const role = /^[ \t\n\f\r]*assistant(?![^ \t\n\f\r<])/.exec(text)?.[0] ?? ''
  const texts = TOKENS.reduce<readonly string[]>(
    (pieces, token) => pieces.flatMap((piece) => piece.split(token)),
    [text.slice(role.length)],
  )
  return { to: marker === START ? 'head' : 'unreadable', texts, issue: 'head-not-readable' }
}
