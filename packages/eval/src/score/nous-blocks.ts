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

/** A call that stands in a reply without any tag. Null when the text holds no such object. */
export function bareBlock(text: string): CallBlock | null {
  const start = text.indexOf('{')
  if (start < 0 || !/["'“]name["'”]\s*[:：]/.test(text) || !/["'“](?:arguments|parameters)["'”]\s*[:：]/.test(text))
    return null
  const end = balancedEnd(text, start) ?? text.length
  return { name: null, json: text.slice(start, end), repairs: ['missing-tags'], start, end }
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && /\s/.test(text[at] ?? '')) at += 1
  return at
}
