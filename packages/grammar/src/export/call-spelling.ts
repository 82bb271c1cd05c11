import type { Format } from '@callspec/core'
import { GrammarError } from '../expression.ts'
import type { GrammarTool } from '../sample-calls.ts'
import { type ElementSpelling, type ValueKind, closeOf, nestedSpelling } from './element-spelling.ts'
import type { ReplySpelling } from './reply-spelling.ts'
import { jsonOf, readProbe, sharedEnd, sharedStart, splitJoint, writeHistory, writeProbe } from './writer-probe.ts'

/** A piece of a call: a text, or something that differs from call to call. */
export type CallPiece =
  | { readonly kind: 'text'; readonly text: string }
  /** The number of the call in its reply, or an id; an id may be missing with the texts around it. */
  | { readonly kind: 'number'; readonly first: string }
  | { readonly kind: 'id'; readonly open: string; readonly close: string; readonly isOptional: boolean }
  | { readonly kind: 'arguments' }

/** How a format writes arguments: as JSON, or each as an element. */
export type ArgumentSpelling = { readonly kind: 'json' } | ElementSpelling

const KEY = 'zqkey'
const VALUE = 'zqvalue'
const OTHER_KEY = 'zqother'
const PROBE = 'zqone'
const ID = 'zq0000000'
const JSON_PROBE = { [KEY]: VALUE }

/** What one argument of each type is probed with. */
const TYPED: Readonly<Record<ValueKind, unknown>> = {
  string: VALUE,
  integer: 8675309,
  number: 86753.5,
  boolean: true,
  null: null,
  array: [8675309],
  object: { zqinner: 8675309 },
}

/** The text of one call, without what encloses all calls of a reply. */
export function callText(
  format: Format,
  { lead, section }: ReplySpelling,
  call: { readonly name: string; readonly given: Readonly<Record<string, unknown>>; readonly id?: string },
): string {
  const text = writeProbe(format, { calls: [call] })
  const open = lead + section.open
  if (!text.startsWith(open) || !text.endsWith(section.close))
    throw new GrammarError(`The writer of ${format.id} writes a call of ${call.name} differently from other calls.`)
  return text.slice(open.length, text.length - section.close.length)
}

/** Learns how a format writes arguments. */
export function argumentSpelling(format: Format, reply: ReplySpelling): ArgumentSpelling {
  const text = callText(format, reply, { name: PROBE, given: JSON_PROBE })
  if (text.includes(jsonOf(JSON_PROBE))) return { kind: 'json' }
  const write = (given: Readonly<Record<string, unknown>>): string => callText(format, reply, { name: PROBE, given })
  const fail = (): never => {
    throw new GrammarError(`The writer of ${format.id} writes arguments in a way that no grammar can be made of.`)
  }
  const partsOf = (value: unknown, spelled: RegExp): { middle: string; rest: string; before: string } => {
    const whole = write({ [KEY]: value })
    const after = whole.indexOf(KEY) + KEY.length
    const found = spelled.exec(whole.slice(after))
    if (!found) return fail()
    const at = after + found.index
    const length = found[1]?.length ?? found[0].length
    return {
      middle: whole.slice(after, at),
      rest: whole.slice(at + length),
      before: whole.slice(0, after - KEY.length),
    }
  }
  const integer = partsOf(TYPED.integer, /8675309/)
  const two = write({ [KEY]: TYPED.integer, [OTHER_KEY]: TYPED.integer })
  const joint = two.slice(two.indexOf('8675309') + 7, two.indexOf(OTHER_KEY))
  if (joint.includes(KEY)) return nestedSpelling({ key: KEY, joint, integer, write }) ?? fail()
  const { end, between, start } = jointOf(joint, { first: integer.before, last: integer.rest })
  const string = partsOf(VALUE, new RegExp(VALUE))
  const tail = integer.rest
  const ending = (rest: string): string => (rest.endsWith(tail) ? rest.slice(0, rest.length - tail.length) : fail())
  const closing = (spelled: string): RegExp => new RegExp(`(${spelled})${escaped(tail)}$`)
  const inList = partsOf(['zqvalue', 8675309], closing(String.raw`\[[^]*?\]`))
  const list = write({ [KEY]: [VALUE] })
  const stringClose = ending(string.rest)
  return {
    kind: 'elements',
    open: start,
    between,
    close: end,
    nested: null,
    middle: {
      string: string.middle,
      integer: integer.middle,
      number: partsOf(TYPED.number, /86753\.5/).middle,
      boolean: partsOf(TYPED.boolean, closing('true|True')).middle,
      null: partsOf(TYPED.null, closing('null|None')).middle,
      array: inList.middle,
      object: partsOf(TYPED.object, closing(String.raw`\{[^]*?\}`)).middle,
    },
    stringClose,
    isQuoted: stringClose !== '' && list.includes(string.middle.slice(integer.middle.length) + VALUE + stringClose),
    lead: integer.before.slice(0, integer.before.length - start.length),
    end: tail.slice(end.length),
  }
}

// Elements that need nothing between them are cut so that each is whole.
function jointOf(
  joint: string,
  marks: { readonly first: string; readonly last: string },
): { readonly end: string; readonly between: string; readonly start: string } {
  const most = sharedStart(joint, marks.last)
  const least = joint.length - sharedEnd(joint, marks.first)
  for (let at = most; at >= least && at > 0; at -= 1)
    if (joint[at] === '<' && (joint[at - 1] === '\n' || joint[at - 1] === '>'))
      return { end: joint.slice(0, at), between: '', start: joint.slice(at) }
  return splitJoint(joint, marks)
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}

/** The pieces of a call of a tool, `arguments` where they are; for elements with what precedes the first one and follows the last one. */
export function callPieces(
  format: Format,
  reply: ReplySpelling,
  { tool, spelling }: { readonly tool: GrammarTool; readonly spelling: ArgumentSpelling },
): readonly CallPiece[] {
  const { name } = tool
  const given = spelling.kind === 'json' ? JSON_PROBE : { [KEY]: TYPED.integer }
  const text = callText(format, reply, { name, given })
  const slot = spelling.kind === 'json' ? jsonOf(JSON_PROBE) : elementText(spelling)
  const at = text.lastIndexOf(slot)
  if (at === -1) throw new GrammarError(`The writer of ${format.id} cannot write a call of ${JSON.stringify(name)}.`)
  const before = text.slice(0, at)
  const after = text.slice(at + slot.length)
  const numbered = withNumber(format, reply, { name, given, before })
  return withId(format, reply, { tool, given, slot, before: numbered, after })
}

function elementText(elements: ElementSpelling): string {
  return `${elements.open}${KEY}${elements.middle.integer}8675309${closeOf(elements, KEY)}`
}

type CallProbe = { readonly name: string; readonly given: Readonly<Record<string, unknown>> }

// Where the second call of a reply differs from the first one, its number is.
function withNumber(
  format: Format,
  { severalCalls, lead, section, betweenCalls }: ReplySpelling,
  { name, given, before }: CallProbe & { readonly before: string },
): readonly CallPiece[] {
  if (!severalCalls) return [{ kind: 'text', text: before }]
  const one = writeProbe(format, { calls: [{ name, given }] })
  const two = writeProbe(format, {
    calls: [
      { name, given },
      { name, given },
    ],
  })
  const whole = one.slice((lead + section.open).length, one.length - section.close.length)
  const second = two.slice((lead + section.open + whole + betweenCalls).length)
  if (second.startsWith(before)) return [{ kind: 'text', text: before }]
  let at = sharedStart(before, second)
  while (at > 0 && /\d/.test(before[at - 1] ?? '')) at -= 1
  const digits = /^\d+/.exec(before.slice(at))?.[0]
  if (digits === undefined)
    throw new GrammarError(
      `The writer of ${format.id} writes the second call of a reply differently from the first one.`,
    )
  return [
    { kind: 'text', text: before.slice(0, at) },
    { kind: 'number', first: digits },
    { kind: 'text', text: before.slice(at + digits.length) },
  ]
}

type WithId = {
  readonly tool: GrammarTool
  readonly given: Readonly<Record<string, unknown>>
  readonly slot: string
  readonly before: readonly CallPiece[]
  readonly after: string
}

function withId(format: Format, reply: ReplySpelling, call: WithId): readonly CallPiece[] {
  const { tool, given, slot, before, after } = call
  const { name } = tool
  const plain: readonly CallPiece[] = [...before, { kind: 'arguments' }, { kind: 'text', text: after }]
  if (!format.traits.ids) return plain
  const text = callText(format, reply, { name, given, id: ID })
  const at = text.lastIndexOf(slot)
  const isRead = (one: string): boolean => {
    const whole = reply.lead + reply.section.open + one + reply.section.close
    return readProbe(format, whole, [tool])?.[0]?.name === name
  }
  if (!text.includes(ID) || at === -1 || !isRead(text)) return plain
  const isOptional = isRead(callText(format, reply, { name, given }))
  const insert = (without: string, withId: string): readonly CallPiece[] => {
    const end = sharedEnd(without, withId)
    const start = Math.min(sharedStart(without, withId), without.length - end)
    const added = withId.slice(start, withId.length - end)
    const idAt = added.indexOf(ID)
    return [
      { kind: 'text', text: without.slice(0, start) },
      { kind: 'id', open: added.slice(0, idAt), close: added.slice(idAt + ID.length), isOptional },
      { kind: 'text', text: without.slice(start) },
    ]
  }
  const [first] = before
  if (text.indexOf(ID) > at) return [...before, { kind: 'arguments' }, ...insert(after, text.slice(at + slot.length))]
  if (before.length > 1 || first?.kind !== 'text') return plain
  return [...insert(first.text, text.slice(0, at)), { kind: 'arguments' }, { kind: 'text', text: after }]
}

type OneTool = { readonly tool: GrammarTool; readonly pieces: readonly CallPiece[] }

/**
 * Further spellings of a call, for formats whose messages have heads: the parts of a head may be written in another order, and some of its
 * marks left out. They are what the prompt writes for a call of the history, and both spellings without a mark that the reader does not need.
 */
export function headSpellings(
  format: Format,
  reply: ReplySpelling,
  { tool, pieces }: OneTool,
): readonly (readonly CallPiece[])[] {
  const [head, slot, end, more] = pieces
  if (!reply.hasMessages || more || head?.kind !== 'text' || slot?.kind !== 'arguments' || end?.kind !== 'text')
    return []
  const heads = [head.text, ...headOfHistory(format, tool)]
  const shorter = heads.flatMap((one) =>
    format.markers.others.filter((mark) => one.includes(mark)).map((mark) => one.replace(mark, () => '')),
  )
  const isRead = (one: string): boolean => {
    const calls = readProbe(format, `${one}{}${end.text}`, [tool])
    return calls?.length === 1 && calls[0]?.name === tool.name
  }
  const others = [...new Set([...heads, ...shorter])].filter((one) => one !== head.text && isRead(one))
  return others.map((text) => [{ kind: 'text', text }, slot, end])
}

function headOfHistory(format: Format, { name }: GrammarTool): readonly string[] {
  const given = { zqkey: 'zqvalue' }
  const history = writeHistory(format, { name, given })
  if (!history?.whole.startsWith(history.before)) return []
  const end = history.whole.indexOf(jsonOf(given))
  return end === -1 ? [] : [history.whole.slice(history.before.length, end)]
}
