import type { ToolSpec } from '../trace/task.ts'
import type { Problem } from '../reading/call-block.ts'
import { bareBlocks } from '../reading/bare-blocks.ts'

/**
 * What is wrong with a text that no reader sees a call in, although one is meant: then it is broken, and no abstention. A
 * call is meant by a JSON object with a name and arguments, and by a line that calls an offered tool as a function or names
 * it before an object. A tool that is mentioned in a sentence is none.
 */
export function hiddenCall(text: string, tools: readonly ToolSpec[] | null): Problem | null {
  if (bareBlocks(text).length > 0) return 'no tags round the call'
  return tools?.some(({ name }) => text.includes(name) && callsByName(text, name)) === true
    ? 'call in another form'
    : null
}

function callsByName(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
    const before = text.slice(Math.max(0, at - LEAD), at)
    const after = text.slice(at + name.length, at + name.length + TRAIL)
    if (/(?:^|\n)[\s>`*[]*$/.test(before) && after.startsWith('(') && endsLine(text, at + name.length)) return true
    if (/(?:^|[\s>`*"'])$/.test(before) && /^["'`*]{0,3}\s*:?\s*\{\s*["']/.test(after)) return true
  }
  return false
}

const LEAD = 16
const TRAIL = 64
/** How far the end of a call is looked for. */
const LONGEST_LINE = 2000

/** Whether the line ends in the bracket that closes a call, give or take a fence or a list. */
function endsLine(text: string, from: number): boolean {
  const stretch = text.slice(from, from + LONGEST_LINE)
  const line = stretch.slice(0, stretch.indexOf('\n') < 0 ? stretch.length : stretch.indexOf('\n'))
  return /\)[\s`\],;]*$/.test(line.slice(-32))
}
