import { isFncallName } from '@callspec/core/qwen-agent'
import { attempt, balancedEnd, loads } from '@callspec/python'
import { QWEN_AGENT_FORMATS } from '../trace/format-names.ts'
import { evalFormat } from '../formats/table.ts'
import { bareBlocks, readBlocksLenient } from '../reading/read-blocks.ts'
import { hasCalls } from '../score/view-turn.ts'
import type { TurnViews } from '../score/view-turn.ts'
import { at, offsetIn, quote } from './quotation.ts'
import type { CallBlock, Repair } from '../reading/call-block.ts'
import type { TurnInput } from '../score/turn-input.ts'

/** What a reader wants that a reply does not have, by the repair that puts it right. */
export const REPAIR_MEANS: Readonly<Record<Repair, string>> = {
  'close-tag': 'the close tag is missing',
  'tag-case': 'the tag is written otherwise',
  'missing-colon': 'the colon behind the mark is missing',
  'missing-tags': 'the call stands in no tags',
  'call-list': 'several calls stand in one list',
  'single-quotes': 'texts stand in single quotes',
  'trailing-comma': 'a comma stands before a closing bracket',
  comment: 'a comment stands in the JSON',
  'unquoted-key': 'a key has no quotes',
  json5: 'the arguments are JSON5, not JSON',
  'python-literals': "the arguments hold Python's True, False or None",
  'no-value': 'NaN, Infinity or undefined is no JSON value',
  'full-width': 'punctuation is full-width',
  'raw-newline': 'a line breaks inside a text',
  'invisible-character': 'a character without a width stands in the way',
  'code-fence': 'a code fence stands round the JSON',
  'closing-bracket': 'a closing bracket is missing, or one too many',
  'trailing-text': 'text follows the JSON',
  'empty-arguments': 'the arguments are missing',
  'arguments-alias': '"arguments" has another name',
  'flat-arguments': 'the arguments stand beside the name',
  'double-encoding': 'the arguments are a text that holds an object',
  'action-line': '"Action:" does not begin a line behind the thought',
  'keyword-case': 'the keyword is written otherwise',
  'localised-keyword': 'the keyword is translated',
  'marker-cut': 'a control mark stands in the reply',
  'quoted-marker': 'a mark of the format stands inside of an argument',
  'surrounding-text': 'words stand around what was asked for',
  'state-name': 'the name of a state stands for its number',
}

/** What a reply needs repaired, and where: `a comma stands before a closing bracket, "…" at 57`. */
export function deviation(repairs: readonly Repair[], views: TurnViews, input: TurnInput): string {
  const told = repairs.slice(0, 3).map((repair) => REPAIR_MEANS[repair])
  const mark = repairs.includes('marker-cut') ? markAt(input.text) : null
  return `${told.join('; ')}, ${mark ?? troubleIn(views, input).place}`
}

/** Why a call cannot be read, and the place in its JSON, or its beginning. */
export function troubleAt(views: TurnViews, input: TurnInput): string {
  const { problem, place } = troubleIn(views, input)
  return problem === null ? place : `${problem}, ${place}`
}

interface Trouble {
  /** What a reader of JSON says; null where it is not the JSON. */
  readonly problem: string | null
  readonly place: string
}

function troubleIn(views: TurnViews, input: TurnInput): Trouble {
  const { strict } = views
  if (strict.reader.callBlocks !== undefined && strict.blocks.length > 0) return argumentsTrouble(strict.blocks)
  const blocks = strict.blocks.length > 0 ? strict.blocks : looseBlock(strict.visible)
  for (const { json } of blocks) {
    const fault = jsonFault(json)
    const whole = fault === null ? -1 : input.text.indexOf(json)
    if (fault === null || whole < 0) continue
    return { problem: fault.problem, place: around(input.text, whole + fault.at) }
  }
  return { problem: null, place: firstCallAt(views, input) }
}

/** A place with some of what stands before it. */
function around(text: string, offset: number): string {
  const from = Math.max(0, offset - LEAD)
  const shown = text.slice(from, offset + BEHIND)
  return `${quote(shown)}${offset + BEHIND < text.length ? '…' : ''} at ${from}`
}

/** So much of what stands before a fault is quoted with it. */
const LEAD = 12
/** And so much of what stands behind it. */
const BEHIND = 30

/** The place of the first call, or of the beginning. */
export function firstCallAt({ strict, lenient }: TurnViews, input: TurnInput): string {
  const [call] = input.toolCalls ?? []
  if (call !== undefined && strict.reader.callBlocks !== undefined)
    return `tool_calls[0].arguments ${quote(call.arguments)}`
  const begin = strict.blocks[0]?.start ?? beginning(lenient.visible)
  return at(input.text, offsetIn(input.text, strict.visible.slice(begin)))
}

/** Where a call without a block begins: at a mark, else at an object, else with the text. */
function beginning(text: string): number {
  const found = [MARKS, /\{/, /\S/].map((pattern) => text.search(pattern)).find((place) => place >= 0)
  return found ?? 0
}

const MARKS = /✿\s{0,4}(?:FUNCTION|ARGS)|<\/?tool_call|(?:action|动作|行动)[ \t]{0,8}[:：]/i

const CONTROL_MARKS =
  /<\|[a-z_]{2,20}\|>|<｜[^｜\n]{2,30}｜>|<\/?tool_(?:call|response)>|✿(?:RESULT|RETURN)✿|<\/assistant>|\[\/INST\]|Observation:/

/** The first control mark of a text; null for none. */
export function markAt(text: string): string | null {
  const match = CONTROL_MARKS.exec(text)
  return match === null ? null : at(text, match.index, match[0].length)
}

/** Of the formats whose calls stand beside words: one that is words only is read into any text. */
const FNCALL_READERS = [...QWEN_AGENT_FORMATS]
  .filter(([, { id }]) => isFncallName(id))
  .map(([name]) => evalFormat(name).reader)

/** Where a text holds a call of another format that can be read; null for none. */
export function textCall(text: string): number | null {
  for (const { blocks, readLenient } of FNCALL_READERS) {
    const [block] = blocks(text)
    if (block !== undefined && hasCalls(readLenient(text, null))) return block.start
  }
  const bare = bareBlocks(text)
  return hasCalls(readBlocksLenient(bare, () => null)) ? (bare[0]?.start ?? null) : null
}

function argumentsTrouble(blocks: readonly CallBlock[]): Trouble {
  const index = Math.max(
    0,
    blocks.findIndex(({ json }) => jsonFault(json) !== null),
  )
  const { json } = blocks[index] ?? { json: '' }
  const fault = jsonFault(json)
  const place = fault === null ? quote(json) : around(json, fault.at)
  return { problem: fault?.problem ?? null, place: `tool_calls[${index}].arguments: ${place}` }
}

/** In a text without marks: the object that it may be about, if it is all there. */
function looseBlock(text: string): readonly Pick<CallBlock, 'json'>[] {
  const start = text.indexOf('{')
  return start < 0 || balancedEnd(text, start) !== null ? [] : [{ json: text.slice(start).trimEnd() }]
}

/** What a reader of JSON says, and where; null where it is content. */
function jsonFault(json: string): { readonly problem: string; readonly at: number } | null {
  const outcome = attempt(() => loads(json))
  if (outcome.kind === 'returned') return null
  const match = /^(.*): line \d+ column \d+ \(char (\d+)\)$/s.exec(outcome.error.message)
  if (match === null) return null
  return { problem: lowered(match[1] ?? ''), at: unitsOf(json, Number(match[2])) }
}

/** Python counts code points. */
function unitsOf(text: string, points: number): number {
  let units = 0
  for (let seen = 0; seen < points && units < text.length; seen += 1)
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1
  return units
}

function lowered(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}
