import type { Dialect } from '../protocols/dialect.ts'
import { outsideBlocks } from './outside-blocks.ts'

/** Control tokens of chat templates; they belong into no text and no argument. */
const SPECIALS = ['<|im_end|>', '<|im_start|>', '<|endoftext|>'] as const

/** The text without a bare stop word at its end. */
export function withoutKeptStopWord({ stopWords }: Dialect, text: string): string {
  const body = text.trimEnd()
  const word = stopWords.find((stop) => body.endsWith(stop))
  return word === undefined ? text : body.slice(0, -word.length)
}

/** Whether a control mark stands where none belongs. */
export function leaksMarker({ blocks, hostMarks }: Dialect, text: string): boolean {
  if (SPECIALS.some((mark) => text.includes(mark))) return true
  const outside = outsideBlocks(blocks(text), text)
  return hostMarks.some((mark) => outside.includes(mark))
}

/** The text without the marks that `leaksMarker` looks for. */
export function withoutLeaks({ blocks, hostMarks }: Dialect, text: string): string {
  const clean = without(SPECIALS, text)
  const kept: string[] = []
  let at = 0
  for (const block of blocks(clean)) {
    kept.push(without(hostMarks, clean.slice(at, block.start)), clean.slice(block.start, block.end))
    at = block.end
  }
  kept.push(without(hostMarks, clean.slice(at)))
  return kept.join('')
}

function without(marks: readonly string[], text: string): string {
  return marks.reduce((clean, mark) => clean.replaceAll(mark, () => ''), text)
}
