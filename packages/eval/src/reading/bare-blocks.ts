import { balancedEnd } from '@callspec/python'
import type { CallBlock } from './call-block.ts'

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
