import { balancedEnd } from '../text/balanced.ts'
import type { CallBlock, Repair } from './call-block.ts'

const OPEN = '<tool_call>'
const CLOSE = '</tool_call>'

/**
 * The calls of a nous text. A tag inside a JSON string is no tag: the object is followed to its end first, and only
 * when that fails does the next close tag count.
 */
export function nousBlocks(text: string): readonly CallBlock[] {
  const blocks: CallBlock[] = []
  const opens = /<tool_call>/gi
  // Following an object that is never closed costs the rest of the text; a text full of them must stay linear.
  let budget = text.length * 4 + 1000
  for (let open = opens.exec(text); open !== null; open = opens.exec(text)) {
    const caseRepairs: readonly Repair[] = open[0] === OPEN ? [] : ['tag-case']
    const body = skipSpace(text, opens.lastIndex)
    const limit = Math.min(text.length, body + budget)
    const end = text[body] === '{' ? balancedEnd(text, body, limit) : null
    budget -= (end ?? limit) - body
    const after = end === null ? -1 : skipSpace(text, end)
    const isClosed = end !== null && text.startsWith(CLOSE, after)
    const block = isClosed
      ? { name: null, json: text.slice(body, end), repairs: caseRepairs, start: open.index, end: after + CLOSE.length }
      : looseBlock(text, { start: open.index, body, repairs: caseRepairs })
    blocks.push(block)
    opens.lastIndex = block.end
  }
  return blocks
}

/** A block whose JSON does not lead up to its close tag. */
function looseBlock(
  text: string,
  { start, body, repairs }: { readonly start: number; readonly body: number; readonly repairs: readonly Repair[] },
): CallBlock {
  const rest = /<\/tool_call>|<tool_call>/gi
  rest.lastIndex = body
  const next = rest.exec(text)
  if (next !== null && next[0].startsWith('</')) {
    const wrongCase: readonly Repair[] = next[0] === CLOSE || repairs.length > 0 ? [] : ['tag-case']
    return {
      name: null,
      json: text.slice(body, next.index).trim(),
      repairs: [...repairs, ...wrongCase],
      start,
      end: rest.lastIndex,
    }
  }
  const end = next?.index ?? text.length
  return {
    name: null,
    json: withoutPartialTag(text.slice(body, end).trim()),
    repairs: [...repairs, 'close-tag'],
    start,
    end,
  }
}

/** Without a close tag that breaks off: `</tool_cal`. */
function withoutPartialTag(text: string): string {
  const at = text.lastIndexOf('</')
  return at >= 0 && CLOSE.startsWith(text.slice(at)) ? text.slice(0, at).trim() : text
}

const NAME = /["'“]name["'”]\s*[:：]/
const ARGUMENTS = /["'“](?:arguments|parameters)["'”]\s*[:：]/

/** Brackets that are never closed and begin no call are passed over, but not for ever: each costs the rest of the text. */
const MOST_UNCLOSED = 8
/** An object that begins with its name is a call, closed or not. */
const HEAD = 40

/** Calls that stand in a reply without any tag: every object with a name and arguments. None where the text holds no such. */
export function bareBlocks(text: string): readonly CallBlock[] {
  if (!NAME.test(text) || !ARGUMENTS.test(text)) return []
  const blocks: CallBlock[] = []
  let unclosed = 0
  for (let start = nextBracket(text, 0); start >= 0 && unclosed < MOST_UNCLOSED;) {
    const closed = balancedEnd(text, start)
    const end = closed ?? text.length
    if (closed === null) unclosed += 1
    const isCall = closed === null ? beginsCall(text.slice(start, start + HEAD)) : isCallLike(text.slice(start, end))
    if (isCall) blocks.push({ name: null, json: text.slice(start, end), repairs: ['missing-tags'], start, end })
    start = nextBracket(text, isCall || closed !== null ? end : start + 1)
  }
  return blocks
}

function beginsCall(head: string): boolean {
  return NAME.test(head) || ARGUMENTS.test(head)
}

function isCallLike(json: string): boolean {
  return NAME.test(json) && ARGUMENTS.test(json)
}

function nextBracket(text: string, from: number): number {
  const pattern = /[{[]/g
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? -1
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && /\s/.test(text[at] ?? '')) at += 1
  return at
}
