import { nativeDialect } from '../protocols/native/dialect.ts'
import { nousDialect } from '../protocols/nous.ts'
import { nousBlocks } from '../score/nous-blocks.ts'
import { splitThought } from '../score/thought.ts'

/** The first call that a model wrote into a text. */
export interface RawCall {
  /** What it said before, outside its thinking, without blanks around. */
  readonly prose: string
  /** Null in a format that cannot be read here. */
  readonly name: string | null
  /** As JSON; null in a format that cannot be read here. */
  readonly args: string | null
}

/** Null where a text holds no call in any format that is known here. */
export function rawCallOf(text: string): RawCall | null {
  const { visible } = splitThought(text)
  const [block] = nousBlocks(visible)
  if (block !== undefined) {
    const call = nousDialect.readLenient(visible, null).calls?.[0]
    const prose = visible.slice(0, block.start).trim()
    return { prose, name: call?.name ?? null, args: call === undefined ? null : (JSON.stringify(call.args) ?? null) }
  }
  const at = callMarkIn(visible)
  return at < 0 ? null : { prose: visible.slice(0, at).trim(), name: null, args: null }
}

/** Where a call begins in a text that nobody has read; -1 for nowhere. */
export function callMarkIn(text: string): number {
  if (!nativeDialect.readStrict(text, null).intent) return -1
  return Math.max(0, text.search(/<\/?tool_call|✿|<\||<function|\[TOOL_CALLS\]|<｜|[{[]/i))
}
