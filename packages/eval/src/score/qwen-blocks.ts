import type { CallBlock } from './call-block.ts'

const FUNCTION = '✿FUNCTION✿:'
const ARGS = '✿ARGS✿:'
const ENDS = ['✿RESULT✿', '✿RETURN✿']

/** The calls of a ✿ text. Several ARGS after one FUNCTION are several calls of that tool, as the reference has it. */
export function qwenBlocks(text: string): readonly CallBlock[] {
  const blocks: CallBlock[] = []
  const limit = firstOf(text, ENDS, text.indexOf(FUNCTION))
  let start = text.indexOf(FUNCTION)
  while (start >= 0 && start < limit) {
    const next = text.indexOf(FUNCTION, start + FUNCTION.length)
    const end = next < 0 || next > limit ? limit : next
    const [name = '', ...args] = text.slice(start + FUNCTION.length, end).split(ARGS)
    if (args.length === 0) blocks.push({ name: name.trim(), json: '', repairs: ['empty-arguments'], start, end })
    for (const json of args) blocks.push({ name: name.trim(), json: json.trim(), repairs: [], start, end })
    start = next
  }
  return blocks
}

function firstOf(text: string, words: readonly string[], from: number): number {
  const places = words.map((word) => text.indexOf(word, Math.max(from, 0))).filter((at) => at >= 0)
  return places.length === 0 ? text.length : Math.min(...places)
}
